"""PostgreSQL: tokens as the lexemes of a tsvector under a GIN index.

The tokens are those of the shared analysis; no text search parser or dictionary sees them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from sqlalchemy import Connection

from catalog.stores.full_text.index import Document, scoped

MAX_LEXEME_BYTES = 2_046
"""A longer token is indexed by its SHA-256."""
MAX_TSVECTOR_BYTES = 1_000_000
"""Of a document with more, the longest tokens are left out."""

_ADD = (
    "INSERT INTO entry_tokens (tenant, entry_id, tokens) "
    "SELECT tenant, entry_id, array_to_tsvector(string_to_array(lexemes, ' ')) "
    "FROM unnest(%s::text[], %s::bigint[], %s::text[]) AS given (tenant, entry_id, lexemes)"
)
_REMOVE = "DELETE FROM entry_tokens WHERE tenant = %s AND entry_id = %s"
_MATCH = "SELECT * FROM matching_entries(%s, %s)"


class PostgreSqlIndex:
    name = "postgresql"

    def create(self, connection: Connection) -> None:
        connection.exec_driver_sql("TRUNCATE entry_tokens")

    def add(self, connection: Connection, documents: Iterable[Document]) -> None:
        rows = [
            (document.tenant, document.entry_id, " ".join(_lexemes(document)))
            for document in documents
        ]
        if rows:
            connection.exec_driver_sql(_ADD, tuple(map(list, zip(*rows, strict=True))))

    def remove(self, connection: Connection, document: Document) -> None:
        connection.exec_driver_sql(_REMOVE, (document.tenant, document.entry_id))

    def match_all(
        self, connection: Connection, scope_id: int, groups: Sequence[Sequence[str]], limit: int
    ) -> list[int]:
        wanted = "&".join([f"({_any_of(scope_id, group)})" for group in groups])
        return _matching(connection, wanted, limit)

    def match_any(
        self, connection: Connection, scope_id: int, tokens: Sequence[str], limit: int
    ) -> list[int]:
        return _matching(connection, _any_of(scope_id, tokens), limit)

    def documents(self, connection: Connection) -> dict[int, set[str]]:
        rows = connection.exec_driver_sql(
            "SELECT entry_id, tsvector_to_array(tokens) FROM entry_tokens"
        )
        return {entry_id: set(lexemes) for entry_id, lexemes in rows}

    def kept(self, document: Document) -> set[str]:
        return set(_lexemes(document))


def _lexemes(document: Document) -> list[str]:
    prefix = scoped(document.scope_id, "")
    lexemes = [_lexeme(prefix, token) for token in document.tokens]
    if sum(map(len, lexemes)) * _MAX_CHARACTER_BYTES <= MAX_TSVECTOR_BYTES:
        return lexemes
    kept = []
    room = MAX_TSVECTOR_BYTES
    for size, lexeme in sorted((len(lexeme.encode()), lexeme) for lexeme in lexemes):
        room -= size
        if room < 0:
            break
        kept.append(lexeme)
    return kept


def _lexeme(prefix: str, token: str) -> str:
    lexeme = prefix + token
    if len(lexeme) * _MAX_CHARACTER_BYTES > MAX_LEXEME_BYTES:
        size = len(lexeme.encode())
        if size > MAX_LEXEME_BYTES:
            return prefix + hashlib.sha256(token.encode()).hexdigest()
    return lexeme


_MAX_CHARACTER_BYTES = 4


def _any_of(scope_id: int, tokens: Sequence[str]) -> str:
    # Tokens hold neither quotes nor backslashes.
    prefix = scoped(scope_id, "")
    return "|".join([f"'{_lexeme(prefix, token)}'" for token in tokens])


def _matching(connection: Connection, wanted: str, limit: int) -> list[int]:
    if not wanted:
        return []
    return [row[0] for row in connection.exec_driver_sql(_MATCH, (wanted, limit))]
