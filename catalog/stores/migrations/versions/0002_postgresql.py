"""What PostgreSQL has besides the tables: row security, sequences, tokens, triggers.

Other engines have their own means for these and nothing to do here.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from catalog.stores.migrations.row_security import (
    SERVICE_ROLE,
    TENANT_SETTING,
    protect_from_writes,
    protect_own_rows,
    protect_rows,
    protect_wholly,
)

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_TABLES_WITH_TENANTS = (
    "scope",
    "entry",
    "entry_index",
    "entry_content",
    "entry_artifact",
    "blob",
    "term_frequency",
    "revision",
    "archived_skill",
    "proposal_key",
    "usage",
)


def upgrade() -> None:
    if op.get_bind().dialect.name != "postgresql":
        return
    for name in ("scope", "entry", "revision"):
        op.execute(f"CREATE SEQUENCE {name}_ids")
        op.execute(f"GRANT USAGE ON SEQUENCE {name}_ids TO {SERVICE_ROLE}")
    for table in _TABLES_WITH_TENANTS:
        protect_rows(table)
    _audit_that_only_grows()
    protect_from_writes("setting")
    protect_from_writes("alembic_version")
    protect_wholly("counter")
    # A search reads hundreds of profiles: beside their rows, not in pieces elsewhere.
    op.execute("ALTER TABLE entry_index SET (toast_tuple_target = 8160)")
    op.execute("ALTER TABLE entry_index ALTER COLUMN profile SET STORAGE EXTERNAL")
    _tokens()


def _audit_that_only_grows() -> None:
    protect_own_rows("audit", "SELECT, INSERT")
    protect_own_rows("audit_end", "SELECT, INSERT, UPDATE")
    op.execute(
        "CREATE FUNCTION refuse_change_of_audit() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'the audit trail is append-only'; END $$"
    )
    for action in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER audit_refuses_{action.lower()} BEFORE {action} ON audit "
            "FOR EACH ROW EXECUTE FUNCTION refuse_change_of_audit()"
        )
    op.execute(
        "CREATE TRIGGER audit_refuses_truncate BEFORE TRUNCATE ON audit "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit()"
    )


def _tokens() -> None:
    """Row security keeps the planner from an index whose operator is not leakproof, and `@@`
    is not. So matching is a function of the owner, which names the tenant itself."""
    op.execute(
        'CREATE TABLE entry_tokens (tenant text COLLATE "C" NOT NULL, entry_id bigint NOT NULL, '
        "tokens tsvector NOT NULL, CONSTRAINT entry_tokens_pk PRIMARY KEY (tenant, entry_id)) "
        "WITH (toast_tuple_target = 128)"
    )
    # Matching reads ids from the rows and tokens from the index only: narrow rows, no packing.
    op.execute(
        "ALTER TABLE entry_tokens ALTER COLUMN tokens SET STORAGE EXTERNAL, "
        "ALTER COLUMN tokens SET STATISTICS 0"
    )
    op.execute(
        "CREATE INDEX entry_tokens_by_token ON entry_tokens USING gin (tokens) "
        "WITH (fastupdate = off)"
    )
    protect_rows("entry_tokens")
    schema = op.get_bind().scalar(sa.text("SELECT quote_ident(current_schema())"))
    op.execute(
        "CREATE FUNCTION matching_entries(wanted text, most bigint) RETURNS SETOF bigint "
        f"LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = {schema}, pg_temp "
        "SET enable_seqscan = off AS $$ BEGIN RETURN QUERY "
        "SELECT entry_id FROM entry_tokens "
        f"WHERE tokens @@ wanted::tsquery AND tenant IN ('', current_setting('{TENANT_SETTING}', "
        "true)) ORDER BY entry_id LIMIT most; END $$"
    )
    signature = "matching_entries(text, bigint)"
    op.execute(f"REVOKE ALL ON FUNCTION {signature} FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION {signature} TO {SERVICE_ROLE}")


def downgrade() -> None:
    raise RuntimeError("restore the database from before the upgrade instead")
