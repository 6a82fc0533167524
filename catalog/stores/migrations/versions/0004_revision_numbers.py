"""Revisions are numbered within their scope and name, no longer within the whole store."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from catalog.stores.migrations.row_security import protect_rows

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

_KEPT = (
    "tenant, scope_id, qualified_name, action, content_hash, source_sha256, origin_reference, "
    "user_name, session, at"
)


def upgrade() -> None:
    is_postgresql = op.get_bind().dialect.name == "postgresql"
    op.rename_table("revision", "older_revision")
    if is_postgresql:
        # The names of constraints are those of indexes, which the whole schema shares.
        op.execute("ALTER TABLE older_revision RENAME CONSTRAINT revision_pk TO older_revision_pk")
    op.create_table(
        "revision",
        sa.Column("tenant", TEXT, nullable=False),
        sa.Column("scope_id", sa.BigInteger, nullable=False),
        sa.Column("qualified_name", TEXT, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("action", TEXT, nullable=False),
        sa.Column("content_hash", TEXT, nullable=False),
        sa.Column("source_sha256", TEXT, nullable=False),
        sa.Column("origin_reference", TEXT, nullable=False),
        sa.Column("user_name", TEXT, nullable=False),
        sa.Column("session", TEXT, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint(
            "tenant", "scope_id", "qualified_name", "number", name="revision_pk"
        ),
    )
    op.execute(
        f"INSERT INTO revision ({_KEPT}, number) SELECT {_KEPT}, row_number() OVER "
        "(PARTITION BY tenant, scope_id, qualified_name ORDER BY revision_id) FROM older_revision"
    )
    op.drop_table("older_revision")
    op.execute("DELETE FROM counter WHERE name = 'revision'")
    if is_postgresql:
        protect_rows("revision")
        op.execute("DROP SEQUENCE revision_ids")


def downgrade() -> None:
    raise RuntimeError("restore the database from before the upgrade instead")
