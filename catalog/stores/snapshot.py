"""A connection as one tenant sees it: its own rows and the global scope's, in one snapshot."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, select

from catalog.scope import Scope, ScopeKind
from catalog.stores import schema, statements


class Snapshot:
    """What every kind of read stands on."""

    def __init__(self, connection: Connection, tenant: str) -> None:
        self._connection = connection
        self._tenant = tenant
        self._tenants = ("", tenant)

    @property
    def _reading(self) -> Connection:
        """The connection as reads use it; a writer first writes what it has gathered."""
        return self._connection

    def _rows_of_scopes(self, scopes: Sequence[Scope]) -> list[tuple[int, int, int, int]]:
        sql, names = statements.scope_rows(len(scopes), self._connection.dialect)
        columns = [
            part
            for scope in scopes
            for part in (scope.tenant, scope.kind.value, scope.project, scope.user, scope.session)
        ]
        given = dict(zip(names, columns, strict=True))
        rows = self._reading.exec_driver_sql(sql, given)
        return [(row[0], row[1], row[2], row[3]) for row in rows]

    def _id_of_scope(self, scope: Scope) -> int | None:
        """Of a scope that something was written to."""
        rows = self._rows_of_scopes([scope])
        return rows[0][1] if rows else None

    def scope_ids(self, scopes: Sequence[Scope]) -> list[int]:
        return [row[1] for row in sorted(self._rows_of_scopes(scopes))]

    def _scope_of_id(self, scope_id: int) -> Scope:
        table = schema.scope
        row = self._reading.execute(
            select(
                table.c.kind, table.c.tenant, table.c.project, table.c.user_name, table.c.session
            ).where(table.c.tenant.in_(self._tenants), table.c.scope_id == scope_id)
        ).one()
        return Scope(ScopeKind(row.kind), row.tenant, row.project, row.user_name, row.session)
