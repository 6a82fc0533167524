"""The vectors of one scope where they lie: the store finds the nearest, and only those of the
entries that may show are read and compared."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from catalog.embedding.scope_vectors import ROWS_AN_ENTRY, ROWS_GROW, vectors_of

if TYPE_CHECKING:
    from catalog.card import Entry
    from catalog.embedding.embedder import Vectors
    from catalog.stores.near_vectors import NearVectors
    from catalog.stores.store import StoreReader
    from catalog.stores.vectors import VectorSpace

MOST_VECTORS_IN_MEMORY: Final = 20_000
"""Scopes of more are searched by the store, where it can: each process would keep 40 MB of
them, of 384 dimensions. Memory answers in half the time, once it is filled."""


@dataclass(frozen=True, slots=True)
class StoredVectors:
    """As `ScopeVectors`, by the reader of one request."""

    reader: StoreReader
    scope_id: int
    space: VectorSpace
    size: NearVectors

    @property
    def entries(self) -> int:
        return self.size.entries

    def allowed(
        self,
        query: Vectors,
        fewest: int,
        allowed: Callable[[list[int]], Mapping[int, Entry]],
        caller: Hashable,  # noqa: ARG002 - nothing is remembered of callers
        hidden: frozenset[int],
    ) -> list[tuple[Entry, float]]:
        asked = query.astype("<f4").tobytes()
        rows = ROWS_AN_ENTRY * fewest
        while True:
            near = self.reader.nearest_entries(self.scope_id, self.space, asked, rows)
            shown = allowed([entry_id for entry_id in near if entry_id not in hidden])
            if len(shown) >= fewest or rows >= self.size.vectors:
                break
            rows *= ROWS_GROW
        values = self.nearness(query, shown)
        best = sorted(values, key=lambda entry_id: (-values[entry_id], entry_id))[:fewest]
        return [(shown[entry_id], values[entry_id]) for entry_id in best]

    def nearness(self, query: Vectors, entry_ids: Iterable[int]) -> dict[int, float]:
        wanted = sorted(entry_ids)
        read = vectors_of(self.reader, self.scope_id, self.space, wanted)
        return read.nearness(query, wanted)
