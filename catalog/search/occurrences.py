"""Where a few numbers occur in many lists of numbers, all lists looked through at once.

One search asks some dozens of numbers of the profiles of all its candidates. To look up each
in each is thousands of steps; here the lists are laid end to end and looked through with a
table of 16 bits, which passes few numbers that are not asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

NUMBER: Final = np.dtype("<u4")
_HALF: Final = np.dtype("<u2")

Numbers: TypeAlias = NDArray[np.uint32]
Places: TypeAlias = NDArray[np.intp]


class Occurrences(NamedTuple):
    """Occurrence `i` is of the number of row `row[i]`, in list `column[i]`, and is number
    `at[i]` of all the lists laid end to end. `at`, and so `column`, ascends."""

    at: Places
    row: Places
    column: Places


class Asked:
    """Distinct 32-bit numbers to look for. `row` has their places among them, ascending."""

    def __init__(self, numbers: Iterable[int]) -> None:
        ascending = sorted(set(numbers))
        self.row = {number: row for row, number in enumerate(ascending)}
        self._numbers: Numbers = np.array(ascending, NUMBER)
        self._low_halves = np.zeros(1 << 16, bool)
        self._low_halves[self._numbers & 0xFFFF] = True

    def rows(self, numbers: Iterable[int]) -> Places:
        """The rows of some of them."""
        return np.array([self.row[number] for number in numbers], np.intp)

    def occurrences(self, lists: Sequence[bytes]) -> Occurrences:
        """Args:
        lists: each of 32-bit numbers, the lowest byte first.
        """
        together = np.frombuffer(b"".join(lists), NUMBER)
        low = together.view(_HALF)[::2].astype(np.intp)
        at = self._low_halves.take(low, mode="wrap").nonzero()[0]
        found = together[at]
        row = np.minimum(self._numbers.searchsorted(found), len(self._numbers) - 1)
        right = self._numbers[row] == found
        if not right.all():
            at, row = at[right], row[right]
        ends = np.array([*map(len, lists)], np.intp).cumsum() // NUMBER.itemsize
        return Occurrences(at, row, ends.searchsorted(at, side="right"))
