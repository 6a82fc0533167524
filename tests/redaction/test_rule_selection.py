"""Asking only the rules that have a chance gives what asking all of them gives."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given, settings
from hypothesis import strategies as st
from test_redaction_corpus import LINES

from catalog.injection.redaction import RedactionRule, Redactor, Span, default_rules
from catalog.injection.redaction.rule_selection import RuleSelection


class AlwaysAsked:
    """A rule that does not say when it has a chance."""

    patterns = ()

    def __init__(self, rule: RedactionRule) -> None:
        self.entity, self._rule = rule.entity, rule

    def spans(self, text: str) -> Iterable[Span]:
        return self._rule.spans(text)


SELECTING = Redactor()
ASKING_ALL = Redactor([AlwaysAsked(rule) for rule in default_rules()])


@given(st.lists(st.sampled_from([text for _, text, _ in LINES]), max_size=5).map("\n".join))
@settings(max_examples=300, deadline=None)
def test_every_rule_that_would_find_something_is_asked(text: str) -> None:
    assert SELECTING.redact(text) == ASKING_ALL.redact(text)


def test_a_text_with_nothing_to_mask_asks_no_rule() -> None:
    assert RuleSelection(default_rules()).with_a_chance("Centre the clay, then open it.") == []


def test_a_rule_without_patterns_is_asked_about_every_text() -> None:
    rule = AlwaysAsked(default_rules()[0])
    assert RuleSelection([rule]).with_a_chance("Centre the clay.") == [rule]
