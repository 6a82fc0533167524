"""The seam of a full-text engine: add, remove and match tokens of entries.

A token carries its scope (`12·deploy`), so that every scope has its own postings inside
one table: another tenant's entries neither match nor slow a query down. The separator is
not ASCII because FTS5's `ascii` and FTS4's `simple` tokenizers keep such characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from sqlalchemy import Connection


def scoped(scope_id: int, token: str) -> str:
    return f"{scope_id}·{token}"


class FullTextIndex(Protocol):
    """Entries are given and found by id; `tokens` are without their scope.

    Every call works inside the transaction of the connection that it is given.
    """

    name: str

    def create(self, connection: Connection) -> None:
        """Make the index anew and empty."""

    def add(
        self, connection: Connection, documents: Iterable[tuple[int, int, Sequence[str]]]
    ) -> None:
        """Index documents, each an entry id, its scope id and its tokens."""

    def remove(
        self, connection: Connection, entry_id: int, scope_id: int, tokens: Sequence[str]
    ) -> None:
        """Take a document out; `tokens` are those that it was added with."""

    def match_all(
        self, connection: Connection, scope_id: int, groups: Sequence[Sequence[str]], limit: int
    ) -> list[int]:
        """Ids of entries that hold one token of every group, ascending."""

    def match_any(
        self, connection: Connection, scope_id: int, tokens: Sequence[str], limit: int
    ) -> list[int]:
        """Ids of entries that hold one of the tokens, ascending."""

    def documents(self, connection: Connection) -> dict[int, set[str]]:
        """Every indexed entry with its scoped tokens: what an integrity check compares."""
