"""Row-level security of the tables on PostgreSQL: a second lock behind the statements.

Every transaction of the service names its tenant in the setting `skillcatalog.tenant`, and
the database shows and takes no other tenant's rows, whatever a statement asks for. Rows of
the global scope (of the empty tenant) are seen by all, and written by transactions that
set `skillcatalog.writes_global` to `on`. Transactions that set `skillcatalog.upkeep` to `on`,
which no request does, see which entries all tenants have and keep their vectors. The owner of
the tables is bound by none of it: it migrates, checks and copies, and the service never works
as the owner.

A migration that makes a table with a tenant calls `protect_rows` for it.
"""

from __future__ import annotations

from collections.abc import Iterator

from alembic import op

SERVICE_ROLE = "skillcatalog_service"
TENANT_SETTING = "skillcatalog.tenant"
WRITES_GLOBAL_SETTING = "skillcatalog.writes_global"
UPKEEP_SETTING = "skillcatalog.upkeep"

_TENANT = f"current_setting('{TENANT_SETTING}', true)"
_WRITES_GLOBAL = f"current_setting('{WRITES_GLOBAL_SETTING}', true) = 'on'"
_READABLE = f"tenant = ANY (ARRAY['', {_TENANT}])"
_WRITABLE = f"CASE tenant WHEN '' THEN {_WRITES_GLOBAL} ELSE tenant = {_TENANT} END"
_UPKEEP = f"current_setting('{UPKEEP_SETTING}', true) = 'on'"
_OWN = f"tenant = coalesce({_TENANT}, '')"


def protect_rows(table: str) -> None:
    """The service reads rows of its tenant and global ones, and writes its tenant's."""
    for statement in statements_that_protect_rows(table):
        op.execute(statement)


def statements_that_protect_rows(table: str) -> Iterator[str]:
    """The same for a table that is made apart from migrations."""
    yield from _protection(table, "SELECT, INSERT, UPDATE, DELETE")
    yield f"CREATE POLICY tenant_reads ON {table} FOR SELECT USING ({_READABLE})"
    for command in ("INSERT", "UPDATE", "DELETE"):
        checked = f"WITH CHECK ({_WRITABLE})"
        clause = checked if command == "INSERT" else f"USING ({_WRITABLE})"
        if command == "UPDATE":
            clause += f" {checked}"
        yield f"CREATE POLICY tenant_{command.lower()}s ON {table} FOR {command} {clause}"


def protect_own_rows(table: str, privileges: str) -> None:
    """The service reads and writes rows of its tenant only; the empty one is a tenant too."""
    _protect(table, privileges)
    op.execute(f"CREATE POLICY own_rows ON {table} USING ({_OWN}) WITH CHECK ({_OWN})")


def protect_from_writes(table: str) -> None:
    """The service reads the table, which belongs to no tenant."""
    _protect(table, "SELECT")
    op.execute(f"CREATE POLICY all_rows ON {table} FOR SELECT USING (true)")


def let_upkeep(table: str, *commands: str, only: str = "true") -> None:
    """The service does so with rows of all tenants in transactions that say they are upkeep."""
    for command in commands:
        rows = f"({_UPKEEP} AND {only})"
        clause = f"WITH CHECK {rows}" if command == "INSERT" else f"USING {rows}"
        if command == "UPDATE":
            clause += f" WITH CHECK {rows}"
        op.execute(f"CREATE POLICY upkeep_{command.lower()}s ON {table} FOR {command} {clause}")


def protect_wholly(table: str) -> None:
    """The service has no business with the table."""
    op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")


def _protect(table: str, privileges: str) -> None:
    for statement in _protection(table, privileges):
        op.execute(statement)


def _protection(table: str, privileges: str) -> Iterator[str]:
    yield f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY"
    yield f"GRANT {privileges} ON {table} TO {SERVICE_ROLE}"
