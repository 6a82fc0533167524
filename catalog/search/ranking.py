"""How well a document answers a query: one number from its profile and term frequencies.

The engine only finds candidates; this arithmetic orders them, so every engine gives the same
order. A term counts by its rarity among what the caller sees and by where it stands, with
less for each repetition; then come the share of the query that occurs at all, the share of
the name that the query holds, and words that are neighbours in both.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from catalog.search.profile import (
    MAX_BODY_COUNT,
    MAX_FIELD_COUNT,
    SHIFTS,
    Field,
    Profile,
    phrase_key,
)
from catalog.search.query import MAX_QUERY_TERMS, AnalysedQuery, QueryTerm
from catalog.search.weights import (
    LEARNED,
    TYPICAL_BODY_WORDS,
    TYPICAL_DESCRIPTION_WORDS,
    TYPICAL_USE_WHEN_WORDS,
    Weights,
)
from catalog.text.analysis import WordKind

MAX_IN_FULL: Final = 32
"""Candidates that are looked at in full: the best by their content words."""

_BODY: Final = MAX_BODY_COUNT
_NAME: Final = MAX_FIELD_COUNT << SHIFTS[Field.NAME]
_NOT_FOR: Final = MAX_FIELD_COUNT << SHIFTS[Field.NOT_FOR]
_CARD: Final = sum(
    MAX_FIELD_COUNT << SHIFTS[field] for field in Field if field not in (Field.BODY, Field.NOT_FOR)
)


class Scored(NamedTuple):
    value: float
    entry_id: int


class Ranking:
    """The scoring of one query against one set of visible documents.

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
        self._weights = weights
        rarity = {
            term.key: _rarity(frequencies.get(term.key, 0), documents) for term in query.terms
        }
        terms = query.terms
        if len(terms) > MAX_QUERY_TERMS:
            terms = tuple(sorted(terms, key=lambda term: -rarity[term.key])[:MAX_QUERY_TERMS])
        has_pairs = any(term.kind is WordKind.PAIR for term in terms)
        self.terms = terms
        weight = {
            term.key: rarity[term.key] ** weights.rarity * _factor(term, has_pairs, weights)
            for term in terms
        }
        self._total = sum(weight.values()) or 1.0
        share = {key: value / self._total for key, value in weight.items()}
        # The others stand in no document that could be asked for them.
        held = [term for term in terms if frequencies.get(term.key)]
        self._held = [(term.key, term.english_key, term.text) for term in held]
        self._lookups = [
            (
                term.key,
                term.english_key if term.english_key != term.key else None,
                term.exact_key,
                share[term.key],
                int(term.in_sequence),
            )
            for term in held
        ]
        self._content = [
            (key, share[term.key])
            for term in held
            if term.is_content
            for key in dict.fromkeys((term.key, term.english_key))
        ]
        self.rarity = rarity
        plain = {
            term.key: rarity[term.key] * (PLAIN_STOP_WORD if term.is_stop_word else 1)
            for term in terms
            if term.in_sequence
        }
        whole = sum(plain.values()) or 1.0
        self._words = {phrase_key(key): worth / whole for key, worth in plain.items()}
        self._neighbours = [
            (first, second, number, min(plain[first], plain[second]) / whole)
            for first, second, number in query.neighbours
            if first in plain and second in plain and frequencies.get(first)
        ]
        self._fields = _FIELD_VALUES.setdefault(weights, _FieldValues(weights))
        self._rough_worth = _ROUGH_WORTHS.setdefault(weights, _RoughWorths(weights))

    def ranked(self, profiles: Mapping[int, Profile], depth: int) -> list[Scored]:
        """The best `depth` documents or more, best first; equal ones by id.

        Where there are many, their content words choose the best, and only those are looked
        at in full; the others follow.
        """
        chosen: Mapping[int, Profile] = profiles
        rest: list[tuple[float, int]] = []
        if len(profiles) > MAX_IN_FULL:
            rough = self._roughly_scored(profiles)
            chosen = {entry_id: profiles[entry_id] for _, entry_id in rough[:MAX_IN_FULL]}
            rest = rough[MAX_IN_FULL:depth]
        best = [
            Scored(value + self._in_sequence(chosen[entry_id]), entry_id)
            for value, entry_id in self._scored(chosen)
        ]
        best.sort(key=_best_first)
        lowest = best[-1].value if best else 0.0
        return best + [Scored(min(-value, lowest), entry_id) for value, entry_id in rest]

    def _roughly_scored(self, profiles: Mapping[int, Profile]) -> list[tuple[float, int]]:
        """Negative scores and ids, best first, by content words alone, as if every text were
        of typical length."""
        lookups, worth = self._content, self._rough_worth
        found = []
        for entry_id, profile in profiles.items():
            terms = profile.terms
            scores = [share * worth[terms[key]] for key, share in lookups if key in terms]
            found.append((-sum(scores), entry_id))
        found.sort()
        return found

    def matched(self, profile: Profile) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The terms of the query that stand in the document, and the fields they stand in."""
        get = profile.terms.get
        texts, union = [], 0
        for key, english_key, text in self._held:
            value = get(key) or get(english_key)
            if value is not None:
                texts.append(text)
                union |= value
        return tuple(texts), _field_names(union)

    def names(self, profile: Profile) -> float:
        """The share of the name's words that the query holds."""
        terms, words = profile.terms, profile.lengths[Field.NAME]
        held = sum(counts for key, *_, counts in self._lookups if terms.get(key, 0) & _NAME)
        return min(1.0, held / words) if words else 0.0

    def _scored(self, profiles: Mapping[int, Profile]) -> list[tuple[float, int]]:
        weights, lookups = self._weights, self._lookups
        fields, half = self._fields, weights.half
        plain_length, asked_length = weights.description_length, weights.use_when_length
        body_length = weights.body_length
        body_weight, exact = weights.body, weights.exact
        found: list[tuple[float, int]] = []
        for entry_id, profile in profiles.items():
            terms = profile.terms
            get = terms.get
            body_words, name_words, _, plain, asked, *_rest = profile.lengths
            of_plain = 1 / (1 - plain_length + plain_length * plain / TYPICAL_DESCRIPTION_WORDS)
            of_asked = 1 / (1 - asked_length + asked_length * asked / TYPICAL_USE_WHEN_WORDS)
            of_body = body_weight / (
                1 - body_length + body_length * body_words / TYPICAL_BODY_WORDS
            )
            matched = covers = 0.0
            named = 0
            for key, english_key, exact_key, share, counts in lookups:
                value = get(key)
                if value is None:
                    if english_key is None:
                        continue
                    value = get(english_key)
                    if value is None:
                        continue
                covers += share
                if value <= _BODY:
                    weighted = value * of_body
                else:
                    fixed, in_plain, in_asked, card = fields[value]
                    weighted = (
                        fixed
                        + in_plain * of_plain
                        + in_asked * of_asked
                        + (value & _BODY) * of_body
                    )
                    if card:
                        if value & _NAME:
                            named += counts
                        if exact_key in terms:
                            matched += share * exact
                    if weighted < _LEAST:
                        weighted = _LEAST
                matched += share * weighted / (weighted + half)
            value_of_name = weights.name * min(named, name_words) / name_words if named else 0.0
            found.append(
                (
                    weights.matched * matched + weights.anywhere * covers + value_of_name,
                    entry_id,
                )
            )
        return found

    def _in_sequence(self, profile: Profile) -> float:
        weights = self._weights
        outside, inside = self.neighbours(profile)
        return (
            weights.neighbours * outside
            + weights.body_neighbours * inside
            + weights.phrase * self.phrase(profile.phrases)
        )

    def neighbours(self, profile: Profile) -> tuple[float, float]:
        """The share of the query's neighbouring words that are neighbours outside the body,
        and in it."""
        terms = profile.terms
        outside = inside = 0.0
        for first, second, number, worth in self._neighbours:
            if first in terms and second in terms:
                if _holds(profile.neighbours, number):
                    outside += worth
                if _holds(profile.body_neighbours, number):
                    inside += worth
        return outside, inside

    def phrase(self, phrases: Iterable[int]) -> float:
        """For the phrase most like the query: the share of the query that it holds, times
        the share of it that the query holds."""
        worth_of = self._words.get
        best = share = 0.0
        held = length = 0
        for key in phrases:
            if key:
                length += 1
                worth = worth_of(key)
                if worth is not None:
                    held += 1
                    share += worth
                continue
            if held and share * held / length > best:
                best = share * held / length
            share = 0.0
            held = length = 0
        return best


