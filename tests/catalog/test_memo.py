"""The bounded memory of computed values."""

from __future__ import annotations

from catalog.memo import Memo


def test_a_value_is_computed_once_while_it_is_remembered() -> None:
    memo: Memo[str, list[int]] = Memo(2)
    first = memo.computed("a", lambda: [1])
    assert memo.computed("a", lambda: [2]) is first
    assert memo.get("a") is first


def test_the_value_kept_longest_leaves_when_the_capacity_is_passed() -> None:
    memo: Memo[str, str] = Memo(5, weight=len)
    memo.put("a", "aa")
    memo.put("b", "bb")
    memo.put("c", "cc")
    assert [memo.get(key) for key in "abc"] == [None, "bb", "cc"]
    assert len(memo) == 2


def test_a_value_heavier_than_the_capacity_is_answered_and_not_kept() -> None:
    memo: Memo[str, str] = Memo(3, weight=len)
    assert memo.computed("a", lambda: "heavy") == "heavy"
    assert memo.computed("a", lambda: "x") == "x"


def test_a_cleared_memo_has_its_whole_capacity_again() -> None:
    memo: Memo[str, str] = Memo(2)
    memo.put("a", "1")
    memo.put("b", "1")
    memo.clear()
    memo.put("c", "1")
    memo.put("d", "1")
    assert [memo.get(key) for key in "abcd"] == [None, None, "1", "1"]
