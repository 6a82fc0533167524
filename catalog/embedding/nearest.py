"""Which rows of a matrix are near to a query: all of them, or by one byte a number.

Rows that may not answer are passed over inside the search: as many others are found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

import faiss
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from catalog.embedding.embedder import Vectors

    Chosen = NDArray[np.bool_]

FEW_ROWS: Final = 8_000
"""Up to this many rows it is as fast to look at all."""
_LARGEST_CODE: Final = 127


class NearestRows(Protocol):
    def rows(self, query: Vectors, count: int, chosen: Chosen | None) -> np.ndarray | None:
        """Numbers of the chosen rows that are nearest, in no order; None means all of them.

        Args:
            chosen: for each row whether it may answer; None where all may.
        """


class AllRows:
    def rows(
        self,
        query: Vectors,  # noqa: ARG002
        count: int,  # noqa: ARG002
        chosen: Chosen | None,  # noqa: ARG002
    ) -> np.ndarray | None:
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

    def rows(self, query: Vectors, count: int, chosen: Chosen | None) -> np.ndarray | None:
        if count >= self._codes.ntotal:
            return None
        only = faiss.SearchParameters(sel=selector(chosen))  # type: ignore[call-arg]
        _, found = self._codes.search(np.rint(query[None] * _scale(query)), count, params=only)
        rows: np.ndarray = found[0]
        return rows[rows >= 0]


def selector(chosen: Chosen | None) -> Any:
    """What FAISS asks of each row before it counts as found."""
    if chosen is None:
        return None
    return faiss.IDSelectorBitmap(np.packbits(chosen, bitorder="little"))  # type: ignore[call-arg,arg-type]


def _scale(numbers: Vectors) -> float:
    return _LARGEST_CODE / float(np.abs(numbers).max())
