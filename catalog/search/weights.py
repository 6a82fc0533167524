"""The numbers of the ranking.

Learned by `python -m benchmarks.tune_ranking` from prompts that authors wrote for their own
documents: a smooth nDCG with a penalty for leaving plain starting values, and judged
on whole repositories that were left out. Numbers are few and start from plain values on
purpose: documents and prompts of other authors are what they are for.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """Args:
    body to headings: how much one occurrence in each field counts; `not_for` takes away.
    half: occurrences, so weighted, at which a term counts half of what it can.
    body_length, description_length, use_when_length: how much the length of the field lowers
        an occurrence in it.
    rarity: power of a term's rarity.
    stop_word, character, whole, part, pair: factors for words that carry little meaning,
        single characters beside pairs, whole identifiers, their parts, and the pairs of a run
        without spaces (of which there are many for one word).
    exact: added for a term whose very form stands outside the body.
    matched, anywhere: for the share of the query's weight that occurs, saturated by how
        often and where, and that occurs at all.
    name: for the share of the name's words that the query holds.
    neighbours, body_neighbours: for the share of the query's neighbouring words that are
        neighbours outside the body, and in it.
    phrase: for the quoted phrase that is most like the query.
    """

    body: float = 0.4
    name_field: float = 4.0
    title: float = 2.0
    description: float = 2.0
    use_when: float = 3.0
    quoted: float = 3.0
    not_for: float = 0.5
    tags: float = 2.0
    headings: float = 0.5
    half: float = 2.0
    body_length: float = 0.5
    description_length: float = 0.25
    use_when_length: float = 0.6
    rarity: float = 0.6
    stop_word: float = 0.4
    character: float = 0.05
    whole: float = 0.5
    part: float = 0.3
    pair: float = 0.12
    exact: float = 0.03
    matched: float = 20.0
    anywhere: float = 2.0
    name: float = 1.0
    neighbours: float = 20.0
    body_neighbours: float = 5.0
    phrase: float = 6.0


LEARNED = Weights(
    body=0.401,
    name_field=3.871,
    title=1.966,
    description=1.987,
    use_when=3.28,
    quoted=3.006,
    not_for=0.484,
    tags=1.95,
    headings=0.462,
    half=1.665,
    body_length=0.473,
    description_length=0.235,
    use_when_length=0.599,
    rarity=0.61,
    stop_word=0.366,
    character=0.054,
    whole=0.449,
    part=0.274,
    pair=0.1,
    exact=0.03,
    matched=20.0,
    anywhere=2.114,
    name=0.946,
    neighbours=20.895,
    body_neighbours=5.563,
    phrase=6.373,
)
TYPICAL_BODY_WORDS = 700.0
TYPICAL_DESCRIPTION_WORDS = 20.0
TYPICAL_USE_WHEN_WORDS = 30.0
