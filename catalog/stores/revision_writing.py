"""The revisions that a transaction appends: one for every accepted write of a skill."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, select

from catalog.identity import Identity
from catalog.scope import Scope, ScopeKind
from catalog.stores.schema import revision

_APPEND = insert(revision).values(
    number=select(func.coalesce(func.max(revision.c.number), 0) + 1)
    .where(
        revision.c.tenant == bindparam("of_tenant"),
        revision.c.scope_id == bindparam("of_scope"),
        revision.c.qualified_name == bindparam("of_name"),
    )
    .scalar_subquery()
)


class RevisionWriting:
    def __init__(self, connection: Connection, actor: Identity | None) -> None:
        self._connection = connection
        self._user = actor.user if actor else ""
        self._session = actor.session if actor else ""
        self._rows: list[dict[str, Any]] = []

    def append(
        self, scope: Scope, scope_id: int, action: str, entry: Mapping[str, Any], now: float
    ) -> None:
        """Args:
        entry: the columns that the skill itself decides, as `entry_row` gives them.
        """
        # Every tenant reads what is global, and learns nothing of another one's users.
        named = scope.kind is not ScopeKind.GLOBAL
        self._rows.append(
            {
                "tenant": scope.tenant,
                "of_tenant": scope.tenant,
                "scope_id": scope_id,
                "of_scope": scope_id,
                "qualified_name": entry["qualified_name"],
                "of_name": entry["qualified_name"],
                "action": action,
                "content_hash": entry["content_hash"],
                "source_sha256": entry["source_sha256"],
                "origin_reference": entry["origin_reference"],
                "user_name": self._user if named else "",
                "session": self._session if named else "",
                "at": now,
            }
        )

    def flush(self) -> None:
        if self._rows:
            # One by one, so that each counts those before it.
            self._connection.execute(_APPEND, self._rows)
            self._rows = []
