"""The numbers of the ranking.

Learned by `python -m benchmarks.tune_ranking` from prompts that authors wrote for their own
documents: a listwise loss with a penalty for leaving plain starting values, and judged
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
    body_length, card_length: how much a long body or description lowers an occurrence.
    rarity: power of a term's rarity.
    stop_word, character, whole, part, pair: factors for words that carry little meaning,
        single characters beside pairs, whole identifiers, their parts, and the pairs of a run
        without spaces (of which there are many for one word).
    exact: added for a term whose very form stands outside the body.
    matched, anywhere: for the share of the query's weight that occurs, saturated by how
        often and where, and that occurs at all.
    name: for the share of the name's words that the query holds.
    neighbours: for the share of the query's neighbouring words that are neighbours there.
    """

    body: float = 1.0
    name_field: float = 5.0
    title: float = 2.0
    description: float = 3.0
    use_when: float = 3.0
    quoted: float = 3.0
    not_for: float = 0.5
    tags: float = 2.0
    headings: float = 1.0
    half: float = 3.0
    body_length: float = 0.6
    card_length: float = 0.4
    rarity: float = 0.7
    stop_word: float = 0.4
    character: float = 0.15
    whole: float = 0.6
    part: float = 0.4
    pair: float = 0.3
    exact: float = 0.1
    matched: float = 20.0
    anywhere: float = 2.0
    name: float = 1.0
    neighbours: float = 10.0


LEARNED = Weights()
TYPICAL_BODY_WORDS = 700.0
TYPICAL_CARD_WORDS = 50.0
