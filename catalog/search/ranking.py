"""How well a document answers a query: one number from its profile and term frequencies.

The engine only finds candidates; this arithmetic orders them, so every engine gives the same
order. A term counts by its rarity among what the caller sees and by where it stands, with
less for each repetition; then come the share of the query that occurs at all, the share of
the name that the query holds, and words that are neighbours in both.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import compress
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from catalog.search.field_worths import weighted
from catalog.search.occurrences import NUMBER, Asked, Numbers
from catalog.search.profile import (
    MAX_BODY_COUNT,
    MAX_FIELD_COUNT,
    SHIFTS,
    Field,
    Profile,
    short_key,
)
from catalog.search.query import MAX_QUERY_TERMS, AnalysedQuery, QueryTerm
from catalog.search.sequences import InOrder, Sequences, pairs
from catalog.search.weights import (
    LEARNED,
    Weights,
)
from catalog.text.analysis import WordKind

MAX_IN_FULL: Final = 24
"""Candidates of which the order of the words is looked at: the best by the words alone."""

Values: TypeAlias = NDArray[np.float64]

_NAME: Final = MAX_FIELD_COUNT << SHIFTS[Field.NAME]
_CARD: Final = sum(
    MAX_FIELD_COUNT << SHIFTS[field] for field in Field if field not in (Field.BODY, Field.NOT_FOR)
)
_LEAST: Final = 0.02
PLAIN_STOP_WORD: Final = 0.25
"""Of a word's rarity, what a stop word keeps in a pair of neighbours."""


class Scored(NamedTuple):
    value: float
    entry_id: int


class Matched(NamedTuple):
    """The terms of a query that stand in a document, and the fields that they stand in."""

    terms: tuple[str, ...]
    fields: tuple[str, ...]


class Ranking:
    """The worth of the terms of one query among one set of visible documents.

    Args:
        documents: how many the caller sees.
        frequencies: in how many of them each term key occurs.
    """

    def __init__(
        self,
        query: AnalysedQuery,
        documents: int,
        frequencies: Mapping[int, int],
        weights: Weights = LEARNED,
    ) -> None:
        self.weights = weights
        self._documents = documents
        rarity = {
            term.key: _rarity(frequencies.get(term.key, 0), documents) for term in query.terms
        }
        terms = query.terms
        if len(terms) > MAX_QUERY_TERMS:
            terms = tuple(sorted(terms, key=lambda term: -rarity[term.key])[:MAX_QUERY_TERMS])
        has_pairs = any(term.kind is WordKind.PAIR for term in terms)
        self.terms = terms
        self.rarity = rarity
        weight = {
            term.key: rarity[term.key] ** weights.rarity * _factor(term, has_pairs, weights)
            for term in terms
        }
        total = sum(weight.values()) or 1.0
        # The others stand in no document that could be asked for them.
        self.held = [term for term in terms if frequencies.get(term.key)]
        plain = {
            term.key: rarity[term.key] * (PLAIN_STOP_WORD if term.is_stop_word else 1)
            for term in terms
            if term.in_sequence
        }
        whole = sum(plain.values()) or 1.0
        words = {term.key: plain[term.key] / whole for term in self.held if term.in_sequence}
        neighbours = pairs(query.neighbours, words)
        keys = [
            (short_key(term.key), short_key(term.english_key), short_key(term.exact_key))
            for term in self.held
        ]
        numbers = {key for forms in keys for key in forms}
        self.asked = Asked(numbers.union([pair.number for pair in neighbours]))
        self.rows, self.english_rows, self.exact_rows = (
            self.asked.rows(forms[which] for forms in keys) for which in range(3)
        )
        self.has_other_stems = any(term.english_key != term.key for term in self.held)
        self.share = _column([weight[term.key] / total for term in self.held])
        self.counts = _column([term.in_sequence for term in self.held]) > 0
        self.sequences = Sequences(neighbours, words, self.asked)

    def known_words(self) -> float:
        """How many words of the query that carry meaning stand in a document. A word of one
        document counts as one, a frequent one less."""
        rarity = sum(term.words * self.rarity[term.key] for term in self.held)
        return rarity / _rarity(1, self._documents) if rarity else 0.0

    def read(self, profiles: Mapping[int, Profile]) -> Reading:
        """What stands of the query in those profiles, by entry id."""
        return Reading(self, profiles)


