"""Where a Markdown text may be cut, and where its code, its list items and paragraphs lie.

Positions come from a CommonMark parser's line map, never from counting backticks, so a
fence inside a list, a quote or a longer fence is what a reader of Markdown takes it for.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

_blocks = MarkdownIt("commonmark").enable("table")
_blocks.core.ruler.enableOnly(["normalize", "block"])


def line_starts(text: str) -> list[int]:
    """Offsets at which the lines of the text begin, as CommonMark counts lines."""
    return [0, *(match.end() for match in _LINE_END.finditer(text))]


def code_lines(markdown: str) -> list[range]:
    """Lines of each fenced (fences included) or indented code block."""
    return [
        range(*token.map)
        for token in _blocks.parse(markdown)
        if token.type in ("fence", "code_block") and token.map
    ]


def closed(markdown: str) -> str:
    """The text with its last fence or HTML closed, so that what follows it is not taken for
    code or for a comment."""
    may_be_open = "```" in markdown or "~~~" in markdown or _OPENING_HTML.search(markdown)
    tokens = _blocks.parse(markdown) if may_be_open else []
    if not tokens or not tokens[-1].map:
        return markdown
    if tokens[-1].type == "html_block":
        return markdown + _missing_end_of_html(tokens[-1].content)
    if tokens[-1].type != "fence":
        return markdown
    fence, first_line = tokens[-1], tokens[-1].map[0]
    lines = markdown[line_starts(markdown)[first_line] :].rstrip().splitlines()
    last = lines[-1].strip()
    is_closed = len(lines) > 1 and set(last) == {fence.markup[0]} and len(last) >= len(fence.markup)
    if is_closed:
        return markdown
    return markdown + ("" if markdown.endswith("\n") else "\n") + fence.markup + "\n"


def _missing_end_of_html(block: str) -> str:
    opening = _OPENING_HTML.match(block)
    if not opening:
        return ""
    written = opening.group(1).casefold()
    end = _ENDS_OF_HTML.get(written, f"</{written}>")
    return "" if end in block.casefold() else ("" if block.endswith("\n") else "\n") + end + "\n"


def cut_points(markdown: str) -> list[int]:
    """Ends of paragraphs, sentences, list items and other blocks, in order.

    Every prefix that ends at one of them is well-formed: no open fence, no half of a table,
    a link, a word or a grapheme. The end of a heading is none, since a heading without a
    word under it says nothing.
    """
    offsets = [*line_starts(markdown), len(markdown)]
    points: set[int] = set()
    quoted = 0
    for token in _blocks.parse(markdown):
        quoted += {"blockquote_open": 1, "blockquote_close": -1}.get(token.type, 0)
        if not token.map or (quoted and token.type != "blockquote_open"):
            continue
        if token.type in _CUT_BEHIND and (token.level == 0 or token.type in _CUT_IN_LISTS):
            start, end = offsets[token.map[0]], offsets[min(token.map[1], len(offsets) - 1)]
            points.add(start + len(markdown[start:end].rstrip()))
            if token.type == "paragraph_open" and token.level == 0:
                points.update(start + point for point in sentence_ends(markdown[start:end]))
    return sorted(point for point in points if point)


def sentence_ends(paragraph: str) -> list[int]:
    """Offsets behind the sentences of a paragraph, in order, its own end excluded.

    None lies inside a code span, a link, emphasis or parentheses. A full stop before a
    lower-case word is taken for an abbreviation.
    """
    ends: list[int] = []
    balance = _Balance()
    position = 0
    for match in _SENTENCE_END.finditer(paragraph):
        balance.read(paragraph[position : match.end()])
        position = match.end()
        following = paragraph[position : position + 1]
        if following and balance.is_even and not _extends_grapheme(following):
            ends.append(position)
    return ends


def list_items(markdown: str, *, ordered_only: bool = False) -> list[str]:
    """The first paragraph of each item of the first list, marker included, as written."""
    tokens = _blocks.parse(markdown)
    kinds = ("ordered_list_open",) if ordered_only else ("ordered_list_open", "bullet_list_open")
    opening = next((index for index, token in enumerate(tokens) if token.type in kinds), None)
    if opening is None:
        return []
    return list(_items_of(markdown, tokens[opening:]))


def first_paragraph(markdown: str) -> str:
    """The first paragraph outside lists and quotes, or nothing."""
    offsets = [*line_starts(markdown), len(markdown)]
    for token in _blocks.parse(markdown):
        if token.type == "paragraph_open" and token.level == 0 and token.map:
            return markdown[offsets[token.map[0]] : offsets[token.map[1]]].strip()
    return ""


# The HTML blocks of CommonMark 4.6 that no blank line ends.
_ENDS_OF_HTML = {"!--": "-->", "?": "?>", "![cdata[": "]]>"}
_OPENING_HTML = re.compile(
    r"^ {0,3}<(!--|\?|!\[CDATA\[|(?:pre|script|style|textarea)\b)", re.IGNORECASE | re.MULTILINE
)
_LINE_END = re.compile(r"\r\n|\n|\r")
_CUT_IN_LISTS = frozenset(("paragraph_open", "list_item_open"))
_CUT_BEHIND = _CUT_IN_LISTS | {
    *("fence", "code_block", "html_block", "hr", "table_open", "blockquote_open")
}
_SENTENCE_END = re.compile("[.!?…]+[\"'”’)\\]*_`]*(?=\\s+[^\\sa-z])|[。！？]+[」』”’）]*")


def _extends_grapheme(character: str) -> bool:
    return unicodedata.category(character) in ("Mn", "Mc", "Me", "Cf")


class _Balance:
    """Whether what was read so far has closed all that it opened."""

    def __init__(self) -> None:
        self._counts = dict.fromkeys((*"`*[]()<>", "**", "__"), 0)

    def read(self, text: str) -> None:
        for mark in self._counts:
            self._counts[mark] += text.count(mark)

    @property
    def is_even(self) -> bool:
        count = self._counts
        return (
            not any(count[mark] % 2 for mark in ("`", "*", "**", "__"))
            and count["["] <= count["]"]
            and count["("] <= count[")"]
            and count["<"] <= count[">"]
        )


def _items_of(markdown: str, tokens: Sequence[Token]) -> Iterator[str]:
    """First paragraphs of the items of the list that the first token opens."""
    offsets = [*line_starts(markdown), len(markdown)]
    level = tokens[0].level
    item_start: int | None = None
    for token in tokens:
        if token.level == level and token.nesting == -1:
            return
        if token.type == "list_item_open" and token.level == level + 1 and token.map:
            item_start = offsets[token.map[0]]
        elif token.type == "paragraph_open" and token.level == level + 2 and token.map:
            if item_start is not None:
                yield markdown[item_start : offsets[token.map[1]]].strip()
            item_start = None
