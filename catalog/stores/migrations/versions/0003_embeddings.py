"""Vectors of entries, of several models beside each other."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from catalog.stores.migrations.row_security import protect_rows

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "embedding",
        sa.Column("tenant", TEXT, nullable=False),
        sa.Column("scope_id", sa.BigInteger, nullable=False),
        sa.Column("model", TEXT, nullable=False),
        sa.Column("entry_id", sa.BigInteger, nullable=False),
        sa.Column("chunk", sa.Integer, nullable=False),
        sa.Column("dimension", sa.Integer, nullable=False),
        sa.Column("content_hash", TEXT, nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint(
            "tenant", "scope_id", "model", "entry_id", "chunk", name="embedding_pk"
        ),
    )
    op.create_index("embedding_by_entry", "embedding", ["tenant", "entry_id"])
    if op.get_bind().dialect.name == "postgresql":
        protect_rows("embedding")


def downgrade() -> None:
    raise RuntimeError("restore the database from before the upgrade instead")
