"""Fields of a frontmatter that YAML cannot read, read the way their author meant them.

A value has one reading as text when it is a line (or lines) of prose: an unquoted colon, a
leading `@`, `` ` ``, `*`, `%`, a quoted phrase at the front, a quote inside quotes. Lists of
one line per item are read item by item. What starts as a list or mapping in brackets and is
none is kept as its raw text: it has no reading that could be trusted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from importer.fences import FIELD
from importer.field_names import SPECIFICATION_FIELDS, STRUCTURED_FIELDS
from importer.yaml_nodes import Node, Scalar, Sequence, Unreadable, read_nodes


@dataclass(frozen=True, slots=True)
class Field:
    """One field. `raw` is the text of its value as it stands in the file; `dropped_comment`
    is what YAML dropped behind an unquoted value. A repaired value whose brackets or quotes
    do not close is `broken`."""

    key: str
    value: Node
    raw: str
    line: int
    dropped_comment: str = ""
    broken: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """The lines of one field, or a line that belongs to none."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Repaired:
    """`is_text` is false when a list or mapping was kept as raw text."""

    field: Field
    is_text: bool


def cut_into_fields(header: str, first_line: int) -> tuple[list[Piece], list[Piece]]:
    """The fields of a text, and the stray lines that belong to none.

    A field begins at the left margin and takes all indented and blank lines after it, list
    items at the margin, lines inside its open brackets, and prose that goes on at the margin.
    """
    fields: list[Piece] = []
    strays: list[Piece] = []
    lines = _LINE.findall(header)
    inside_brackets_until = 0
    for index, line in enumerate(lines):
        number = first_line + index
        content = line.strip()
        if index >= inside_brackets_until and _begins_field(line, fields):
            fields.append(Piece(line, number))
            inside_brackets_until = _end_of_brackets(lines, index)
        elif not content or content.startswith("#") or not _CONFLICT_MARKER.match(line):
            if fields:
                fields[-1] = Piece(fields[-1].text + line, fields[-1].line)
            elif content and not content.startswith("#"):
                strays.append(Piece(content, number))
        else:
            strays.append(Piece(content, number))
    return fields, strays


def _begins_field(line: str, fields: list[Piece]) -> bool:
    """At the margin every field; indented, one that people know and that is not there yet,
    behind a field whose value is on its own line. Such a line belongs to no other value."""
    if FIELD.match(line):
        return True
    slipped = _KNOWN_FIELD.match(line)
    if not slipped or not fields:
        return bool(slipped)
    is_whole = _WHOLE_VALUE.fullmatch(fields[-1].text)
    return bool(is_whole) and not any(
        field.text.lstrip().casefold().startswith(slipped.group("key").casefold())
        for field in fields
    )


def _end_of_brackets(lines: list[str], start: int) -> int:
    """The index after the line that closes the bracket which the field's value begins with.

    A bracket that does not close within sight is taken for a slip, not for a list."""
    if not _OPENS_BRACKETS.match(lines[start]):
        return start
    open_brackets = 0
    for index in range(start, min(start + _MOST_BRACKET_LINES, len(lines))):
        line = lines[index]
        open_brackets += line.count("[") + line.count("{") - line.count("]") - line.count("}")
        if open_brackets <= 0:
            return index + 1
    return start


def repaired_value(piece: Piece) -> Repaired:
    """Reads a field that YAML cannot read; there is always an answer."""
    match = _KEY_AND_REST.match(piece.text)
    assert match, "a piece begins with a key"
    key = match.group("key").strip().strip("\"'")
    rest = piece.text[match.end() :]
    first, *others = rest.splitlines() or [""]
    first = first.strip()
    raw = rest.strip()
    lines = [line.strip() for line in others if line.strip()]
    if not first and lines and all(_ITEM.match(line) for line in lines):
        value: Node = _items(lines, piece.line + 1)
        return Repaired(Field(key, value, raw, piece.line), is_text=True)
    if not first and any(FIELD.match(line) for line in lines):
        return Repaired(Field(key, _text(raw, piece.line), raw, piece.line, broken=True), False)
    if first[:1] in ("[", "{") and _looks_like_collection(raw):
        return Repaired(Field(key, _text(raw, piece.line), raw, piece.line, broken=True), False)
    if _BLOCK_INDICATOR.fullmatch(first):
        text = ("\n" if first.startswith("|") else " ").join(lines)
    else:
        text = _unquoted(" ".join([_without_block_indicator(first), *lines]).strip())
    return Repaired(Field(key, _text(text, piece.line), raw, piece.line), is_text=True)


_ITEM = re.compile(r"[-*•](?:[ \t]|\Z)")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_KNOWN_FIELD = re.compile(
    rf"[ \t]+(?P<key>{'|'.join((*SPECIFICATION_FIELDS, *STRUCTURED_FIELDS))}):(?=[ \t\r\n]|\Z)"
)
_WHOLE_VALUE = re.compile(r"[^:\r\n]{1,400}:[ \t]+[^\s|>\[{&*!#][^\r\n]*\s*")
_CONFLICT_MARKER = re.compile(r"<<<<<<<|=======|>>>>>>>")
_KEY_AND_REST = re.compile(
    r"""(?P<key>"[^"\n]{1,99}"|'[^'\n]{1,99}'|[^:：\n]{1,400}?)[ \t]*[:：]"""
)
_OPENS_BRACKETS = re.compile(r"[^:：\n]{1,400}[:：][ \t]*[\[{]")
_MOST_BRACKET_LINES = 200
_BLOCK_INDICATOR = re.compile(r"[|>][+-]?[1-9]?[+-]?")


def _text(text: str, line: int) -> Scalar:
    return Scalar(text, False, line, 0, 0)


def _items(lines: list[str], first_line: int) -> Sequence:
    items: list[Node] = []
    for number, line in enumerate(lines, start=first_line):
        content = line[1:].strip()
        node = read_nodes(content, number)
        if node is None or isinstance(node, Unreadable) or not isinstance(node, Scalar):
            node = _text(_unquoted(content), number)
        items.append(node)
    return Sequence(tuple(items), first_line, 0, 0)


def _looks_like_collection(raw: str) -> bool:
    """Not a phrase in brackets with words after it: `[draft] Write notes`, `{{ app }} notes`."""
    if raw.startswith("{{"):
        return False
    closing = {"[": "]", "{": "}"}[raw[0]]
    if closing not in raw:
        return True
    if raw[0] == "[":
        after = raw[raw.index("]") + 1 :].strip()
        return not after or (raw.endswith("]") and raw.count("[") == 1)
    return ":" in raw


def _without_block_indicator(first: str) -> str:
    return first[1:].strip() if first[:2] in ("> ", "| ") else first


def _unquoted(text: str) -> str:
    """Takes off quotes that go round the whole value, or a lone one at its front."""
    quote = text[:1]
    if quote not in ("'", '"') or len(text) < 2:
        return text
    inner = text[1:]
    if quote not in inner:
        return inner
    if not inner.endswith(quote):
        return text
    inner = inner[:-1]
    second = inner.find(quote)
    closes_a_phrase = (
        second > 0
        and not inner[second - 1].isspace()
        and (inner[second + 1 : second + 2].isspace())
    )
    return text if closes_a_phrase else inner
