"""Where the frontmatter of a file ends and its body begins.

Only the fences at the very top count: a line of three hyphens, fields, a line of three
hyphens. Rules and YAML samples further down stay in the body, and a file that merely starts
with a rule has no frontmatter. `before + header + between + body` is the file's text, where
`before` and `between` are the fences and what stands around them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Fences(StrEnum):
    """How the fences were found; all but CLOSED and NONE are repairs."""

    CLOSED = "closed"
    UNCLOSED = "unclosed"
    UNOPENED = "unopened"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class SplitText:
    """`header_line` and `body_line` are lines of the file, counted from 1."""

    fences: Fences
    at_top: bool
    header: str
    header_line: int
    body: str
    body_start: int
    body_line: int


def split_frontmatter(text: str) -> SplitText:
    """Splits the text of a file; never raises and never loses a character of the body."""
    opening = _OPENING.match(text)
    if opening:
        return _after_opening(text, opening)
    if _FIRST_FIELD.match(text):
        return _without_opening(text)
    return _all_body(text)


# Blank lines and one-line or short comments may stand before the opening fence.
_OPENING = re.compile(
    r"(?P<before>(?:[ \t]*(?:<!--(?:(?!-->).){0,2000}-->[ \t]*)?(?:\r\n|\n|\r)){0,20}?)"
    r"---[ \t]*(?:\r\n|\n|\r|\Z)",
    re.DOTALL,
)
# YAML's own end of a document, three dots, may stand before the fence or in its place.
_CLOSING_LINE = re.compile(
    r"(?:\.\.\.[ \t]*(?:\r\n|\n|\r))?(?P<fence>---)[ \t]*(?:\r\n|\n|\r|\Z)"
    r"|\.\.\.[ \t]*(?:\r\n|\n|\r|\Z)"
)
_CLOSING = re.compile(rf"^(?:{_CLOSING_LINE.pattern})", re.MULTILINE)
_INDENTED_CLOSING = re.compile(r"^[ \t]+---[ \t]*(?:\r\n|\n|\r|\Z)", re.MULTILINE)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
# A key and its colon: YAML's with a space after it, a full-width one, and without a space
# only where the key is one that people know.
FIELD = re.compile(
    r"""(?:[^\W\d][\w.-]{0,63}(?:[ ][\w.-]{1,63}){0,3}|"[^"\n]{1,99}"|'[^'\n]{1,99}')[ \t]*"""
    r"(?::(?=[ \t\r\n]|\Z)|：)"
    r"|(?:name|description|title|trigger|license|tags|allowed-tools)[ \t]*:",
    re.IGNORECASE,
)
_FIRST_FIELD = re.compile(r"\s{0,20}(?:name|description|title|trigger)[ \t]*:[ \t]", re.IGNORECASE)
# Below a slip, such as the mark of a merge conflict.
_SURE_FIELD = re.compile(r"\A(?:[^\r\n]+(?:\r\n|\n|\r)){0,3}(?:name|description):[ \t]")
_BELONGS = re.compile(r"[ \t#}\]-]|<<<<<<<|=======|>>>>>>>")


def _after_opening(text: str, opening: re.Match[str]) -> SplitText:
    start = opening.end()
    at_top = not opening.group("before")
    # `^` of a multi-line pattern does not know a lone carriage return as a line's end.
    closing = _CLOSING.search(text, start) if "\r" not in text else _closing_line(text, start)
    if closing:
        header = text[start : closing.start()]
        if not _starts_with_field(header):
            return _all_body(text)
        end = _first_line_of_body(header)
        if end is None:
            fences = Fences.CLOSED if closing.group("fence") else Fences.UNCLOSED
            return _split(text, fences, at_top, start, closing.start(), closing.end())
        return _split(text, Fences.UNCLOSED, at_top, start, start + end, start + end)
    if not _starts_with_field(text[start:]) or not text[start:].strip():
        return _all_body(text)
    indented = _INDENTED_CLOSING.search(text, start)
    if indented:
        return _split(text, Fences.UNCLOSED, at_top, start, indented.start(), indented.end())
    end = _end_of_fields(text, start)
    return _split(text, Fences.UNCLOSED, at_top, start, end, end)


def _closing_line(text: str, start: int) -> re.Match[str] | None:
    position = start
    while position < len(text):
        closing = _CLOSING_LINE.match(text, position)
        if closing:
            return closing
        line = _LINE.match(text, position)
        position = line.end() if line else len(text)
    return None


def _without_opening(text: str) -> SplitText:
    position = len(text) - len(text.lstrip())
    end = _end_of_fields(text, position)
    closing = re.compile(r"\s*^---[ \t]*(?:\r\n|\n|\r|\Z)", re.MULTILINE).match(text, end)
    body_start = closing.end() if closing else end
    return _split(text, Fences.UNOPENED, True, position, end, body_start)


def _all_body(text: str) -> SplitText:
    return SplitText(Fences.NONE, True, "", 1, text, 0, 1)


def _split(
    text: str, fences: Fences, at_top: bool, start: int, end: int, body_start: int
) -> SplitText:
    return SplitText(
        fences=fences,
        at_top=at_top,
        header=text[start:end],
        header_line=1 + _line_ends(text, start),
        body=text[body_start:],
        body_start=body_start,
        body_line=1 + _line_ends(text, body_start),
    )


def _line_ends(text: str, end: int) -> int:
    return text.count("\n", 0, end) + (
        text.count("\r", 0, end) - text.count("\r\n", 0, end) if "\r" in text else 0
    )


def _starts_with_field(header: str) -> bool:
    """Whether the first line that says anything is a field: blank lines and comments do not."""
    for line in _LINE.findall(header):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            is_field = FIELD.match(stripped) or stripped.startswith("{")
            return bool(is_field or _SURE_FIELD.search(header))
    return not header.strip()


def _first_line_of_body(header: str) -> int | None:
    """Where prose begins inside fences: the closing one was forgotten and a rule of the
    body was taken for it. Prose is a line after a blank one that cannot belong to YAML."""
    if "\n\n" not in header and "\r" not in header:
        return None
    position = 0
    blank: int | None = None
    open_brackets = 0
    for line in _LINE.findall(header):
        if not line.strip():
            blank = position if blank is None else blank
        elif FIELD.match(line) or line[0] in " \t}]-":
            blank = None
        elif blank is not None and not _BELONGS.match(line) and open_brackets <= 0:
            return blank
        open_brackets += line.count("{") + line.count("[") - line.count("}") - line.count("]")
        position += len(line)
    return None


def _end_of_fields(text: str, start: int) -> int:
    """The end of the lines that can be fields, from `start` on; a blank line ends them when
    no field follows it."""
    position = start
    end = start
    open_brackets = 0
    after_blank = False
    for line in _LINE.findall(text[start:]):
        if not line or _CLOSING.match(line):
            break
        if not line.strip():
            after_blank = True
        elif FIELD.match(line) or open_brackets > 0 or (not after_blank and _BELONGS.match(line)):
            after_blank = False
            open_brackets += line.count("{") + line.count("[") - line.count("}") - line.count("]")
            end = position + len(line)
        elif after_blank and line[0] in " \t":
            end = position + len(line)
        else:
            break
        position += len(line)
    return end
