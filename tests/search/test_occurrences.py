"""Looking for many numbers in many lists at once finds what looking for each finds."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from catalog.search.occurrences import Asked

# Few high halves and few low ones, so that lists hold numbers that are asked for, and others
# of the same lower half.
_NUMBERS = st.builds(
    lambda high, low: high << 16 | low,
    st.sampled_from([0, 1, 0x7FFF, 0xFFFF]),
    st.sampled_from([0, 1, 2, 0xFFFE, 0xFFFF]),
)


@given(st.sets(_NUMBERS), st.lists(st.lists(_NUMBERS, max_size=12), max_size=8))
def test_every_occurrence_is_found_in_order(asked: set[int], lists: list[list[int]]) -> None:
    looked_for = Asked(asked)
    found = looked_for.occurrences([array("I", numbers).tobytes() for numbers in lists])
    together = [(number, column) for column, numbers in enumerate(lists) for number in numbers]
    numbers = {row: number for number, row in looked_for.row.items()}
    assert [
        (at, numbers[row], column)
        for at, row, column in zip(*(part.tolist() for part in found), strict=True)
    ] == [(at, number, column) for at, (number, column) in enumerate(together) if number in asked]


def test_rows_are_places_among_the_ascending_numbers() -> None:
    asked = Asked([70_000, 3, 3, 0xFFFFFFFF])
    assert asked.rows([0xFFFFFFFF, 3, 70_000]).tolist() == [2, 0, 1]
