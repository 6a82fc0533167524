"""Text is text: nothing in a query is syntax, and spelling in case or width does not matter."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.errors import InvalidQuery
from catalog.stores.open import open_store
from tests.search.conftest import Shelf
from tests.written_skills import written_skill


@pytest.fixture(scope="module")
def pottery() -> Iterator[Shelf]:
    store = open_store("memory:")
    shelf = Shelf(store)
    shelf.put(
        written_skill("refire", "Pots in the kiln: refire never twice."),
        written_skill("android", "Apps and nothing nearby."),
        written_skill("node.js", "Servers in C++ and C#, what's new in v20.04, a/b tests."),
        written_skill("k_ln", "half a name"),
        written_skill("kilns", "fifty percent"),
        written_skill("abz", "two letters"),
    )
    yield shelf
    store.close()


@pytest.mark.full_text
@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("YOU MUST NOT REFIRE pots twice", "refire"),
        ("you must not refire pots twice", "refire"),
        ("android NOT nearby", "android"),
        ("NEAR( android", "android"),
        ("node.js", "node.js"),
        ("c++", "node.js"),
        ("C#", "node.js"),
        ("what's new", "node.js"),
        ("v20.04", "node.js"),
        ("a/b", "node.js"),
        ('"refire"', "refire"),
        ("refire*", "refire"),
        ("name:refire", "refire"),
        ("-refire", "refire"),
    ],
)
def test_everyday_signs_and_shouted_words_are_text(pottery: Shelf, query: str, name: str) -> None:
    assert pottery.ask(query).names[0] == name


@pytest.mark.full_text
@pytest.mark.parametrize(("query", "names"), [("k_l", ["k_ln"]), ("50%", []), ("x%abz", ["abz"])])
def test_signs_of_other_engines_are_no_wildcards(
    pottery: Shelf, query: str, names: list[str]
) -> None:
    assert pottery.ask(query).names == names


@settings(deadline=None, max_examples=150)
@given(query=st.text(max_size=200))
def test_no_text_raises_anything_but_invalid_query(pottery: Shelf, query: str) -> None:
    try:
        answer = pottery.ask(query)
    except InvalidQuery:
        return
    assert all(0 < score <= 1 for score in answer.scores)
    assert answer.scores == sorted(answer.scores, reverse=True)
    assert pottery.ask(query) == answer


WORDS = st.lists(
    st.sampled_from(["refire", "kiln", "twice", "servers", "apps", "nearby", "letters"]), min_size=1
)


@pytest.mark.full_text
@settings(deadline=None, max_examples=60)
@given(words=WORDS, sign=st.sampled_from([", ", "! ", " ? ", " (", ') "', " / ", "\n"]))
def test_case_punctuation_and_width_do_not_matter(
    pottery: Shelf, words: list[str], sign: str
) -> None:
    plain = pottery.ask(" ".join(words)).names
    assert pottery.ask(" ".join(words).upper()).names == plain
    assert pottery.ask(sign.join(words)).names == plain
    wide = "".join(chr(ord(c) + 0xFEE0) if "a" <= c <= "z" else c for c in " ".join(words))
    assert pottery.ask(wide).names == plain


def test_a_long_query_of_repeated_words_is_the_short_one(pottery: Shelf) -> None:
    assert pottery.ask("refire kiln " * 680).names == pottery.ask("refire kiln").names


def test_a_long_query_of_different_words_is_answered(pottery: Shelf) -> None:
    words = " ".join(f"w{number}" for number in range(1_500))[:8_100]
    assert pottery.ask(f"{words} refire").names[:1] in (["refire"], [])
