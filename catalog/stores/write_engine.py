"""What a writer needs of its engine: an upsert, ids never used twice, turns, and counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import Connection, Table, select, update

from catalog.stores.schema import counter


class Ids(Protocol):
    """New ids of one write transaction; names are `scope` and `entry`."""

    def next(self, name: str) -> int:
        """An id that no row of the store has or had, higher than those before it."""

    def start_after(self, name: str, value: int) -> None:
        """Give only higher ids from now on."""

    def save(self) -> None:
        """Called before the commit."""


CountTerms = Callable[[Connection, str, int, Sequence[tuple[int, int]]], None]
"""Of a connection, a tenant, one of its scopes, and pairs of a term and a number to add."""


@dataclass(frozen=True, slots=True)
class WriteEngine:
    """Args:
    upsert: the dialect's own INSERT, which knows `on_conflict_do_update`.
    ids: the ids of a transaction.
    take_turn: waits until no other transaction writes into scopes of that tenant (the
        empty one owns the global scope), and keeps others waiting until this one ends.
    count_terms: adds to how many documents of a scope hold a term. An import changes tens of
        thousands of these numbers, and each engine has its own way to take many.
    """

    upsert: Callable[[Table], Any]
    ids: Callable[[Connection], Ids]
    take_turn: Callable[[Connection, str], None]
    count_terms: CountTerms


class CounterIds:
    """Ids from the table `counter`, for engines with one writer at a time."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._last: dict[str, int] = {}

    def next(self, name: str) -> int:
        self._last[name] = self._latest(name) + 1
        return self._last[name]

    def start_after(self, name: str, value: int) -> None:
        self._last[name] = max(self._latest(name), value)

    def _latest(self, name: str) -> int:
        known = self._last.get(name)
        if known is not None:
            return known
        statement = select(counter.c.value).where(counter.c.name == name)
        return int(self._connection.scalars(statement).one())

    def save(self) -> None:
        for name, value in self._last.items():
            self._connection.execute(
                update(counter).where(counter.c.name == name).values(value=value)
            )
