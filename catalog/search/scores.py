"""From the worth of an entry to its score, a share in (0, 1) that also tells "nothing fits".

The worth is a share of what the query asks, so a query of one frequent word would be answered
as fully as a long sentence. Its odds are therefore multiplied by how many words of the query
carry meaning and are known to what the caller sees, rare ones counting most: the same share of
more words is more evidence. The factor is one for all entries of an answer and changes no order.
"""

from __future__ import annotations

import math
from typing import Final

BEST_SCORE: Final = 0.99
_MIDDLE: Final = 9.0
_SPREAD: Final = 4.0
_TYPICAL_WORDS: Final = 2
"""Rare words of a query of which the odds are as the worth alone gives them."""
_LEAST_WORDS: Final = 0.002
"""What a query of stop words alone counts."""
_CHANCE_CHARACTERS: Final = 3
"""So many characters in a row occur by chance as often as not."""


def score_of(worth: float, evidence: float) -> float:
    """Any number to (0, 0.99), higher for higher."""
    return of_log_odds((worth - _MIDDLE) / _SPREAD + evidence)


def evidence_of(known_words: float) -> float:
    """Log-odds that the known words of a query give every entry of its answer."""
    return math.log(max(known_words, _LEAST_WORDS) / _TYPICAL_WORDS)


def of_log_odds(log_odds: float) -> float:
    return BEST_SCORE / (1 + math.exp(min(60.0, -log_odds)))


def log_odds_of(score: float) -> float:
    share = min(score / BEST_SCORE, 1 - 1e-6)
    return math.log(share / (1 - share))


def by_chance(text: str) -> float:
    """The share of a score that is left where nothing but these characters in a row matched."""
    return len(text) / (len(text) + _CHANCE_CHARACTERS)
