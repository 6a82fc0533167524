"""Placeholders in place of spans, so that what is around them stays valid.

A placeholder has no quote, backslash, brace or line break, so a string that held a value
still ends where it did. Two places need more care: a span never begins inside an escape
sequence (`\\n` before an address in a JSON string), and a number that stood bare in code or
JSON becomes a quoted string.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

from catalog.injection.redaction.linear_pattern import LinearPattern

OPAQUE = "\x1a"
"""Stands, in the copy that rules read, for every character of what is masked already.

The control character SUBSTITUTE: `folding` leaves no other one of it in the copy.
"""

_PLACEHOLDER = LinearPattern(r"\[REDACTED:[A-Z_]+\]")
_NUMBER = LinearPattern(r"\+?\d+(?:-\d+)*")
_BEFORE_BARE_VALUE = LinearPattern(r"""(?:["'\w]\s?[:=]|\w\(|[\[,{])\s*$""")
_MARKS_BEFORE_BARE_VALUE = frozenset(" \t:=([,{")
_LINE_PREFIX = 256


class RedactedSpan(NamedTuple):
    """What was masked: the entity and where it was in the original, never the value."""

    entity: str
    start: int
    end: int


def placeholder(entity: str) -> str:
    return f"[REDACTED:{entity}]"


def placeholder_spans(text: str) -> list[tuple[int, int]]:
    """Where earlier placeholders are."""
    if "[REDACTED:" not in text:
        return []
    return [groups[0] for groups in _PLACEHOLDER.matches(text)]


def hide(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text of the same length with `OPAQUE` in place of the spans (sorted, disjoint)."""
    pieces: list[str] = []
    position = 0
    for start, end in spans:
        pieces.append(text[position:start])
        pieces.append(OPAQUE * (end - start))
        position = end
    pieces.append(text[position:])
    return "".join(pieces)


def merged(spans: Sequence[RedactedSpan]) -> list[RedactedSpan]:
    """Sorted and disjoint: overlapping spans become one, of the entity of the longest."""
    ordered = sorted(spans, key=attrgetter("start"))
    result: list[RedactedSpan] = []
    longest = 0
    for span in ordered:
        length = span.end - span.start
        if result and span.start < result[-1].end:
            last = result[-1]
            entity = span.entity if length > longest else last.entity
            result[-1] = RedactedSpan(entity, last.start, max(last.end, span.end))
            longest = max(longest, length)
        else:
            result.append(span)
            longest = length
    return result


def outside_escapes(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same spans without a first character that belongs to a backslash before it."""
    if "\\" not in text:
        return list(spans)
    result = []
    for start, end in spans:
        begin = start + _escape_remainder(text, start)
        if begin < end:
            result.append((begin, end))
    return result


def mask(text: str, spans: Sequence[RedactedSpan]) -> str:
    """The text with a placeholder for each span (sorted, disjoint)."""
    pieces: list[str] = []
    position = 0
    for span in spans:
        pieces.append(text[position : span.start])
        written = placeholder(span.entity)
        pieces.append(f'"{written}"' if _is_bare_number(text, span) else written)
        position = span.end
    pieces.append(text[position:])
    return "".join(pieces)


def _escape_remainder(text: str, start: int) -> int:
    backslashes = 0
    while start > backslashes and text[start - 1 - backslashes] == "\\":
        backslashes += 1
    if backslashes % 2 == 0:
        return 0
    return {"u": 5, "x": 3, "U": 9}.get(text[start], 1)


def _is_bare_number(text: str, span: RedactedSpan) -> bool:
    first = text[span.start]
    if not (first.isdigit() or first == "+"):
        return False
    if text[span.start - 1 : span.start] not in _MARKS_BEFORE_BARE_VALUE:
        return False
    if not _NUMBER.covers(text[span.start : span.end]):
        return False
    after = text[span.end : span.end + 8].lstrip(" \t")
    if after and after[0] not in ",}])\r\n;":
        return False
    head = text[max(0, span.start - _LINE_PREFIX) : span.start]
    line = head[head.rfind("\n") + 1 :]
    if not _BEFORE_BARE_VALUE.found_in(line):
        return False
    stripped = line.rstrip()
    if stripped.endswith("="):
        return True
    if stripped.endswith(":"):
        return stripped.endswith(('":', "':")) or "{" in stripped or after[:1] == ","
    return any(bracket in stripped for bracket in "[({")
