"""The headings of a Markdown text that divide it: those at the top level.

CommonMark decides what a heading is, and markdown-it-py is the judge. Most bodies never
need the judge: in them every line that could be a heading is one or lies in a plain fenced
block, which a scan of the few interesting lines can tell at a hundredth of the cost. The
scan gives up at the first line whose meaning hangs on what is round it (an underlined
heading, an indented heading or fence, HTML), and then the judge reads the whole body. A test
holds the two against each other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt


@dataclass(frozen=True, slots=True)
class Heading:
    """`start` is the position of the heading's line in the text."""

    level: int
    text: str
    start: int


def find_headings(body: str) -> list[Heading]:
    """All headings outside fences, quotes, lists and HTML, in order."""
    headings = scanned_headings(body)
    return parsed_headings(body) if headings is None else headings


_BLOCKS = MarkdownIt("commonmark").disable("inline")
_LINE_END = re.compile(r"\r\n|\n|\r")


def parsed_headings(body: str) -> list[Heading]:
    """The headings as markdown-it-py finds them."""
    starts = [0, *(match.end() for match in _LINE_END.finditer(body))]
    tokens = _BLOCKS.parse(body)
    return [
        Heading(int(token.tag[1]), " ".join(content.content.split()), starts[token.map[0]])
        for token, content in pairwise(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map
    ]


_INTERESTING = re.compile(
    r"^(?:(?P<heading>#{1,6})(?=[ \t\n]|\Z)(?P<text>[^\n]*)"
    r"|(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)"
    r"|(?P<indented_fence>[ ]{1,3}(?:`{3,}|~{3,}))(?P<indented_info>[^\n]*)"
    r"|(?P<nested_fence>[ ]{0,3}(?:[-*+]|\d{1,9}[.)])[ \t][^\n]*(?:```|~~~))"
    r"|(?P<indented>[ ]{1,3}#{1,6}(?=[ \t\n]|\Z))"
    r"|(?P<underline>[ ]{0,3}(?:=+|-+)[ \t]*$)"
    r"|(?P<html>[ ]{0,3}<))",
    re.MULTILINE,
)
_CLOSING_HASHES = re.compile(r"(?:^|[ \t])#+[ \t]*$")
_AT_MARGIN = re.compile(r"^[^ \t\n]", re.MULTILINE)
_BLANK_LINE = re.compile(r"\n[ \t]*(?=\n)")
# HTML that runs past blank lines unless it ends on its own line (CommonMark 4.6, 1 to 5).
_LONG_HTML = re.compile(r"[ ]*<(?:script|pre|style|textarea|[!?])", re.IGNORECASE)


def scanned_headings(body: str) -> list[Heading] | None:
    """The headings, or None where a scan of lines cannot be sure of them."""
    if "\r" in body or "\x00" in body:
        return None
    headings: list[Heading] = []
    position = 0
    while match := _INTERESTING.search(body, position):
        position = match.end()
        kind = match.lastgroup
        if kind == "text":
            text = _CLOSING_HASHES.sub("", match["text"].strip(" \t")).strip()
            level = len(match["heading"])
            headings.append(Heading(level, " ".join(text.split()), match.start()))
        elif kind == "info":
            if match["fence"][0] == "`" and "`" in match["info"]:
                continue
            position = _end_of_fence(body, match["fence"], position)
        elif kind == "indented_info":
            fence = match["indented_fence"].strip()
            if fence[0] == "`" and "`" in match["indented_info"]:
                continue
            end = _end_of_fence(body, fence, position)
            if _AT_MARGIN.search(body, position, end):
                return None
            position = end
        elif kind == "underline":
            if not _follows_blank_line(body, match.start()):
                return None
        elif kind == "html":
            end_of_html = _end_of_html(body, match.start())
            if end_of_html is None or _INTERESTING.search(body, position, end_of_html):
                return None
            position = end_of_html
        else:
            return None
    return headings


def _end_of_fence(body: str, fence: str, position: int) -> int:
    closing = re.compile(
        rf"^[ ]{{0,3}}{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$", re.MULTILINE
    ).search(body, position)
    return closing.end() if closing else len(body)


def _follows_blank_line(body: str, start: int) -> bool:
    previous = body[body.rfind("\n", 0, max(start - 1, 0)) + 1 : start]
    return not previous.strip(" \t\n")


def _end_of_html(body: str, start: int) -> int | None:
    """The blank line after it, or None for HTML that may run past one."""
    line_end = body.find("\n", start)
    line = body[start:] if line_end < 0 else body[start:line_end]
    if _LONG_HTML.match(line) and not line.rstrip().endswith("-->"):
        return None
    blank = _BLANK_LINE.search(body, start)
    return blank.end() if blank else len(body)
