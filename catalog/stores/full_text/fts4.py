"""SQLite FTS4, for libraries built without FTS5.

FTS4 cannot delete from a contentless table, so this one stores its tokens. Its query
syntax differs with a compile-time option; only `OR` reads the same in both, so groups are
intersected in SQL.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection

from catalog.stores.full_text.index import Document, scoped

_ONE_GROUP = "SELECT docid FROM entry_tokens_fts4 WHERE entry_tokens_fts4 MATCH ?"


class Fts4Index:
    name = "fts4"

    def create(self, connection: Connection) -> None:
        connection.exec_driver_sql("DROP TABLE IF EXISTS entry_tokens_fts4")
        connection.exec_driver_sql(
            "CREATE VIRTUAL TABLE entry_tokens_fts4 USING fts4(tokens, tokenize=simple)"
        )

    def add(self, connection: Connection, documents: Iterable[Document]) -> None:
        rows = [
            (entry_id, " ".join([scoped(scope_id, token) for token in tokens]))
            for _, entry_id, scope_id, tokens in documents
        ]
        if rows:
            connection.exec_driver_sql(
                "INSERT INTO entry_tokens_fts4(docid, tokens) VALUES (?, ?)", rows
            )

    def remove(self, connection: Connection, document: Document) -> None:
        connection.exec_driver_sql(
            "DELETE FROM entry_tokens_fts4 WHERE docid = ?", (document.entry_id,)
        )

    def match_all(
        self, connection: Connection, scope_id: int, groups: Sequence[Sequence[str]], limit: int
    ) -> list[int]:
        if not groups:
            return []
        statement = " INTERSECT ".join([_ONE_GROUP] * len(groups)) + " ORDER BY 1 LIMIT ?"
        expressions = [_any_of(scope_id, group) for group in groups]
        return [row[0] for row in connection.exec_driver_sql(statement, (*expressions, limit))]

    def match_any(
        self, connection: Connection, scope_id: int, tokens: Sequence[str], limit: int
    ) -> list[int]:
        return self.match_all(connection, scope_id, [tokens] if tokens else [], limit)

    def documents(self, connection: Connection) -> dict[int, set[str]]:
        rows = connection.exec_driver_sql("SELECT docid, tokens FROM entry_tokens_fts4")
        return {entry_id: set(tokens.split()) for entry_id, tokens in rows}

    def kept(self, document: Document) -> set[str]:
        return {scoped(document.scope_id, token) for token in document.tokens}


def _any_of(scope_id: int, tokens: Sequence[str]) -> str:
    return " OR ".join([f'"{scoped(scope_id, token)}"' for token in tokens])
