"""The bounded memory of computed values."""

from __future__ import annotations

from catalog.injection.memo import BoundedMemo


def test_a_value_is_computed_once_while_it_is_remembered() -> None:
    memo: BoundedMemo[str, list[int]] = BoundedMemo(2)
    first = memo.get("a", lambda: [1])
    assert memo.get("a", lambda: [2]) is first


def test_the_least_used_value_leaves_when_the_capacity_is_passed() -> None:
    memo: BoundedMemo[str, str] = BoundedMemo(2)
    memo.get("a", lambda: "first")
    memo.get("b", lambda: "first")
    memo.get("a", lambda: "again")
    memo.get("c", lambda: "first")
    assert memo.get("a", lambda: "again") == "first"
    assert memo.get("b", lambda: "again") == "again"


def test_a_value_heavier_than_the_capacity_is_answered_and_not_kept() -> None:
    memo: BoundedMemo[str, str] = BoundedMemo(3, weight=len)
    assert memo.get("a", lambda: "heavy") == "heavy"
    assert memo.get("a", lambda: "x") == "x"
