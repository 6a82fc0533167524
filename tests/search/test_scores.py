"""Scores are a share that also tells when nothing fits."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.search.scores import BEST_SCORE, evidence_of, log_odds_of, score_of
from tests.search.conftest import Shelf
from tests.written_skills import written_skill

_WORTHS = st.floats(-50, 60)
_WORDS = st.floats(0, 64)


@given(_WORTHS, _WORDS)
def test_every_score_is_above_zero_and_below_a_name(worth: float, words: float) -> None:
    assert 0 < score_of(worth, evidence_of(words)) <= BEST_SCORE


@given(_WORTHS, _WORTHS, _WORDS)
def test_what_is_worth_more_never_scores_less(one: float, other: float, words: float) -> None:
    low, high = sorted((one, other))
    assert score_of(low, evidence_of(words)) <= score_of(high, evidence_of(words))


@given(st.floats(-10, 10))
def test_log_odds_come_back(worth: float) -> None:
    evidence = evidence_of(3)
    assert math.isclose(log_odds_of(score_of(worth, evidence)), (worth - 9) / 4 + evidence)


@pytest.fixture
def pottery(shelf: Shelf) -> Shelf:
    shelf.put(
        written_skill("kiln-log", "Keeps the log of a kiln. Use when the kiln was fired."),
        written_skill("glazes", "Mixes the glaze that you asked for, with the right cobalt."),
        written_skill("wheel", "Throws clay."),
    )
    return shelf


@pytest.mark.full_text
@pytest.mark.parametrize("query", ["the", "the of a", "that you", "with the", "a"])
def test_stop_words_alone_score_far_below_a_word_that_means_something(
    pottery: Shelf, query: str
) -> None:
    assert pottery.ask(query).scores[0] < 0.15
    assert pottery.ask(query, min_score=0.15).names == []
    assert pottery.ask("cobalt", min_score=0.4).names == ["glazes"]


@pytest.mark.full_text
def test_a_letter_in_the_middle_of_words_is_little_evidence(pottery: Shelf) -> None:
    assert max(pottery.ask("z").scores) < 0.25
    assert pottery.ask("obalt").scores[0] > max(pottery.ask("z").scores)


@pytest.mark.full_text
def test_words_that_nothing_knows_are_no_evidence(pottery: Shelf) -> None:
    few = pottery.ask("the cobalt").scores[0]
    many = pottery.ask("cobalt zebras running through meadows under violet skies").scores[0]
    assert many < few
