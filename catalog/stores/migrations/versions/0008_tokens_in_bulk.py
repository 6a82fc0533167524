"""Tokens are found by their index alone and added to it many skills at a time.

The planner preferred to walk the rows in the order of their ids, for the few that it was asked
for, and compared all of them where few matched. And a skill brings hundreds of tokens: to look
for the place of each took most of the time of an import.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from catalog.stores.migrations.row_security import SERVICE_ROLE, TENANT_SETTING

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_MANY_ENTRIES = 1_000
_MANY_OF_ALL = 0.1
"""Autovacuum takes a table for changed by as many, but looks a minute later."""


def upgrade() -> None:
    if op.get_bind().dialect.name != "postgresql":
        return
    schema = op.get_bind().scalar(sa.text("SELECT quote_ident(current_schema())"))
    # Tokens name their scope, so what the index finds is a tenant's own already; to ask for
    # the tenant beside them would let the planner walk the primary key again.
    op.execute(
        "CREATE OR REPLACE FUNCTION matching_entries(wanted text, most bigint) "
        "RETURNS SETOF bigint LANGUAGE plpgsql STABLE SECURITY DEFINER "
        f"SET search_path = {schema}, pg_temp SET enable_seqscan = off AS $$ BEGIN RETURN QUERY "
        "WITH found AS MATERIALIZED "
        "(SELECT tenant, entry_id FROM entry_tokens WHERE tokens @@ wanted::tsquery) "
        "SELECT entry_id FROM found "
        f"WHERE tenant IN ('', current_setting('{TENANT_SETTING}', true)) "
        "ORDER BY entry_id LIMIT most; END $$"
    )
    op.execute("ALTER INDEX entry_tokens_by_token SET (fastupdate = on)")
    op.execute(
        "CREATE FUNCTION settle_write() RETURNS void LANGUAGE plpgsql SECURITY DEFINER "
        f"SET search_path = {schema}, pg_temp AS $$ BEGIN "
        "PERFORM gin_clean_pending_list('entry_tokens_by_token'); "
        f"IF pg_stat_get_xact_tuples_inserted('entry'::regclass) >= greatest({_MANY_ENTRIES}, "
        f"(SELECT {_MANY_OF_ALL} * reltuples FROM pg_class WHERE oid = 'entry'::regclass)) "
        "THEN ANALYZE scope, entry, entry_index, term_frequency; END IF; END $$"
    )
    op.execute("REVOKE ALL ON FUNCTION settle_write() FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION settle_write() TO {SERVICE_ROLE}")
    op.execute("DROP FUNCTION analyze_large_write()")


def downgrade() -> None:
    raise RuntimeError("restore the database from before the upgrade instead")
