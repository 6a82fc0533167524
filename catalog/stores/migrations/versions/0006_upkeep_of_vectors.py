"""Servers keep vectors up to date, and count, on PostgreSQL without the owner's role."""

from __future__ import annotations

from alembic import op

from catalog.stores.migrations.row_security import SERVICE_ROLE, let_upkeep

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    if op.get_bind().dialect.name != "postgresql":
        return
    let_upkeep("scope", "SELECT", "UPDATE")
    let_upkeep("entry", "SELECT")
    let_upkeep("embedding", "SELECT", "DELETE")
    op.execute(f"GRANT INSERT, UPDATE ON setting TO {SERVICE_ROLE}")
    let_upkeep("setting", "INSERT", "UPDATE", only="name = 'embeddings'")


def downgrade() -> None:
    raise RuntimeError("restore the database from before the upgrade instead")
