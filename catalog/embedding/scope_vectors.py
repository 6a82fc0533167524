"""The vectors of one scope in memory: built from the store, brought up to date by what changed.

A value never changes once it is made, so that searches of an older snapshot go on with
theirs. The store is the truth: entries are compared with it by id on every new version.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from catalog.embedding.graph import MANY_ROWS, Graph, GraphRows
from catalog.embedding.nearest import FEW_ROWS, AllRows, CodedRows, NearestRows
from catalog.memo import Memo

if TYPE_CHECKING:
    from catalog.card import Entry
    from catalog.embedding.embedder import Vectors
    from catalog.embedding.nearest import Chosen
    from catalog.stores.store import StoreReader
    from catalog.stores.vectors import VectorSpace

SHARPNESS: Final = 18.0
"""Chosen by prompts of left-out repositories: 12 to 20 rank alike, a plain maximum worse."""
_MIDDLE: Final = 0.5
_BYTES_A_NUMBER: Final = 4
ROWS_AN_ENTRY: Final = 6
"""Nearest rows that are looked at for each entry wanted: entries have several."""
ROWS_GROW: Final = 4
_REMEMBERED_CALLERS: Final = 64


@dataclass(frozen=True, slots=True)
class ScopeVectors:
    """Args:
    entry_ids: of the entries that have vectors, ascending.
    owners: for each row of the matrix, the place of its entry in `entry_ids`.
    starts: the first row of each entry, and behind the last one the number of rows.
    matrix: float32 [rows, dimension], each row of length 1.
    nearest: finds rows that are near to a query without looking at all of the matrix.
    refused: for each kind of caller, which places of `entry_ids` are known not to show to it.
    """

    entry_ids: np.ndarray
    owners: np.ndarray
    starts: np.ndarray
    matrix: Vectors
    nearest: NearestRows
    refused: Memo[Hashable, Chosen] = field(default_factory=lambda: Memo(_REMEMBERED_CALLERS))

    @property
    def entries(self) -> int:
        return len(self.entry_ids)

    @property
    def bytes_kept(self) -> int:
        return self.matrix.nbytes + self.owners.nbytes + self.entry_ids.nbytes

    def allowed(
        self,
        query: Vectors,
        fewest: int,
        allowed: Callable[[list[int]], Mapping[int, Entry]],
        caller: Hashable,
        hidden: frozenset[int],
    ) -> list[tuple[Entry, float]]:
        """The entries nearest to the query that may show, nearest first, and how near they are:
        `fewest`, or all that there are.

        Args:
            allowed: gives those of some entries that may show.
            caller: all that decides which may, but for `hidden`; who was refused once is
                passed over inside the next searches of the same caller.
            hidden: entries that may not show to this identity.
        """
        nobody = np.zeros(len(self.entry_ids), bool)
        refused = self.refused.computed(caller, nobody.copy)
        is_hidden = np.isin(self.entry_ids, list(hidden)) if hidden else nobody
        rows = ROWS_AN_ENTRY * fewest
        while True:
            places, values = self._best(query, rows, refused | is_hidden)
            found: list[tuple[Entry, float]] = []
            # No more entries are looked at than it takes.
            for start in range(0, len(places), fewest):
                some = places[start : start + fewest]
                ids = self.entry_ids[some].tolist()
                shown = allowed(ids)
                near = zip(ids, values[start : start + fewest].tolist(), strict=True)
                found += [(shown[entry_id], value) for entry_id, value in near if entry_id in shown]
                refused[some] = [entry_id not in shown for entry_id in ids]
                if len(found) >= fewest:
                    return found[:fewest]
            if rows >= len(self.matrix):
                return found
            rows *= ROWS_GROW

    def _best(self, query: Vectors, rows: int, closed: Chosen) -> tuple[np.ndarray, np.ndarray]:
        """Places of entries that are not closed, nearest first, and how near they are: of those
        that own one of the `rows` nearest rows, or all when `rows` covers the matrix."""
        near = self._near_rows(query, rows, closed)
        places = np.flatnonzero(~closed) if near is None else np.unique(self.owners[near])
        values = self._nearness(query, places)
        order = np.argsort(-values, kind="stable")
        return places[order], values[order]

    def _near_rows(self, query: Vectors, rows: int, closed: Chosen) -> np.ndarray | None:
        if not closed.any():
            return self.nearest.rows(query, rows, None)
        chosen = ~closed[self.owners]
        is_few = np.count_nonzero(chosen) <= max(FEW_ROWS, rows)
        return None if is_few else self.nearest.rows(query, rows, chosen)

    def nearness(self, query: Vectors, entry_ids: Iterable[int]) -> dict[int, float]:
        """How near those of the entries that have vectors are to the query."""
        asked = np.array(sorted(entry_ids), np.int64)
        places = np.flatnonzero(np.isin(self.entry_ids, asked, assume_unique=True))
        values = self._nearness(query, places)
        return dict(zip(self.entry_ids[places].tolist(), values.tolist(), strict=True))

    def _nearness(self, query: Vectors, places: np.ndarray) -> np.ndarray:
        """The best row of an entry speaks for it, and rows nearly as good speak along: the
        logarithm of a sum that `SHARPNESS` keeps close to the largest cosine."""
        if not len(places):
            return np.empty(0, np.float32)
        counts = self.starts[places + 1] - self.starts[places]
        offsets = np.cumsum(counts) - counts
        rows = np.repeat(self.starts[places] - offsets, counts) + np.arange(counts.sum())
        whole = len(rows) == len(self.matrix)
        cosines = (self.matrix if whole else self.matrix[rows]) @ query
        sums = np.add.reduceat(np.exp(SHARPNESS * (cosines - _MIDDLE)), offsets)
        values: np.ndarray = np.log(sums) / SHARPNESS + _MIDDLE
        return values


def scope_vectors(
    reader: StoreReader,
    scope_id: int,
    space: VectorSpace,
    before: ScopeVectors | None,
    folder: Path | None = None,
) -> ScopeVectors:
    """The vectors of a scope as the reader's snapshot has them.

    Args:
        before: those of another version of the scope; only what differs is read.
        folder: where the graph of a large scope is kept.
    """
    present = np.array(reader.embedded_entries(scope_id, space), np.int64)
    if before is None:
        empty = np.empty((0, space.dimension), np.float32)
        before = _of_rows(np.empty(0, np.int64), empty, AllRows())
    if np.array_equal(present, before.entry_ids):
        return before
    new = np.setdiff1d(present, before.entry_ids, assume_unique=True)
    stays = np.flatnonzero(np.isin(before.entry_ids, present)[before.owners])
    added, added_ids = _read(reader.vectors(scope_id, space, new.tolist()), space.dimension)
    row_ids = np.concatenate([before.entry_ids[before.owners[stays]], added_ids])
    origins = np.concatenate([stays, np.full(len(added), -1)])
    order = np.argsort(row_ids, kind="stable")
    matrix = np.concatenate([before.matrix[stays], added])[order]
    file = folder / str(scope_id) if folder is not None else None
    nearest = _nearest(matrix, before.nearest, origins[order], file)
    return _of_rows(row_ids[order], matrix, nearest)


def vectors_of(
    reader: StoreReader, scope_id: int, space: VectorSpace, entry_ids: list[int]
) -> ScopeVectors:
    """Those of some entries of a scope."""
    matrix, row_ids = _read(reader.vectors(scope_id, space, entry_ids), space.dimension)
    return _of_rows(row_ids, matrix, AllRows())


def _nearest(
    matrix: Vectors, before: NearestRows, origins: np.ndarray, file: Path | None
) -> NearestRows:
    if len(matrix) <= FEW_ROWS:
        return AllRows()
    if len(matrix) < MANY_ROWS:
        return CodedRows(matrix)
    carried = before.carried(matrix, origins) if isinstance(before, GraphRows) else None
    return carried or GraphRows(matrix, Graph(matrix, file), np.arange(len(matrix)))


def _read(rows: Iterable[tuple[int, bytes]], dimension: int) -> tuple[Vectors, np.ndarray]:
    """Rows of damaged entries are left out; `skillcatalog doctor` finds them."""
    ids: list[int] = []
    parts: list[bytes] = []
    for entry_id, of_entry in groupby(rows, key=lambda row: row[0]):
        vectors = [vector for _, vector in of_entry]
        if all(len(vector) == dimension * _BYTES_A_NUMBER for vector in vectors):
            ids += [entry_id] * len(vectors)
            parts += vectors
    matrix = np.frombuffer(b"".join(parts), "<f4").reshape(len(parts), dimension)
    return matrix.astype(np.float32, copy=False), np.array(ids, np.int64)


def _of_rows(row_ids: np.ndarray, matrix: Vectors, nearest: NearestRows) -> ScopeVectors:
    entry_ids, firsts, owners = np.unique(row_ids, return_index=True, return_inverse=True)
    starts = np.append(firsts, len(matrix))
    return ScopeVectors(entry_ids, owners.astype(np.int32), starts, matrix, nearest)
