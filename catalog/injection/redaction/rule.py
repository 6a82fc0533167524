"""The seam of redaction: what a rule is given and what it answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from catalog.injection.redaction.linear_pattern import LinearPattern, Span

MOST_EXAMINED = 2_000
"""Candidates of one rule in one text whose value is examined; past them the form decides.

Examining is what costs, so a text made of nothing but candidates still takes bounded time,
and the error is on the side of masking. No text that people write comes near it.
"""


class RedactionRule(Protocol):
    """One kind of value that must not leave.

    A rule looks at the folded copy of a text (see `folding`), so that it never has to know
    about full-width digits or zero-width characters. It runs in time linear in the text:
    patterns are `LinearPattern`s, and what it does per match is bounded. It never reports a
    line break inside a span, and a value inside quotes is reported without the quotes.

    Adding a kind is one file with such an object and one line in `registry`.
    """

    @property
    def entity(self) -> str:
        """What the placeholder says: `EMAIL` gives `[REDACTED:EMAIL]`. `A-Z` and `_` only."""
        ...

    @property
    def patterns(self) -> Sequence[LinearPattern]:
        """Where none of these matches, the rule finds nothing and is not asked. Without any it
        is asked about every text."""
        ...

    def spans(self, text: str) -> Iterable[Span]:
        """The ranges to mask, in any order, overlapping or not."""
        ...
