"""One analysis for index and query; the cases are in analysis.txt."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from catalog.text.analysis import (
    WordKind,
    chunks,
    has_exact_form,
    joined,
    normalised,
    term_keys,
    words,
)
from catalog.text.chunk_terms import exact_counts, neighbour_keys, sequence_keys, stem_counts
from catalog.text.stems import LANGUAGES

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
    assert len(CASES) == 16


@given(st.text())
def test_tokens_hold_only_what_every_engine_takes_as_it_is(text: str) -> None:
    for word in words(text):
        for token in (word.exact, word.stem):
            assert all(not c.isascii() or c.isdigit() or c.islower() for c in token), token
            assert not any(c.isspace() for c in token)


_WRITTEN = st.from_regex(r"([A-Za-z0-9]{0,8}[-_. ]?){1,6}", fullmatch=True)


@given(st.text() | _WRITTEN, st.sampled_from(LANGUAGES))
def test_the_index_counts_the_very_words_that_a_query_has(text: str, language: str) -> None:
    found = Counter(chunks(normalised(text)))
    read = list(words(text, language))
    exact = [word.exact for word in read if has_exact_form(word)]
    assert stem_counts(found, language) == Counter(word.stem for word in read)
    assert exact_counts(found, language) == Counter(exact)


@given(_WRITTEN)
def test_the_index_keeps_the_order_of_words(text: str) -> None:
    in_sequence = [w.stem for w in words(text, "english") if w.kind is not WordKind.WHOLE]
    keys = sequence_keys(chunks(normalised(text)), "english")
    assert keys == [key % 2**32 for key in term_keys(in_sequence)]


_JOINING = "Aé=\u0301\u0338\u09be\u09c7\u1100\u1161\u11a8\uac00ｶﾞが\u3099´…，№ﬁ"


@given(st.text(st.characters(exclude_categories=("Cf",)) | st.sampled_from(_JOINING)))
def test_a_normalised_text_is_in_the_form_that_unicode_defines(text: str) -> None:
    expected = unicodedata.normalize("NFKC", text)
    assume("#" not in expected and "+" not in expected)  # they have names
    assert normalised(text) == re.sub("[\u034f\ufe00-\ufe0f]", "", expected)


@given(st.text())
def test_a_joined_name_stays_itself(text: str) -> None:
    assert joined(joined(text)) == joined(text)


def test_neighbours_are_directed() -> None:
    one, other = (neighbour_keys(chunks(text), "english") for text in ("kiln log", "log kiln"))
    assert one.isdisjoint(other)
