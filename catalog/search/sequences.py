"""The order of a query's words: neighbours, and what people are quoted to say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from catalog.search.occurrences import NUMBER, Asked
from catalog.search.profile import Profile, short_key

Shares: TypeAlias = NDArray[np.float64]


class Pair(NamedTuple):
    """Two terms, by their short keys, that follow one another in a query; the number by which
    a profile knows the pair, and its share of what the query is worth."""

    first: int
    second: int
    number: int
    share: float


def pairs(neighbours: Sequence[tuple[int, int, int]], shares: Mapping[int, float]) -> list[Pair]:
    """The pairs of which both terms have a share, by their keys."""
    return [
        Pair(short_key(first), short_key(second), number, min(shares[first], shares[second]))
        for first, second, number in neighbours
        if first in shares and second in shares
    ]


class InOrder(NamedTuple):
    """For each document the share of the query's neighbouring words that are neighbours
    outside the body, that in the body, and how like the query its best phrase is: the share
    of the query that it holds, times the share of it that the query holds."""

    outside: Shares
    inside: Shares
    phrase: Shares


class Sequences:
    """What is asked of the order of words.

    Args:
        words: by key, the share of each term that follows others.
        asked: the short keys of the terms and the numbers of the pairs, among others.
    """

    def __init__(self, pairs: Sequence[Pair], words: Mapping[int, float], asked: Asked) -> None:
        self._asked = asked
        self._first = asked.rows(pair.first for pair in pairs)
        self._second = asked.rows(pair.second for pair in pairs)
        self._number = asked.rows(pair.number for pair in pairs)
        self._pair_shares: Shares = np.array([[pair.share] for pair in pairs]).reshape(-1, 1)
        self._shares: Shares = np.zeros(len(asked.row))
        self._shares[asked.rows(map(short_key, words))] = list(words.values())

    def read(self, profiles: Sequence[Profile], present: NDArray[np.bool_]) -> InOrder:
        """Args:
        present: whether each number asked for (rows) is a term of each document (columns).
        """
        count = len(profiles)
        phrases = [profile.phrases for profile in profiles]
        lists = [profile.neighbours for profile in profiles]
        lists += [profile.body_neighbours for profile in profiles]
        at, row, column = self._asked.occurrences([*lists, *phrases])
        held = np.zeros((len(self._shares), 3 * count), bool)
        held[row, column] = True
        both = present[self._first] & present[self._second]
        pairs = held[self._number]
        outside, inside = (
            (self._pair_shares * (both & pairs[:, start : start + count])).sum(axis=0)
            for start in (0, count)
        )
        first = column.searchsorted(2 * count)
        start = sum(map(len, lists)) // NUMBER.itemsize
        phrase = self._likeness(phrases, at[first:] - start, row[first:], column[first:])
        return InOrder(outside, inside, phrase)

    def _likeness(
        self,
        phrases: Sequence[bytes],
        at: NDArray[np.intp],
        row: NDArray[np.intp],
        column: NDArray[np.intp],
    ) -> Shares:
        best: Shares = np.zeros(len(phrases))
        if len(at):
            ends = (np.frombuffer(b"".join(phrases), NUMBER) == 0).nonzero()[0]
            phrase = ends.searchsorted(at)
            lengths = np.diff(ends, prepend=-1) - 1
            share = np.bincount(phrase, self._shares[row], len(ends))
            held = np.bincount(phrase, self._shares[row] > 0, len(ends))
            like = share * held / np.maximum(lengths, 1)
            np.maximum.at(best, column - 2 * len(phrases), like[phrase])
        return best
