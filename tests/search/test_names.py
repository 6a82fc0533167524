"""An exact name is first, however it is spelled; a slip of the keys still finds it."""

from __future__ import annotations

import pytest

from catalog.search.document import name_words
from catalog.text.typing_slips import one_slip_apart
from tests.search.conftest import Shelf
from tests.written_skills import written_skill


@pytest.fixture
def named(shelf: Shelf) -> Shelf:
    shelf.put(
        written_skill("pr-triage", "Sort open changes by risk."),
        written_skill("triage", "Sort pr work; pr triage, pr triage, pr triage for every pr."),
        written_skill("parseBomFile", "Reads a list of parts."),
        written_skill("rotate_tls_cert", "Renews what servers show."),
        written_skill("testing", "How tests are written."),
        written_skill("test", "One thing about testing, testing and testing."),
    )
    return shelf


@pytest.mark.full_text
@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("pr-triage", "pr-triage"),
        ("PR_TRIAGE", "pr-triage"),
        ("prtriage", "pr-triage"),
        ("pr triage", "pr-triage"),
        ("ＰＲ－ｔｒｉａｇｅ", "pr-triage"),
        ("tools:pr-triage", "pr-triage"),
        ("pr-triage:", "pr-triage"),
        ("/pr-triage everything that testing left open", "pr-triage"),
        ("rotateTlsCert", "rotate_tls_cert"),
        ("tls rotate", "rotate_tls_cert"),
        ("bom", "parseBomFile"),
        ("parse file", "parseBomFile"),
        ("testing", "testing"),
        ("test", "test"),
    ],
)
def test_a_name_is_found_first_in_any_spelling(named: Shelf, query: str, name: str) -> None:
    assert named.ask(query).names[0] == name


@pytest.mark.full_text
def test_the_full_identifier_ranks_above_part_matches(named: Shelf) -> None:
    answer = named.ask("pr-triage")
    assert answer.names[:2] == ["pr-triage", "triage"]
    assert answer.scores[0] == 1.0 > answer.scores[1]


@pytest.mark.full_text
def test_the_beginning_of_a_name_finds_it_and_the_trace_says_so(named: Shelf) -> None:
    answer = named.ask("rotatetls")
    assert answer.names == ["rotate_tls_cert"]
    assert "prefix" in answer.rungs[0].passes


@pytest.mark.full_text
@pytest.mark.parametrize("query", ["pr-triaeg", "prtriaga", "pr-trage", "pr-ttriage"])
def test_a_typo_in_a_name_finds_it_and_the_trace_says_so(named: Shelf, query: str) -> None:
    answer = named.ask(query)
    assert "pr-triage" in answer.names
    assert "typo" in answer.rungs[0].passes


@pytest.mark.full_text
def test_a_typo_ranks_below_true_matches(shelf: Shelf) -> None:
    shelf.put(
        written_skill("glazing", "Coats clay."),
        written_skill("other", "Shapes pots."),
    )
    answer = shelf.ask("glazinh pots")
    assert answer.names == ["other", "glazing"]
    assert answer.scores[1] < answer.scores[0]


def test_a_typo_in_a_rare_word_of_a_card_finds_it(shelf: Shelf) -> None:
    shelf.put(written_skill("expiry", "Renew certificates before they end."))
    answer = shelf.ask("certifcates")
    assert answer.names == ["expiry"]
    assert answer.rungs[-1].passes[-1] == "typo"


@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [
        ("kiln", "kiln", True),
        ("kiln", "klin", True),
        ("kiln", "kil", True),
        ("kiln", "kilns", True),
        ("kiln", "kilm", True),
        ("kiln", "lkin", False),
        ("kiln", "kilnss", False),
        ("kiln", "k", False),
    ],
)
def test_one_slip_is_one_character_or_one_swap(first: str, second: str, apart: bool) -> None:
    assert one_slip_apart(first, second) is apart


def test_words_of_a_name_are_its_parts_and_itself() -> None:
    assert name_words("rotateTlsCert") == {"rotatetlscert", "rotate", "tls", "cert"}


@pytest.mark.full_text
def test_a_name_that_all_its_words_stand_in_is_not_followed_by_its_siblings(shelf: Shelf) -> None:
    for number in range(12):
        shelf.put(written_skill(f"kiln-{number}", "Fires it slowly"))
    answer = shelf.ask("kiln-7")
    assert answer.names == ["kiln-7"]
    assert answer.rungs[0].passes == ("name", "strict")
