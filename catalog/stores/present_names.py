"""Which entry carries a name, as one write transaction sees it: without a look-up for each."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, select

from catalog.stores.schema import entry

_ONE = select(entry.c.entry_id).where(
    entry.c.tenant == bindparam("tenant"),
    entry.c.scope_id == bindparam("scope_id"),
    entry.c.qualified_name == bindparam("qualified_name"),
)
_BETWEEN = select(entry.c.qualified_name, entry.c.entry_id).where(
    entry.c.tenant == bindparam("tenant"),
    entry.c.scope_id == bindparam("scope_id"),
    entry.c.qualified_name >= bindparam("first"),
    entry.c.qualified_name < bindparam("end"),
)


class PresentNames:
    """The first name of a pack is looked up alone, the second brings all names of the pack.

    The writer reports what it puts and drops, whether the rows are written yet or not.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._changed: dict[tuple[int, str], int | None] = {}
        self._packs: dict[tuple[int, str], dict[str, int] | None] = {}

    def entry_id(self, tenant: str, scope_id: int, name: str) -> int | None:
        changed = (scope_id, name)
        if changed in self._changed:
            return self._changed[changed]
        pack, colon, _ = name.partition(":")
        key = (scope_id, pack)
        if not colon or key not in self._packs:
            self._packs[key] = None
            parameters = {"tenant": tenant, "scope_id": scope_id, "qualified_name": name}
            return self._connection.scalar(_ONE, parameters)
        names = self._packs[key]
        if names is None:
            names = self._packs[key] = self._names_of(tenant, scope_id, pack)
        return names.get(name)

    def put(self, scope_id: int, name: str, entry_id: int) -> None:
        self._changed[scope_id, name] = entry_id

    def drop(self, scope_id: int, name: str) -> None:
        self._changed[scope_id, name] = None

    def _names_of(self, tenant: str, scope_id: int, pack: str) -> dict[str, int]:
        # `;` is the character behind `:`.
        parameters = {
            "tenant": tenant,
            "scope_id": scope_id,
            "first": f"{pack}:",
            "end": f"{pack};",
        }
        return {row[0]: row[1] for row in self._connection.execute(_BETWEEN, parameters)}