def _holds(ascending: Sequence[int], number: int) -> bool:
    at = bisect_left(ascending, number)
    return at < len(ascending) and ascending[at] == number


def _best_first(item: tuple[float, int]) -> tuple[float, int]:
    return -item[0], item[1]


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


_LEAST: Final = 0.02
PLAIN_STOP_WORD: Final = 0.25
"""Of a word's rarity, what a stop word keeps in a pair of neighbours."""


class _FieldValues(dict[int, tuple[float, float, float, bool]]):
    """For a term's packed counts: what its fields are worth, those of the description and of
    the use-when sentences apart, and whether it stands on the card. Counts repeat, so this
    is a small table."""

    def __init__(self, weights: Weights) -> None:
        super().__init__()
        self._plain, self._asked = weights.description, weights.use_when
        self._fixed = (
            (SHIFTS[Field.NAME], weights.name_field),
            (SHIFTS[Field.TITLE], weights.title),
            (SHIFTS[Field.QUOTED], weights.quoted),
            (SHIFTS[Field.NOT_FOR], -weights.not_for),
            (SHIFTS[Field.TAGS], weights.tags),
            (SHIFTS[Field.HEADINGS], weights.headings),
        )

    def __missing__(self, value: int) -> tuple[float, float, float, bool]:
        found = self[value] = (
            sum(weight * (value >> shift & MAX_FIELD_COUNT) for shift, weight in self._fixed),
            self._plain * (value >> SHIFTS[Field.DESCRIPTION] & MAX_FIELD_COUNT),
            self._asked * (value >> SHIFTS[Field.USE_WHEN] & MAX_FIELD_COUNT),
            bool(value & _CARD),
        )
        return found


class _RoughWorths(dict[int, float]):
    """What a term of those packed counts adds to a text of typical length, per share."""

    def __init__(self, weights: Weights) -> None:
        super().__init__()
        self._weights, self._fields = weights, _FieldValues(weights)

    def __missing__(self, value: int) -> float:
        weights = self._weights
        fixed, in_plain, in_asked, _ = self._fields[value]
        body = weights.body * (value & _BODY)
        weighted = max(_LEAST, fixed + in_plain + in_asked + body)
        found = self[value] = (
            weights.matched * weighted / (weighted + weights.half) + weights.anywhere
        )
        return found


_FIELD_VALUES: Final[dict[Weights, _FieldValues]] = {}
_ROUGH_WORTHS: Final[dict[Weights, _RoughWorths]] = {}


@lru_cache(maxsize=4_096)
def _field_names(union: int) -> tuple[str, ...]:
    return tuple(
        field.name.lower()
        for field in Field
        if union >> SHIFTS[field] & (MAX_BODY_COUNT if field is Field.BODY else MAX_FIELD_COUNT)
    )
