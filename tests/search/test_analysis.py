"""One analysis for index and query; the cases are in analysis.txt."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.text.analysis import (
    chunks,
    joined,
    neighbour_keys,
    normalised,
    stem_counts,
    words,
)

CASES = re.findall(
    r"^(.+)\n\.\n((?:.*\n)*?)\.\n((?:.*\n)*?)\.$",
    (Path(__file__).parent / "analysis.txt").read_text(encoding="utf-8"),
    re.MULTILINE,
)


@pytest.mark.parametrize(
    ("text", "expected"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_words_of(text: str, expected: str) -> None:
    assert " ".join(f"{word.exact}/{word.stem}" for word in words(text.strip())) == expected.strip()


def test_every_case_of_the_file_is_run() -> None:
    assert len(CASES) == 13


@given(st.text())
def test_tokens_hold_only_what_every_engine_takes_as_it_is(text: str) -> None:
    for word in words(text):
        for token in (word.exact, word.stem):
            assert all(not c.isascii() or c.isdigit() or c.islower() for c in token), token
            assert not any(c.isspace() for c in token)


@given(st.text())
def test_the_index_counts_the_very_stems_that_a_query_has(text: str) -> None:
    found = chunks(normalised(text))
    assert set(stem_counts(found, "english")) == {word.stem for word in words(text, "english")}


@given(st.text())
def test_a_joined_name_stays_itself(text: str) -> None:
    assert joined(joined(text)) == joined(text)


def test_neighbours_are_directed() -> None:
    one, other = (neighbour_keys(chunks(text), "english") for text in ("kiln log", "log kiln"))
    assert one.isdisjoint(other)
