"""Sharing a budget of tokens among texts that can be long or short."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.errors import InvalidQuery
from catalog.injection.budget import allocate
from catalog.injection.tokens import token_counter

COUNTER = token_counter("o200k_base")


def line(words: int) -> str:
    return "-" + " word" * words + "\n"


def test_everything_is_at_its_best_without_a_budget() -> None:
    assert allocate([[line(9), line(1)], [line(5)]], None, COUNTER).picked == (0, 0)


def test_a_negative_budget_is_refused_by_the_name_of_the_limit() -> None:
    with pytest.raises(InvalidQuery, match="max_tokens is -1") as caught:
        allocate([[line(1)]], -1, COUNTER)
    assert caught.value.metadata == {"field": "max_tokens", "limit": "0"}


@pytest.mark.parametrize("budget", [0, 1, 2])
def test_a_budget_below_the_smallest_form_gives_an_empty_text(budget: int) -> None:
    allocation = allocate([[line(9), line(3)]], budget, COUNTER)
    assert (allocation.text, allocation.tokens, allocation.picked) == ("", 0, (None,))


def test_later_items_keep_their_smallest_form_before_an_earlier_one_grows() -> None:
    sizes = [COUNTER.count(line(words)) for words in (20, 2)]
    items = [[line(20), line(2)], [line(20), line(2)]]
    assert allocate(items, sizes[0] + sizes[1], COUNTER).picked == (0, 1)
    assert allocate(items, sizes[0] + sizes[1] - 1, COUNTER).picked == (1, 1)


def test_an_item_too_large_for_the_budget_does_not_shut_out_a_later_one() -> None:
    assert allocate([[line(90)], [line(2)]], 20, COUNTER).picked == (None, 0)


@pytest.mark.parametrize("budget", [0, 1, 28, 49, 52, 900, 2**31 - 1])
def test_twenty_items_never_pass_the_budget_and_twice_the_budget_gives_more(budget: int) -> None:
    items = [[line(48)] for _ in range(20)]
    once = allocate(items, budget, COUNTER)
    twice = allocate(items, 2 * budget, COUNTER)
    everything = allocate(items, None, COUNTER)
    assert COUNTER.count(once.text) == once.tokens <= budget
    if once.tokens < everything.tokens and budget >= 30:
        assert twice.tokens > once.tokens


FORMS = st.lists(st.integers(0, 30), min_size=1, max_size=4).map(
    lambda sizes: [line(size) for size in sorted(sizes, reverse=True)]
)
ITEMS = st.lists(FORMS, max_size=6)
COUNTERS = st.sampled_from(("o200k_base", "cl100k_base", "chars/4")).map(token_counter)


@given(ITEMS, st.integers(0, 200), COUNTERS)
def test_no_budget_is_passed_and_no_item_could_be_given_a_better_form(items, budget, counter):
    allocation = allocate(items, budget, counter)
    assert counter.count(allocation.text) == allocation.tokens <= budget
    for item, picked in enumerate(allocation.picked):
        for better in range(len(items[item]) if picked is None else picked):
            changed = list(allocation.picked)
            changed[item] = better
            text = "".join(
                forms[form] for forms, form in zip(items, changed, strict=True) if form is not None
            )
            assert counter.count(text) > budget


@given(ITEMS, st.integers(0, 200), st.integers(0, 200), COUNTERS)
def test_a_larger_budget_answers_at_least_as_well(items, budget, more, counter):
    small, large = (allocate(items, limit, counter).picked for limit in (budget, budget + more))
    present = [[form is not None for form in picked] for picked in (small, large)]
    assert present[0] <= present[1]
    if present[0] == present[1]:
        rank = [[-1 if form is None else form for form in picked] for picked in (small, large)]
        assert rank[1] <= rank[0]


def test_the_budget_holds_even_where_a_counter_is_not_additive() -> None:
    class Squared:
        name = "squared"

        def count(self, text: str) -> int:
            return text.count("-") ** 2

    allocation = allocate([["-\n"], ["-\n"], ["-\n"]], 4, Squared())
    assert allocation.tokens <= 4
