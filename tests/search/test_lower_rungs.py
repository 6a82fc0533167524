"""Where full text finds little, patterns and exact names add what it missed."""

from __future__ import annotations

import time

import pytest

from catalog.search.full_text import FullTextRung
from catalog.search.request import Rung
from tests.search.conftest import Shelf
from tests.written_skills import identity, written_skill


@pytest.fixture
def pottery(shelf: Shelf) -> Shelf:
    shelf.put(
        written_skill("release-notes", "Writes notes."),
        written_skill("kiln-log", "Keeps firings."),
        written_skill("glaze", "Mixes glazes in 50% water."),
    )
    return shelf


@pytest.mark.full_text
def test_a_part_of_a_word_is_found_by_the_regex_rung(pottery: Shelf) -> None:
    answer = pottery.ask("irin")
    assert answer.names == ["kiln-log"]
    assert answer.hits[0].rung is Rung.REGEX
    assert [report.rung for report in answer.rungs] == [Rung.FULL_TEXT, Rung.REGEX]
    assert answer.rungs[0].reason == "0 of 3 hits wanted"


@pytest.mark.full_text
def test_a_pattern_is_a_pattern_where_it_looks_like_one(pottery: Shelf) -> None:
    assert pottery.ask("re.*ase-n[ou]tes").names[0] == "release-notes"
    assert pottery.ask("^gla.e$").names == ["glaze"]


def test_what_re2_does_not_accept_is_taken_literally(shelf: Shelf) -> None:
    shelf.put(written_skill("odd", "Explains (?=ahead and a(b."))
    assert shelf.ask("(?=ahead").names == ["odd"]
    assert shelf.ask("a(b").names == ["odd"]


@pytest.mark.full_text
def test_hits_of_a_lower_rung_rank_below_those_above(pottery: Shelf) -> None:
    pottery.put(written_skill("notebook", "A frustrated writer."), written_skill("rust", "Iron."))
    answer = pottery.ask("rust")
    assert answer.names == ["rust", "notebook"]
    assert answer.scores[1] < answer.scores[0]


def test_the_regex_rung_asks_what_a_run_may_see(pottery: Shelf) -> None:
    pottery.put(written_skill("theirs", "firings"), who=identity("globex"))
    assert pottery.ask("irin").names == ["kiln-log"]
    assert pottery.ask("irin", lambda entry: False).names == []


def test_without_full_text_the_ladder_goes_on_and_says_so(
    pottery: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    from catalog.stores.reader import RelationalReader

    monkeypatch.setattr(RelationalReader, "full_text_engine", None)
    answer = pottery.ask("glazes")
    assert answer.names == ["glaze"]
    assert not answer.rungs[0].available
    assert answer.rungs[0].reason == "this SQLite library has no full text"
    assert FullTextRung.is_last_resort is False


@pytest.mark.parametrize("name", ["test", "testing", "a-test"])
def test_without_full_text_an_exact_name_is_first(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    from catalog.stores.reader import RelationalReader

    monkeypatch.setattr(RelationalReader, "full_text_engine", None)
    shelf.put(*(written_skill(each, "A test, testing a-test") for each in ("a-test", "test")))
    shelf.put(written_skill("testing", "A test, testing a-test"))
    assert shelf.ask(name).names[0] == name


@pytest.mark.parametrize(
    "query", ["(a*)*b+", "(x+x+)+y", "[^q]*[^q]*[^q]*z{1,900}", "(.*)(.*)(.*)q"]
)
def test_hostile_patterns_take_linear_time(shelf: Shelf, query: str) -> None:
    shelf.put(*(written_skill(f"s{number}", "ax" * 500) for number in range(50)))
    begun = time.perf_counter()
    shelf.ask(query)
    assert time.perf_counter() - begun < 5


@pytest.mark.parametrize("query", ["rustr", "rustr?!", "«rustr»", "“Rustr”…"])
def test_the_marks_of_a_sentence_do_not_matter_to_a_literal(shelf: Shelf, query: str) -> None:
    shelf.put(written_skill("tests", "frustrates nobody"))
    assert shelf.ask(query).names == ["tests"]
