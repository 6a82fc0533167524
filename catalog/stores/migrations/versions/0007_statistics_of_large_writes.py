"""A large import leaves PostgreSQL's planner statistics behind that are true at once.

Until the next autovacuum they would say that a new tenant has no rows, and the planner would
read all of them to find a few hundred by their ids.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from catalog.stores.migrations.row_security import SERVICE_ROLE

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_MANY_ENTRIES = 1_000


def upgrade() -> None:
    if op.get_bind().dialect.name != "postgresql":
        return
    schema = op.get_bind().scalar(sa.text("SELECT quote_ident(current_schema())"))
    op.execute(
        "CREATE FUNCTION analyze_large_write() RETURNS void LANGUAGE plpgsql SECURITY DEFINER "
        f"SET search_path = {schema}, pg_temp AS $$ BEGIN "
        "IF pg_stat_get_xact_tuples_inserted('entry'::regclass) >= "
        f"{_MANY_ENTRIES} THEN ANALYZE scope, entry, entry_index, term_frequency; END IF; END $$"
    )
    op.execute("REVOKE ALL ON FUNCTION analyze_large_write() FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION analyze_large_write() TO {SERVICE_ROLE}")


def downgrade() -> None:
    raise RuntimeError("restore the database from before the upgrade instead")
