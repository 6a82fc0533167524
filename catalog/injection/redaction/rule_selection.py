"""Which rules have a chance in a text: told in a few passes over it, however many rules there are.

Most texts hold nothing that any rule looks for. Passing over them once for each pattern is
what redaction would spend its time on; RE2 looks for several patterns in one pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import re2

from catalog.injection.redaction.linear_pattern import DFA_BYTES, encoded
from catalog.injection.redaction.rule import RedactionRule

_PATTERNS_A_PASS = 8
"""More of them in one automaton have more states than its memory holds."""

_ALWAYS = rb"\A"


class RuleSelection:
    """Rules in order, and for a text those of them of which a pattern matches in it."""

    def __init__(self, rules: Sequence[RedactionRule]) -> None:
        self._rules = tuple(rules)
        self._without_patterns = frozenset(
            number for number, rule in enumerate(rules) if not rule.patterns
        )
        patterns = [
            (pattern.source.encode(), number)
            for number, rule in enumerate(rules)
            for pattern in rule.patterns
        ]
        self._passes = [
            _Pass(patterns[first : first + _PATTERNS_A_PASS])
            for first in range(0, len(patterns), _PATTERNS_A_PASS)
        ]

    def with_a_chance(self, text: str) -> list[RedactionRule]:
        """The rules that can find something; those without patterns always."""
        searched = encoded(text)
        chosen = self._without_patterns.union(
            *(one_pass.rules_matching(searched) for one_pass in self._passes)
        )
        return [self._rules[number] for number in sorted(chosen)]


class _Pass:
    def __init__(self, patterns: Sequence[tuple[bytes, int]]) -> None:
        self._set = _pattern_set(tuple(source for source, _ in patterns))
        self._rule_of = [number for _, number in patterns]
        self._all = frozenset(self._rule_of)

    def rules_matching(self, searched: bytes) -> frozenset[int]:
        """RE2 says "nothing matches" also when it gave up; then the last pattern, which always
        matches, is missing as well, and every rule has to look."""
        matching = self._set.Match(searched)
        if not matching:
            return self._all
        return frozenset(self._rule_of[index] for index in matching if index < len(self._rule_of))


@lru_cache(maxsize=64)
def _pattern_set(sources: tuple[bytes, ...]) -> Any:
    """One for all who look for the same: it learns as it searches, and holds megabytes."""
    options = re2.Options()
    options.max_mem = DFA_BYTES
    options.log_errors = False
    patterns = re2.Set.SearchSet(options)
    for source in (*sources, _ALWAYS):
        patterns.Add(source)
    patterns.Compile()
    return patterns
