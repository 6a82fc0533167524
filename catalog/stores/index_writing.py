"""What a transaction changes of the index: its rows, full-text documents and statistics.

All of it is gathered and written in batches, the statistics in the order of their keys.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import islice
from typing import Any, Final

from sqlalchemy import Connection, bindparam, delete, insert, update

from catalog.search.document import IndexedDocument
from catalog.stores import schema
from catalog.stores.full_text.index import Document, FullTextIndex
from catalog.stores.write_engine import CountTerms

_MAX_DOCUMENTS: Final = 256
_MAX_CHANGED_TERMS: Final = 100_000
_TERMS_AT_ONCE: Final = 5_000

_DROP_UNUSED_TERM = delete(schema.term_frequency).where(
    schema.term_frequency.c.tenant == bindparam("tenant"),
    schema.term_frequency.c.scope_id == bindparam("scope_id"),
    schema.term_frequency.c.term == bindparam("term"),
    schema.term_frequency.c.documents <= 0,
)


class IndexWriting:
    """The entries' own rows come first: `flush` writes the index of entries that are there."""

    def __init__(
        self,
        connection: Connection,
        full_text: FullTextIndex | None,
        count_terms: CountTerms,
    ) -> None:
        self._connection = connection
        self._full_text = full_text
        self._count_terms = count_terms
        self._rows: list[dict[str, Any]] = []
        self._documents: list[Document] = []
        # By tenant and scope.
        self._frequencies: defaultdict[tuple[str, int], Counter[int]] = defaultdict(Counter)
        self._entries: Counter[tuple[str, int]] = Counter()

    @property
    def is_full(self) -> bool:
        return len(self._rows) >= _MAX_DOCUMENTS

    def add(self, tenant: str, scope_id: int, entry_id: int, document: IndexedDocument) -> None:
        self._entries[tenant, scope_id] += 1
        self._frequencies[tenant, scope_id].update(document.terms)
        self._documents.append(Document(tenant, entry_id, scope_id, document.tokens))
        self._rows.append(
            {
                "tenant": tenant,
                "entry_id": entry_id,
                "scope_id": scope_id,
                "card_text": document.card_text,
                "profile": document.profile,
            }
        )

    def take_out(self, document: Document, terms: Iterable[int]) -> None:
        """Args:
        document: with the tokens that it was added with.
        terms: the keys that were counted for it.
        """
        if self._full_text is not None:
            self._full_text.remove(self._connection, document)
        self._entries[document.tenant, document.scope_id] -= 1
        # Of a mapping the counter would take the values.
        self._frequencies[document.tenant, document.scope_id].subtract(iter(terms))

    def touch(self, tenant: str, scope_id: int) -> None:
        """Give the scope a new version: answers change, its entries do not."""
        self._entries[tenant, scope_id] += 0

    def flush(self) -> None:
        if self._rows:
            self._connection.execute(insert(schema.entry_index), self._rows)
            self._rows = []
        if self._full_text is not None and self._documents:
            self._full_text.add(self._connection, self._documents)
        self._documents = []
        if sum(map(len, self._frequencies.values())) > _MAX_CHANGED_TERMS:
            self._write_frequencies()

    def finish(self) -> None:
        self.flush()
        self._write_frequencies()
        for (tenant, scope_id), change in self._entries.items():
            self._connection.execute(
                update(schema.scope)
                .where(schema.scope.c.tenant == tenant, schema.scope.c.scope_id == scope_id)
                .values(
                    documents=schema.scope.c.documents + change,
                    version=schema.scope.c.version + 1,
                )
            )

    def _write_frequencies(self) -> None:
        for (tenant, scope_id), changes in sorted(self._frequencies.items()):
            changed = ((term, changes[term]) for term in sorted(changes) if changes[term])
            while counts := list(islice(changed, _TERMS_AT_ONCE)):
                self._count_terms(self._connection, tenant, scope_id, counts)
                lowered = [
                    {"tenant": tenant, "scope_id": scope_id, "term": term}
                    for term, change in counts
                    if change < 0
                ]
                if lowered:
                    self._connection.execute(_DROP_UNUSED_TERM, lowered)
        self._frequencies.clear()
