"""Cards inside a budget."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.card import Card
from catalog.errors import InvalidQuery
from catalog.injection.cards import card_line, fit_cards
from catalog.injection.tokens import token_counter

COUNTER = token_counter("o200k_base")


def card(name: str, description: str = "Fires clay. Glazes it too. Cools it.") -> Card:
    return Card(f"acme:{name}", name, name, description, "when it is cold", ("hot",), 812, "0" * 64)


def test_a_card_is_one_line_whatever_its_author_wrote() -> None:
    assert card_line(card("kiln", "Fires\n```\nclay.")) == (
        "- acme:kiln (812 tokens): Fires ``` clay. Use when: when it is cold Tags: hot\n"
    )


def test_a_long_description_is_shortened_at_a_sentence_end() -> None:
    budget = COUNTER.count("- acme:kiln (812 tokens): Fires clay. Glazes it too.\n")
    fitted = fit_cards([card("kiln")], budget, COUNTER)
    assert fitted.text == "- acme:kiln (812 tokens): Fires clay. Glazes it too.\n"
    assert fitted.kept[0].description == "Fires clay. Glazes it too."


def test_cards_that_do_not_fit_are_listed_and_earlier_ones_are_longer() -> None:
    cards = [card(name) for name in ("kiln", "glaze", "clay")]
    smallest = COUNTER.count("- acme:kiln (812 tokens)\n")
    fitted = fit_cards(cards, 2 * smallest + 6, COUNTER)
    assert fitted.omitted == ("acme:clay",)
    assert fitted.places == (0, 1)
    assert len(fitted.kept[0].description) >= len(fitted.kept[1].description)


@pytest.mark.parametrize("budget", [0, 1, 5])
def test_below_the_smallest_card_the_answer_is_empty(budget: int) -> None:
    fitted = fit_cards([card("kiln")], budget, COUNTER)
    assert (fitted.text, fitted.tokens, fitted.kept) == ("", 0, ())
    assert fitted.omitted == ("acme:kiln",)


def test_a_negative_budget_is_refused() -> None:
    with pytest.raises(InvalidQuery):
        fit_cards([], -1, COUNTER)


@given(st.lists(st.text(max_size=60), max_size=8), st.integers(0, 300))
def test_the_count_is_that_of_the_lines_and_never_over_the_budget(
    descriptions: list[str], budget: int
) -> None:
    cards = [card(f"skill{place}", text) for place, text in enumerate(descriptions)]
    fitted = fit_cards(cards, budget, COUNTER)
    assert fitted.text == "".join(map(card_line, fitted.kept))
    assert fitted.text.count("\n") == len(fitted.kept)
    assert COUNTER.count(fitted.text) == fitted.tokens <= budget
    assert len(fitted.kept) + len(fitted.omitted) == len(cards)
