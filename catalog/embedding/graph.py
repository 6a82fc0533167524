"""Nearest rows of a large matrix by an HNSW graph, built beside the searches that wait for it.

A graph takes minutes to build, so it is built on a thread while rows are scanned, carried on
over small changes, and kept in a file. The file is named after the hash of the rows that it
was built from and begins with the hash of its own bytes: whatever does not fit is not read,
and the graph is built anew.
"""

from __future__ import annotations

import hashlib
import logging
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import faiss
import numpy as np

from catalog.embedding.nearest import CodedRows, NearestRows, selector

if TYPE_CHECKING:
    from catalog.embedding.embedder import Vectors
    from catalog.embedding.nearest import Chosen

MANY_ROWS: Final = 100_000
"""From this many on a graph is built."""
MOST_CHANGES: Final = 0.1
"""Share of added and removed rows over which a graph is built anew."""
MOST_BY_GRAPH: Final = 2_048
"""For more rows at once all are looked at."""
_LINKS: Final = 32
_EFFORT: Final = 80
_DIGEST_BYTES: Final = 32
_LOG = logging.getLogger(__name__)


class Graph:
    """The HNSW graph of one matrix; `index` is None until it is there."""

    def __init__(self, matrix: Vectors, file: Path | None) -> None:
        self.size = len(matrix)
        self.index: Any = None
        self.thread = threading.Thread(
            target=self._build, args=(matrix, file), name="vector graph", daemon=True
        )
        self.thread.start()

    def _build(self, matrix: Vectors, file: Path | None) -> None:
        if file is not None:
            digest = hashlib.sha256(np.ascontiguousarray(matrix).data).hexdigest()[:32]
            file = file.with_name(f"{file.name}-{digest}.hnsw")
            self.index = _kept(file, matrix)
            if self.index is not None:
                return
        index = faiss.IndexHNSWFlat(matrix.shape[1], _LINKS, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction = _EFFORT
        index.add(matrix)
        self.index = index
        if file is not None:
            _keep(index, file)


class GraphRows:
    """Rows of a matrix of which a graph knows most.

    Args:
        graph: of this matrix or of an earlier one.
        places: for each row of the graph, where it is in this matrix; -1 where it is gone.
    """

    def __init__(self, matrix: Vectors, graph: Graph, places: np.ndarray) -> None:
        self._graph = graph
        self._places = places
        self._is_present = places >= 0
        known = np.zeros(len(matrix), bool)
        known[places[self._is_present]] = True
        self._added = np.flatnonzero(~known)
        self._scan: NearestRows | None = CodedRows(matrix) if graph.index is None else None
        self._size = len(matrix)
        self._is_whole = bool(self._is_present.all())

    def rows(self, query: Vectors, count: int, chosen: Chosen | None) -> np.ndarray | None:
        index = self._graph.index
        if index is None:
            return self._scan.rows(query, count, chosen) if self._scan is not None else None
        self._scan = None
        if count >= min(self._size, MOST_BY_GRAPH):
            return None
        _, found = index.search(query[None], count, params=self._parameters(count, chosen))
        places = self._places[found[0][found[0] >= 0]]
        added = self._added if chosen is None else self._added[chosen[self._added]]
        rows: np.ndarray = np.concatenate([places, added])
        return rows

    def _parameters(self, count: int, chosen: Chosen | None) -> Any:
        """Of the graph's rows those that are present still, and chosen."""
        present: Chosen | None = self._is_present
        if chosen is not None:
            present = self._is_present & chosen[self._places]
        elif self._is_whole:
            present = None
        return faiss.SearchParametersHNSW(  # type: ignore[attr-defined]
            efSearch=2 * count, sel=selector(present)
        )

    def carried(self, matrix: Vectors, origins: np.ndarray) -> GraphRows | None:
        """The same graph for a matrix with a few other rows; None where it is too many.

        Args:
            origins: for each row of the new matrix its number in this one, or -1.
        """
        stays = origins >= 0
        moved = np.full(self._size, -1, np.int64)
        moved[origins[stays]] = np.flatnonzero(stays)
        places = np.where(self._is_present, moved[self._places], -1)
        present = int((places >= 0).sum())
        changes = len(places) - present + len(matrix) - present
        if self._graph.index is None or changes > MOST_CHANGES * len(places):
            return None
        return GraphRows(matrix, self._graph, places)


def _kept(file: Path, matrix: Vectors) -> Any:
    """The graph of that file, or None where it is absent, damaged or of another shape."""
    try:
        data = file.read_bytes()
    except OSError:
        return None
    if hashlib.sha256(data[_DIGEST_BYTES:]).digest() != data[:_DIGEST_BYTES]:
        _LOG.warning("a kept vector graph is damaged; it is built anew")
        return None
    index = faiss.deserialize_index(np.frombuffer(data, np.uint8)[_DIGEST_BYTES:])
    return index if (index.ntotal, index.d) == matrix.shape else None


def _keep(index: Any, file: Path) -> None:
    data = faiss.serialize_index(index).tobytes()
    scope = file.name.split("-", 1)[0]
    try:
        file.parent.mkdir(mode=0o700, exist_ok=True)
        written = file.with_name(f"{file.name}.{os.getpid()}")
        written.write_bytes(hashlib.sha256(data).digest() + data)
        written.replace(file)
        for other in file.parent.glob(f"{scope}-*.hnsw"):
            if other != file:
                other.unlink(missing_ok=True)
    except OSError as error:
        # The next start builds it again; searches need no file.
        _LOG.warning("a vector graph cannot be kept: %s", error.strerror)