class Reading:
    """What stands of one query in some documents: `entry_ids`, ascending, are the columns and
    the terms of `Ranking.held` the rows of `values`, their packed counts or 0."""

    def __init__(self, ranking: Ranking, profiles: Mapping[int, Profile]) -> None:
        self._ranking = ranking
        self.entry_ids = sorted(profiles)
        self._profiles = [profiles[entry_id] for entry_id in self.entry_ids]
        at, row, column = ranking.asked.occurrences([found.keys for found in self._profiles])
        packed = np.frombuffer(b"".join([found.values for found in self._profiles]), NUMBER)
        self._packed: Numbers = np.zeros((len(ranking.asked.row), len(self._profiles)), NUMBER)
        self._packed[row, column] = packed[at]
        self.values: Numbers = self._packed[ranking.rows]
        if ranking.has_other_stems:
            english = self._packed[ranking.english_rows]
            self.values = np.where(self.values, self.values, english)
        self.lengths = np.frombuffer(
            b"".join([found.lengths for found in self._profiles]), "<u2"
        ).reshape(-1, len(Field))

    def ranked(self) -> Iterator[Scored]:
        """The documents, best first; equal ones by id.

        Where there are many, their words choose the best, and only of those the order of the
        words is looked at; the others follow.
        """
        worth = self._by_words()
        order = np.argsort(-worth, kind="stable")
        best, rest = order[:MAX_IN_FULL], order[MAX_IN_FULL:]
        in_full = worth[best] + self._by_order(best)
        again = np.lexsort((best, -in_full))
        lowest = in_full.min(initial=math.inf)
        for values, columns in (
            (in_full[again], best[again]),
            (np.minimum(worth[rest], lowest), rest),
        ):
            for value, column in zip(values.tolist(), columns.tolist(), strict=True):
                yield Scored(value, self.entry_ids[column])

    def matched(self, entry_ids: Sequence[int]) -> list[Matched]:
        """What stands in each of some of the documents."""
        columns = [bisect_left(self.entry_ids, entry_id) for entry_id in entry_ids]
        values = self.values[:, columns]
        texts = [term.text for term in self._ranking.held]
        fields = map(_field_names, np.bitwise_or.reduce(values, axis=0).tolist())
        return [
            Matched(tuple(compress(texts, of_document)), names)
            for of_document, names in zip(values.T.tolist(), fields, strict=True)
        ]

    @cached_property
    def on_card(self) -> NDArray[np.bool_]:
        """Whether each term stands anywhere but in the body and where it is not wanted."""
        on_card: NDArray[np.bool_] = self.values & _CARD != 0
        return on_card

    @cached_property
    def exact(self) -> NDArray[np.bool_]:
        """Whether the very form of each term stands there."""
        present: NDArray[np.bool_] = self._packed[self._ranking.exact_rows] != 0
        return self.on_card & present

    @cached_property
    def names(self) -> Values:
        """The share of each document's name that the query holds."""
        named = (self.values & _NAME != 0) & self._ranking.counts
        words = self.lengths[:, Field.NAME]
        share: Values = np.minimum(named.sum(axis=0), words) / np.maximum(words, 1)
        return share

    def in_order(self, columns: NDArray[np.intp]) -> InOrder:
        """Of some of the documents."""
        profiles = [self._profiles[column] for column in columns.tolist()]
        return self._ranking.sequences.read(profiles, self._packed[:, columns] != 0)

    def _by_words(self) -> Values:
        weights, share = self._ranking.weights, self._ranking.share
        held = self.values != 0
        worth = np.maximum(weighted(self.values, self.lengths, weights), _LEAST)
        worth = np.where(held, worth, 0.0)
        matched = share * (worth / (worth + weights.half) + weights.exact * self.exact)
        covers = share * held
        value: Values = (
            weights.matched * matched.sum(axis=0)
            + weights.anywhere * covers.sum(axis=0)
            + weights.name * self.names
        )
        return value

    def _by_order(self, columns: NDArray[np.intp]) -> Values:
        weights = self._ranking.weights
        found = self.in_order(columns)
        worth: Values = (
            weights.neighbours * found.outside
            + weights.body_neighbours * found.inside
            + weights.phrase * found.phrase
        )
        return worth


def _rarity(frequency: int, documents: int) -> float:
    return math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


def _factor(term: QueryTerm, has_pairs: bool, weights: Weights) -> float:
    factor = weights.stop_word if term.is_stop_word else 1.0
    if term.kind is WordKind.CHARACTER and has_pairs:
        factor *= weights.character
    elif term.kind is WordKind.WHOLE:
        factor *= weights.whole
    elif term.kind is WordKind.PART:
        factor *= weights.part
    elif term.kind is WordKind.PAIR:
        factor *= weights.pair
    return factor


@lru_cache(maxsize=4_096)
def _field_names(union: int) -> tuple[str, ...]:
    return tuple(
        field.name.lower()
        for field in Field
        if union >> SHIFTS[field] & (MAX_BODY_COUNT if field is Field.BODY else MAX_FIELD_COUNT)
    )


def _column(values: Sequence[float]) -> Values:
    return np.array(values, np.float64).reshape(-1, 1)
