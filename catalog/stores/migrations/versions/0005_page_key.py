"""A key of the store's own, which seals the tokens of pages."""

from __future__ import annotations

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    setting = sa.table("setting", sa.column("name"), sa.column("value"))
    op.execute(setting.insert().values(name="page_key", value=secrets.token_hex(32)))


def downgrade() -> None:
    raise RuntimeError("restore the database from before the upgrade instead")
