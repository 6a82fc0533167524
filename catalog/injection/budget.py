"""A budget of tokens shared among texts that can each be long or short.

It knows nothing of what the texts say. The count that matters is always that of the whole
text as it will be read, never a sum of parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from catalog.errors import InvalidQuery
from catalog.injection.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class Allocation:
    """`picked[i]` is the place of the form that item i got, None where none fitted. `text`
    is all of them joined, `tokens` its count."""

    picked: tuple[int | None, ...]
    text: str
    tokens: int


def checked_budget(max_tokens: int | None) -> int | None:
    """The budget, when it is one.

    Raises:
        InvalidQuery: it is negative.
    """
    if max_tokens is not None and max_tokens < 0:
        raise InvalidQuery(
            f"max_tokens is {max_tokens}; the least is 0", field="max_tokens", limit=0
        )
    return max_tokens


def allocate(
    items: Sequence[Sequence[str]], max_tokens: int | None, counter: TokenCounter
) -> Allocation:
    """Give each item one of its forms so that all of them together fit.

    Two passes in the order of the items. First presence: each item gets its smallest form
    when that fits beside those already present. Then growth: each present item gets the
    first of its forms that fits beside all the others as they are. So

    - nothing is over the budget, and no single item could be given a form before its own
      (or any form, when it got none) within the same budget;
    - an item is left out only when not even its smallest form fits, and an earlier item
      grows before a later one;
    - with a larger budget the answer is at least as good, by who is present first, then by
      the forms, earlier items first; a later item may shrink so that an earlier one grows.

    Args:
        items: the forms of each, best first. Each ends with a line feed and begins with `<`
            or `-`, which is what lets their counts add up (see `TokenCounter`).
        max_tokens: None gives every item its first form.
    """
    limit = checked_budget(max_tokens)
    whole = _joined(items, (0,) * len(items))
    if limit is None:
        tokens = counter.count_lines([forms[0] for forms in items])
        return Allocation((0,) * len(items), whole, tokens)
    tokens = counter.count(whole)
    if tokens <= limit:
        return Allocation((0,) * len(items), whole, tokens)
    attempt = _Attempt(items, limit, counter)
    for item, sizes in enumerate(attempt.sizes):
        smallest = min(range(len(sizes)), key=sizes.__getitem__)
        attempt.try_form(item, smallest)
    for item, form in enumerate(attempt.picked):
        if form is not None:
            any(attempt.try_form(item, better) for better in range(form))
    return attempt.result()


class _Attempt:
    """The forms picked so far, and whether one more change would still fit."""

    def __init__(self, items: Sequence[Sequence[str]], limit: int, counter: TokenCounter) -> None:
        self._items = items
        self._limit = limit
        self._counter = counter
        self.sizes = [[counter.count(form) for form in forms] for forms in items]
        self.picked: list[int | None] = [None] * len(items)
        self._sum = 0
        self._present = 0

    def try_form(self, item: int, form: int) -> bool:
        """Give the item that form if everything still fits; whether it did."""
        before = self.picked[item]
        total = self._sum + self.sizes[item][form]
        total -= 0 if before is None else self.sizes[item][before]
        present = self._present + (before is None)
        # The whole is at most the sum, and at least the sum less one for every joint.
        if total - (present - 1) > self._limit:
            return False
        self.picked[item] = form
        if total > self._limit and self._counted() > self._limit:
            self.picked[item] = before
            return False
        self._sum, self._present = total, present
        return True

    def result(self) -> Allocation:
        tokens = self._counted()
        # Only a counter that breaks its contract gets here; the budget holds even then.
        while tokens > self._limit:
            last = max(item for item, form in enumerate(self.picked) if form is not None)
            self.picked[last] = None
            tokens = self._counted()
        return Allocation(tuple(self.picked), _joined(self._items, self.picked), tokens)

    def _counted(self) -> int:
        return self._counter.count(_joined(self._items, self.picked))


def _joined(items: Sequence[Sequence[str]], picked: Sequence[int | None]) -> str:
    return "".join(
        forms[form] for forms, form in zip(items, picked, strict=True) if form is not None
    )
