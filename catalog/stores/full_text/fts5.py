"""SQLite FTS5: a contentless table of tokens without positions.

The scores come from profiles, so the table keeps neither columns nor positions
(`detail=none`) nor the text (`content=''`), and is a quarter of the size of a stored one.
Taking a document out of a contentless table needs the very tokens that it was added with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from sqlalchemy import Connection

from catalog.stores.full_text.index import Document, scoped

_CREATE = (
    "CREATE VIRTUAL TABLE entry_tokens_fts5 USING fts5("
    "tokens, content='', detail=none, columnsize=0, tokenize='ascii')"
)
_MATCH = (
    "SELECT rowid FROM entry_tokens_fts5 WHERE entry_tokens_fts5 MATCH ? ORDER BY rowid LIMIT ?"
)


class Fts5Index:
    name = "fts5"

    def create(self, connection: Connection) -> None:
        connection.exec_driver_sql("DROP TABLE IF EXISTS entry_tokens_fts5")
        connection.exec_driver_sql(_CREATE)

    def add(self, connection: Connection, documents: Iterable[Document]) -> None:
        rows = [(entry_id, _text(scope_id, tokens)) for _, entry_id, scope_id, tokens in documents]
        if rows:
            connection.exec_driver_sql(
                "INSERT INTO entry_tokens_fts5(rowid, tokens) VALUES (?, ?)", rows
            )

    def remove(self, connection: Connection, document: Document) -> None:
        connection.exec_driver_sql(
            "INSERT INTO entry_tokens_fts5(entry_tokens_fts5, rowid, tokens) "
            "VALUES ('delete', ?, ?)",
            (document.entry_id, _text(document.scope_id, document.tokens)),
        )

    def match_all(
        self, connection: Connection, scope_id: int, groups: Sequence[Sequence[str]], limit: int
    ) -> list[int]:
        expression = " AND ".join(f"({_any_of(scope_id, group)})" for group in groups)
        return _rowids(connection, expression, limit)

    def match_any(
        self, connection: Connection, scope_id: int, tokens: Sequence[str], limit: int
    ) -> list[int]:
        return _rowids(connection, _any_of(scope_id, tokens), limit)

    def documents(self, connection: Connection) -> dict[int, set[str]]:
        connection.exec_driver_sql(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.entry_tokens_instances "
            "USING fts5vocab(main, entry_tokens_fts5, instance)"
        )
        found: dict[int, set[str]] = defaultdict(set)
        for entry_id, token in connection.exec_driver_sql(
            "SELECT doc, term FROM temp.entry_tokens_instances"
        ):
            found[entry_id].add(token)
        return dict(found)

    def kept(self, document: Document) -> set[str]:
        return {scoped(document.scope_id, token) for token in document.tokens}


def _text(scope_id: int, tokens: Sequence[str]) -> str:
    # Millions of tokens in an import: the prefix is made once.
    prefix = scoped(scope_id, "")
    return " ".join([prefix + token for token in tokens])


def _any_of(scope_id: int, tokens: Sequence[str]) -> str:
    return " OR ".join([f'"{scoped(scope_id, token)}"' for token in tokens])


def _rowids(connection: Connection, expression: str, limit: int) -> list[int]:
    if not expression:
        return []
    # Hundreds of ids a search: the driver's own rows, not wrapped ones.
    cursor = connection.connection.cursor()
    return [row[0] for row in cursor.execute(_MATCH, (expression, limit)).fetchall()]
