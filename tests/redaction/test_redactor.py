"""What a redacted text is, whatever the text was."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.errors import InvalidConfiguration
from catalog.injection.redaction import (
    RedactedSpan,
    Redactor,
    Span,
    default_rules,
)
from catalog.injection.redaction.person_name import PersonNameRule

CASES = Path(__file__).parent / "redaction_cases.md"
REDACTOR = Redactor()
VALUES = [
    "ann.bell@kilnworks.io",
    "+1 415-555-0132",
    "(415) 555-0132",
    "4526 0181 5908 3012",
    "4526018159083012",
    "DE10 2538 8853 9336 3387 50",
    "071-88-1817",
    "81.2.69.142",
    "2606:2800:220:1:248:1893:25c8:1946",
    "password=pear9tree",
    "token: 'k8s9d7f6g5h4j3l2'",
    'api_key = "k8s9d7f6g5h4j3l2"',
    "redis://:pear9@cache.kilnworks.io",
    "?access_token=pear9&b=1",
    "Authorization: Bearer Zk9x2Lq8Vw4Rt6Yp",
    "-----BEGIN PRIVATE KEY-----\nMIIEkilnAQEB\n",
    "-----END PRIVATE KEY-----",
    "[REDACTED:EMAIL]",
    "\\",
    "\\n",
    '"',
    "'",
    "\n",
    "```",
    "＠",
    "\u200b",
    "\x1a",
    "\ud800",
    " ",
    ", ",
    "-",
    ":",
    "1",
    "x",
    "版",
]
TEXTS = st.lists(st.one_of(st.sampled_from(VALUES), st.text(max_size=6)), max_size=12).map("".join)
WORDS = st.one_of(
    st.sampled_from([value for value in VALUES if "\ud800" not in value]),
    st.text(st.characters(exclude_categories=("Cs",)), max_size=12),
)


def cases() -> Iterator[object]:
    for block in re.split(r"\n\n(?=[^\n]+\n\.\n)", CASES.read_text(encoding="utf-8").strip()):
        title, given_text, expected, _ = (block + "\n").split("\n.\n")
        yield pytest.param(given_text, expected, id=title)


@pytest.mark.parametrize(("text", "expected"), list(cases()))
def test_redaction_case(text: str, expected: str) -> None:
    assert REDACTOR.redact(text).text == expected


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = REDACTOR.redact(text).text
    assert REDACTOR.redact(once).text == once


@given(TEXTS)
@settings(max_examples=200, deadline=None)
def test_a_redacted_text_has_as_many_lines(text: str) -> None:
    assert len(REDACTOR.redact(text).text.splitlines()) == len(text.splitlines())


@given(st.dictionaries(WORDS, st.one_of(WORDS, st.integers(), st.lists(WORDS, max_size=3))))
@settings(max_examples=200, deadline=None)
def test_json_stays_json(value: dict[str, object]) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=2)):
        json.loads(REDACTOR.redact(text).text)


@given(st.lists(st.tuples(st.sampled_from(["a", "password", "api_key", "phone"]), WORDS)))
@settings(max_examples=200, deadline=None)
def test_python_stays_python(assignments: list[tuple[str, str]]) -> None:
    text = "\n".join(f"{name} = {value!r}" for name, value in assignments)
    ast.parse(REDACTOR.redact(text).text)


@given(TEXTS)
@settings(max_examples=200, deadline=None)
def test_spans_are_disjoint_and_name_what_was_masked(text: str) -> None:
    redacted = REDACTOR.redact(text)
    position = 0
    for span in redacted.spans:
        assert position <= span.start < span.end <= len(text)
        assert f"[REDACTED:{span.entity}]" in redacted.text
        position = span.end


def test_a_text_without_anything_to_mask_comes_back_as_the_same_object() -> None:
    text = "Centre the clay, then open it."
    assert REDACTOR.redact(text).text is text


def test_spans_are_places_of_the_original() -> None:
    text = "x\u200b ann＠kilnworks．io y"
    (span,) = REDACTOR.redact(text).spans
    assert span == RedactedSpan("EMAIL", 3, 19)
    assert text[span.start : span.end] == "ann＠kilnworks．io"


class CountingRule:
    entity = "KILN"
    patterns = ()

    def __init__(self) -> None:
        self.texts: list[str] = []

    def spans(self, text: str) -> Iterator[Span]:
        self.texts.append(text)
        start = text.find("kiln")
        if start >= 0:
            yield start, start + 4


def test_a_rule_is_any_object_with_an_entity_patterns_and_spans() -> None:
    assert Redactor([CountingRule()]).redact("a kiln").text == "a [REDACTED:KILN]"


def test_rules_do_not_run_again_on_a_text_they_have_seen() -> None:
    rule = CountingRule()
    redactor = Redactor([rule])
    first = redactor.redact("a kiln")
    runs = len(rule.texts)
    assert redactor.redact("a kiln") == first
    assert len(rule.texts) == runs


def test_every_rule_has_an_entity_that_a_placeholder_can_carry() -> None:
    assert all(re.fullmatch("[A-Z_]+", rule.entity) for rule in default_rules())


def test_person_names_without_the_extra_are_a_clear_error() -> None:
    try:
        import presidio_analyzer  # noqa: F401
    except ImportError:
        with pytest.raises(InvalidConfiguration, match=r"skillcatalog\[ner\]"):
            PersonNameRule()
    else:
        pytest.skip("the extra is installed")


def test_a_secret_that_runs_over_an_unusual_line_break_keeps_the_break() -> None:
    for line_break in ("\x1e", "\x85", "\u2028", "\v"):
        text = f"password=pear9tree{line_break}0"
        assert Redactor().redact(text).text.count(line_break) == 1
