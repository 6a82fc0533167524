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
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from markdown_it import MarkdownIt


class Heading(NamedTuple):
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


# Begins with a literal line feed, which the regular expression engine finds fastest.
_INTERESTING = re.compile(
    r"\n(?=[ ]{0,3}[#`~<=*+\-0-9])(?:(?P<heading>#{1,6})(?=[ \t\n]|\Z)(?P<text>[^\n]*)"
    r"|(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)"
    r"|(?P<indented_fence>[ ]{1,3}(?:`{3,}|~{3,}))(?P<indented_info>[^\n]*)"
    r"|(?P<nested_fence>[ ]{0,3}(?:(?:[-*+]|\d{1,9}[.)])[ \t]+|>[ \t]*)+(?:```|~~~))"
    r"|(?P<indented>[ ]{1,3}#{1,6}(?=[ \t\n]|\Z))"
    r"|(?P<underline>[ ]{0,3}(?:=+|-+)[ \t]*(?=\n|\Z))"
    r"|(?P<html>[ ]{0,3}<))"
)
_CLOSING_HASHES = re.compile(r"(?:^|[ \t])#+[ \t]*$")
_AT_MARGIN = re.compile(r"\n[^ \t\n]")
_BLANK_LINE = re.compile(r"\n[ \t]*(?=\n)")
# HTML that runs past blank lines unless it ends on its own line (CommonMark 4.6, 1 to 5).
_LONG_HTML = re.compile(r"[ ]*<(?:script|pre|style|textarea|[!?])", re.IGNORECASE)


def scanned_headings(body: str) -> list[Heading] | None:
    """The headings, or None where a scan of lines cannot be sure of them."""
    if "\x00" in body:
        return None
    text = f"\n{body}"
    if "\r" in body:
        text = text.replace("\r\n", "\n")
        # Only a body whose lines all end alike is put back in its place by counting lines.
        if "\r" in text or len(body) + 1 - len(text) != body.count("\n"):
            return None
    headings: list[Heading] = []
    position = 0
    while match := _INTERESTING.search(text, position):
        position = match.end()
        kind = match.lastgroup
        if kind == "text":
            content = _CLOSING_HASHES.sub("", match["text"].strip(" \t"))
            level = len(match["heading"])
            headings.append(Heading(level, " ".join(content.split()), match.start()))
        elif kind == "info":
            if match["fence"][0] == "`" and "`" in match["info"]:
                continue
            position = _end_of_fence(text, match["fence"], position)
        elif kind == "indented_info":
            fence = match["indented_fence"].strip()
            if fence[0] == "`" and "`" in match["indented_info"]:
                continue
            end = _end_of_fence(text, fence, position)
            if _AT_MARGIN.search(text, position, end):
                return None
            position = end
        elif kind == "underline":
            if not _follows_blank_line(text, match.start()):
                return None
        elif kind == "html":
            end_of_html = _end_of_html(text, match.start() + 1)
            if end_of_html is None or _INTERESTING.search(text, position, end_of_html):
                return None
            position = end_of_html
        else:
            return None
    return headings if len(text) == len(body) + 1 else _with_carriage_returns(headings, text)


def _with_carriage_returns(headings: list[Heading], text: str) -> list[Heading]:
    """The headings at their places in the text whose line feeds follow carriage returns."""
    moved = []
    before = lines = 0
    for heading in headings:
        lines += text.count("\n", before + 1, heading.start + 1)
        before = heading.start
        moved.append(Heading(heading.level, heading.text, heading.start + lines))
    return moved


def _end_of_fence(text: str, fence: str, position: int) -> int:
    """The end of the closing line, its line feed not included."""
    closing = _closing_fence(fence[0], len(fence)).search(text, position)
    return closing.end() if closing else len(text)


@lru_cache(64)
def _closing_fence(character: str, length: int) -> re.Pattern[str]:
    return re.compile(rf"\n[ ]{{0,3}}{character}{{{length},}}[ \t]*(?=\n|\Z)")


def _follows_blank_line(text: str, line_feed: int) -> bool:
    """Whether the line before the one that begins after `line_feed` is blank or absent."""
    before = text.rfind("\n", 0, line_feed)
    return not text[before + 1 : line_feed].strip(" \t")


def _end_of_html(text: str, start: int) -> int | None:
    """The blank line after it, or None for HTML that may run past one."""
    line_end = text.find("\n", start)
    line = text[start:] if line_end < 0 else text[start:line_end]
    if _LONG_HTML.match(line) and not line.rstrip().endswith("-->"):
        return None
    blank = _BLANK_LINE.search(text, start)
    return blank.end() if blank else len(text)
