"""Which rows of a matrix are near to a query: all of them, or by one byte a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

import faiss
import numpy as np

if TYPE_CHECKING:
    from catalog.embedding.embedder import Vectors

FEW_ROWS: Final = 8_000
"""Up to this many rows it is as fast to look at all."""
_LARGEST_CODE: Final = 127


class NearestRows(Protocol):
    def rows(self, query: Vectors, count: int) -> np.ndarray | None:
        """Numbers of the rows that are nearest, in no order; None means all rows."""


class AllRows:
    def rows(self, query: Vectors, count: int) -> np.ndarray | None:  # noqa: ARG002
        return None


class CodedRows:
    """Rows with one byte a number, scanned whole: a quarter of the memory to go through.

    The caller compares the rows that it is given exactly. Codes are off by half a step at
    most, far less than what lies between the best rows and the last of the many asked for.
    """

    def __init__(self, matrix: Vectors) -> None:
        scale = _scale(matrix)
        kind = faiss.ScalarQuantizer.QT_8bit_direct_signed
        self._codes: Any = faiss.IndexScalarQuantizer(
            matrix.shape[1], kind, faiss.METRIC_INNER_PRODUCT
        )
        for start in range(0, len(matrix), FEW_ROWS):
            self._codes.add(np.rint(matrix[start : start + FEW_ROWS] * scale))

    def rows(self, query: Vectors, count: int) -> np.ndarray | None:
        if count >= self._codes.ntotal:
            return None
        _, found = self._codes.search(np.rint(query[None] * _scale(query)), count)
        rows: np.ndarray = found[0]
        return rows[rows >= 0]


def _scale(numbers: Vectors) -> float:
    return _LARGEST_CODE / float(np.abs(numbers).max())
