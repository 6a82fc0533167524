"""What one occurrence of a term is worth, by the field it stands in and how long that is."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from catalog.search.occurrences import Numbers
from catalog.search.profile import FIELD_BITS, MAX_BODY_COUNT, MAX_FIELD_COUNT, SHIFTS, Field
from catalog.search.weights import (
    TYPICAL_BODY_WORDS,
    TYPICAL_DESCRIPTION_WORDS,
    TYPICAL_USE_WHEN_WORDS,
    Weights,
)

Worths: TypeAlias = NDArray[np.float64]


def weighted(values: Numbers, lengths: NDArray[np.uint16], weights: Weights) -> Worths:
    """What the occurrences of each term (rows) in each document (columns) are worth, before
    they saturate.

    Args:
        values: their packed counts.
        lengths: words of each document (rows) by field (columns).
    """
    worth = _by_bits(weights)
    low, high = (values & _LOW).astype(np.intp), (values >> _LOW_BITS).astype(np.intp)
    of_body, of_plain, of_asked = _of_one_occurrence(weights, lengths)
    found: Worths = (
        worth.names.take(low)
        + worth.description.take(low) * of_plain
        + worth.use_when.take(high) * of_asked
        + worth.others.take(high)
        + (values & MAX_BODY_COUNT) * of_body
    )
    return found


_LENGTHS_THAT_MATTER: Final = [Field.BODY, Field.DESCRIPTION, Field.USE_WHEN]
_TYPICAL: Final = np.array(
    [[TYPICAL_BODY_WORDS], [TYPICAL_DESCRIPTION_WORDS], [TYPICAL_USE_WHEN_WORDS]]
)


def _of_one_occurrence(weights: Weights, lengths: NDArray[np.uint16]) -> Worths:
    """What one occurrence counts in the body, the description and the use-when sentences
    (rows) of each document (columns): less in a longer one."""
    strength = np.array(
        [[weights.body_length], [weights.description_length], [weights.use_when_length]]
    )
    one = np.array([[weights.body], [weights.description], [weights.use_when]])
    lowered: Worths = one / (1 - strength + strength / _TYPICAL * lengths.T[_LENGTHS_THAT_MATTER])
    return lowered


class _Worths(NamedTuple):
    """By the lower bits of packed counts (`names`, `description`) or the higher: what name and
    title are worth, how often the fields whose length matters hold the term, and what the
    remaining fields are worth."""

    names: Worths
    description: Worths
    use_when: Worths
    others: Worths


_LOW_BITS: Final = SHIFTS[Field.USE_WHEN]
_LOW: Final = (1 << _LOW_BITS) - 1


@lru_cache(maxsize=16)
def _by_bits(weights: Weights) -> _Worths:
    low = np.arange(1 << _LOW_BITS)
    high = np.arange(1 << SHIFTS[-1] + FIELD_BITS - _LOW_BITS) << _LOW_BITS

    def count(packed: NDArray[np.int64], field: Field) -> Worths:
        return (packed >> SHIFTS[field] & MAX_FIELD_COUNT).astype(np.float64)

    return _Worths(
        weights.name_field * count(low, Field.NAME) + weights.title * count(low, Field.TITLE),
        count(low, Field.DESCRIPTION),
        count(high, Field.USE_WHEN),
        weights.quoted * count(high, Field.QUOTED)
        - weights.not_for * count(high, Field.NOT_FOR)
        + weights.tags * count(high, Field.TAGS)
        + weights.headings * count(high, Field.HEADINGS),
    )
