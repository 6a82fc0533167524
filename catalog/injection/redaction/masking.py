"""Placeholders in place of spans, so that what is around them stays valid.

A placeholder has no quote, backslash, brace or line break, so a string that held a value
still ends where it did. Two places need more care: a span never begins inside an escape
sequence (`\\n` before an address in a JSON string), and a number that stood bare in code or
JSON becomes a quoted string.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

from catalog.injection.redaction.linear_pattern import LinearPattern, Span

OPAQUE = "\x1a"
"""Stands, in the copy that rules read, for every character of what is masked already.

The control character SUBSTITUTE: `folding` leaves no other one of it in the copy.
"""

_PLACEHOLDER = LinearPattern(r"\[REDACTED:[A-Z_]+\]")
_NUMBER = LinearPattern(r"\+?\d+(?:-\d+)*")
_BEFORE_BARE_VALUE = LinearPattern(r"""(?:["'\w]\s?[:=]|\w\(|[\[,{])\s*$""")
_NUMBER_STARTS = frozenset("+0123456789")
_MARKS_BEFORE_BARE_VALUE = frozenset(" \t:=([,{")
_LINE_PREFIX = 256


class RedactedSpan(NamedTuple):
    """What was masked: the entity and where it was in the original, never the value."""

    entity: str
    start: int
    end: int


EntitySpan: TypeAlias = tuple[int, int, str]
"""(start, end, entity), while it is worked on."""


def placeholder_spans(text: str) -> list[Span]:
    """Where earlier placeholders are."""
    if "[REDACTED:" not in text:
        return []
    return [groups[0] for groups in _PLACEHOLDER.matches(text)]


def hide(text: str, spans: Iterable[Span]) -> str:
    """The text of the same length with `OPAQUE` in place of the spans (sorted, disjoint)."""
    pieces: list[str] = []
    position = 0
    for start, end in spans:
        pieces.append(text[position:start])
        pieces.append(OPAQUE * (end - start))
        position = end
    pieces.append(text[position:])
    return "".join(pieces)


def merged(spans: Iterable[EntitySpan]) -> list[EntitySpan]:
    """Sorted and disjoint: overlapping spans become one, of the entity of the longest."""
    result: list[EntitySpan] = []
    last_start = last_end = longest = 0
    for span in sorted(spans):
        start, end, entity = span
        length = end - start
        if start >= last_end or not result:
            result.append(span)
            last_start, last_end, longest = start, end, length
            continue
        last_end = max(end, last_end)
        if length > longest:
            longest = length
        else:
            entity = result[-1][2]
        result[-1] = (last_start, last_end, entity)
    return result


def outside_escapes(text: str, spans: Iterable[Span]) -> Iterable[Span]:
    """The same spans without a first character that belongs to a backslash before it."""
    if "\\" not in text:
        return spans
    return [
        (begin, end)
        for start, end in spans
        if (begin := start + _escape_remainder(text, start)) < end
    ]


def within_lines(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """The same spans cut at line breaks, so that masking takes no line away.

    A line ends where `str.splitlines` says so, at more characters than patterns know.
    """
    for start, end in spans:
        value = text[start:end]
        if value.isprintable():
            yield start, end
            continue
        for line in value.splitlines(keepends=True):
            content = line.rstrip(_LINE_ENDS)
            if content:
                yield start, start + len(content)
            start += len(line)


_LINE_ENDS: Final = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"


def mask(text: str, spans: Iterable[EntitySpan]) -> str:
    """The text with a placeholder for each span (sorted, disjoint)."""
    pieces: list[str] = []
    position = 0
    for start, end, entity in spans:
        pieces.append(text[position:start])
        if text[start] in _NUMBER_STARTS and _is_bare_number(text, start, end):
            pieces.append(f'"[REDACTED:{entity}]"')
        else:
            pieces.append(f"[REDACTED:{entity}]")
        position = end
    pieces.append(text[position:])
    return "".join(pieces)


def _escape_remainder(text: str, start: int) -> int:
    backslashes = 0
    while start > backslashes and text[start - 1 - backslashes] == "\\":
        backslashes += 1
    if backslashes % 2 == 0:
        return 0
    return {"u": 5, "x": 3, "U": 9}.get(text[start], 1)


def _is_bare_number(text: str, start: int, end: int) -> bool:
    if text[start - 1 : start] not in _MARKS_BEFORE_BARE_VALUE:
        return False
    if not _NUMBER.covers(text[start:end]):
        return False
    after = text[end : end + 8].lstrip(" \t")
    if after and after[0] not in ",}])\r\n;":
        return False
    head = text[max(0, start - _LINE_PREFIX) : start]
    line = head[head.rfind("\n") + 1 :]
    if not _BEFORE_BARE_VALUE.found_in(line):
        return False
    stripped = line.rstrip()
    if stripped.endswith("="):
        return True
    if stripped.endswith(":"):
        return stripped.endswith(('":', "':")) or "{" in stripped or after[:1] == ","
    return any(bracket in stripped for bracket in "[({")
