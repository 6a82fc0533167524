"""Payment card numbers: an issuer's prefix, its length and grouping, and the Luhn checksum."""

from __future__ import annotations

from collections.abc import Iterator

from catalog.injection.redaction.boundary import continues_word
from catalog.injection.redaction.linear_pattern import NOT_MATCHED, LinearPattern, Span
from catalog.injection.redaction.rule import MOST_EXAMINED

_NUMBER = LinearPattern(
    r"(\d{4}(?: \d{4}){3,}|\d{4}(?:-\d{4}){3,})(?:[ \-]\d{3}\b)?"
    r"|\d{4} \d{6} \d{4,5}|\d{4}-\d{6}-\d{4,5}"
    r"|\d{14,}"
)
_LONGEST = 23
_FOUR_BY_FOUR = 19
_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)
_JOINS_BEFORE = frozenset("_.-/+#$")
_JOINS_AFTER = frozenset("_-/%")


class PaymentCardRule:
    entity = "PAYMENT_CARD"
    patterns = (_NUMBER,)

    def spans(self, text: str) -> Iterator[Span]:
        for position, (whole, groups) in enumerate(_NUMBER.matches(text)):
            for start, end in _numbers(whole, groups):
                if position >= MOST_EXAMINED or _is_card(text, start, end):
                    yield start, end


def _numbers(whole: tuple[int, int], groups: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """What may be one card each: groups of four in a row can be several cards."""
    if groups != NOT_MATCHED:
        start, end = groups
        if whole != groups:
            yield whole
        if (end - start + 1) % (_FOUR_BY_FOUR + 1) == 0:
            for first in range(start, end, _FOUR_BY_FOUR + 1):
                yield first, first + _FOUR_BY_FOUR
    elif whole[1] - whole[0] <= _LONGEST:
        yield whole


def _is_card(text: str, start: int, end: int) -> bool:
    if end - start > _LONGEST:
        return False
    digits = text[start:end].replace(" ", "").replace("-", "")
    return _is_issued(digits) and passes_luhn(digits) and _stands_alone(text, start, end)


def passes_luhn(digits: str) -> bool:
    """ISO/IEC 7812-1 annex B."""
    values = [int(digit) for digit in reversed(digits)]
    return (sum(values[::2]) + sum(_DOUBLED[value] for value in values[1::2])) % 10 == 0


def _is_issued(digits: str) -> bool:
    length, two, three, four = len(digits), int(digits[:2]), int(digits[:3]), int(digits[:4])
    if length == 16:
        return (
            digits[0] == "4"
            or 51 <= two <= 55
            or 2221 <= four <= 2720
            or four == 6011
            or two == 65
            or 644 <= three <= 649
            or 3528 <= four <= 3589
            or two in (62, 81)
            or two in (50, 60)
        )
    if length == 15:
        return two in (34, 37)
    if length == 14:
        return two in (36, 38, 39) or 300 <= three <= 305
    return length == 19 and two == 62


def _stands_alone(text: str, start: int, end: int) -> bool:
    before = text[start - 1 : start] if start else ""
    if before and (continues_word(before) or before in _JOINS_BEFORE):
        return False
    after = text[end : end + 2]
    return not after or not (
        continues_word(after[0])
        or after[0] in _JOINS_AFTER
        or (after[0] == "." and continues_word(after[1:]))
    )
