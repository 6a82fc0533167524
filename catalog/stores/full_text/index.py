"""The seam of a full-text engine: add, remove and match tokens of entries.

A token carries its scope (`12·deploy`), so that every scope has its own postings inside
one table: another tenant's entries neither match nor slow a query down. The separator is
not ASCII because FTS5's `ascii` and FTS4's `simple` tokenizers keep such characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from sqlalchemy import Connection


class Document(NamedTuple):
    """What an engine indexes of one entry; `tokens` are without their scope."""

    tenant: str
    entry_id: int
    scope_id: int
    tokens: Sequence[str]


def scoped(scope_id: int, token: str) -> str:
    return f"{scope_id}·{token}"


class FullTextIndex(Protocol):
    """Entries are found by id; tokens are given without their scope.

    Every call works inside the transaction of the connection that it is given.
    """

    name: str

    def create(self, connection: Connection) -> None:
        """Make the index anew and empty."""

    def add(self, connection: Connection, documents: Iterable[Document]) -> None: ...

    def remove(self, connection: Connection, document: Document) -> None:
        """Take a document out; its tokens are those that it was added with."""

    def match_all(
        self, connection: Connection, scope_id: int, groups: Sequence[Sequence[str]], limit: int
    ) -> list[int]:
        """Ids of entries that hold one token of every group, ascending."""

    def match_any(
        self, connection: Connection, scope_id: int, tokens: Sequence[str], limit: int
    ) -> list[int]:
        """Ids of entries that hold one of the tokens, ascending."""

    def documents(self, connection: Connection) -> dict[int, set[str]]:
        """Every indexed entry with what is kept of its tokens: an integrity check compares."""

    def kept(self, document: Document) -> set[str]:
        """What `documents` gives for a document that is indexed as it should be."""
