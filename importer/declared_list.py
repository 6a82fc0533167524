"""Lists of tools, namespaces and tags in all the ways that authors write them.

A YAML list (flow or block), a text with commas, a text with spaces: the same ordered names
without repeats. Parentheses belong to a name, so `Bash(npm run *)` is one. A list that is
absent, one that is empty and one that cannot be read stay three different things.
"""

from __future__ import annotations

import re

from catalog.skill import Declaration, DeclaredList
from importer.frontmatter_repair import Field
from importer.yaml_nodes import Mapping, Node, Scalar, Sequence

EMPTY = DeclaredList(Declaration.EMPTY)
UNPARSABLE = DeclaredList(Declaration.UNPARSABLE)


def declared_names(field: Field | None) -> DeclaredList:
    """Names of tools or namespaces: commas and spaces outside parentheses both separate."""
    return _declared(field, _SEPARATORS)


def declared_tags(field: Field | None) -> DeclaredList:
    """Tags may hold spaces: in a YAML list, and in a text with commas, only commas separate."""
    if field is None or not isinstance(field.value, Scalar):
        return _declared(field, _COMMAS)
    has_commas = any(comma in field.value.text for comma in _COMMAS)
    return _declared(field, _COMMAS if has_commas else _SEPARATORS)


def all_of(lists: list[DeclaredList]) -> DeclaredList:
    """Several lists of one requirement as one: what any of them asks is asked."""
    declarations = {declared.declaration for declared in lists}
    if Declaration.UNPARSABLE in declarations:
        return UNPARSABLE
    if Declaration.DECLARED not in declarations:
        return EMPTY if Declaration.EMPTY in declarations else DeclaredList()
    names = dict.fromkeys(name for declared in lists for name in declared.names)
    return DeclaredList(Declaration.DECLARED, tuple(names))


def line_of(name: str, field: Field) -> int:
    """The line of a name: its item's in a list, else the field's."""
    items = field.value.items if isinstance(field.value, Sequence) else ()
    lines = (item.line for item in items if isinstance(item, Scalar) and name in item.text)
    return next(lines, field.line)


_COMMAS = ",，、;\n"
_SEPARATORS = _COMMAS + " \t\r\u3000"
# Of a list that stands in a text: `- Read`, line by line or behind one another.
_LIST_MARK = re.compile(r"[-•](?:\s+|\Z)")
# What YAML itself would read as a number, a truth value or a date: no name of a tool.
_NOT_A_NAME = re.compile(
    r"[-+]?\d[\d_]*(?:\.\d*)?(?:e[-+]?\d+)?|\d{4}-\d\d?-\d\d?|true|false|yes|no|on|off|null|~",
    re.IGNORECASE,
)


def _declared(field: Field | None, separators: str) -> DeclaredList:
    if field is None:
        return DeclaredList()
    value = field.value
    if isinstance(value, Mapping) or field.broken:
        return UNPARSABLE
    if isinstance(value, Scalar):
        return _of_text(value, separators)
    texts = []
    for item in value.items:
        text = _text_of_item(item)
        if text is None:
            return UNPARSABLE
        texts.append(text)
    return _of_names(_rejoined(texts), separators)


def _of_text(value: Scalar, separators: str) -> DeclaredList:
    text = value.text.strip()
    if not text or value.is_null:
        return EMPTY
    if value.plain and _NOT_A_NAME.fullmatch(text):
        return UNPARSABLE
    if text[0] == "[" and text[-1] == "]":
        quoted = (part.strip().strip("\"'") for part in text[1:-1].split(","))
        return _of_names(_rejoined(list(quoted)), separators)
    return _of_names([text], separators)


def _text_of_item(item: Node) -> str | None:
    if isinstance(item, Scalar):
        is_name = not (item.plain and _NOT_A_NAME.fullmatch(item.text.strip()))
        return item.text if is_name or not item.text.strip() else None
    if isinstance(item, Mapping) and len(item.entries) == 1:
        # `- Bash(git: *)`: YAML takes the colon for a key's.
        key, value = item.entries[0]
        if "(" in key.text and isinstance(value, Scalar) and value.text.endswith(")"):
            return f"{key.text}: {value.text}"
    return None


def _rejoined(texts: list[str]) -> list[str]:
    """Puts back together what a YAML flow list split at a comma inside parentheses."""
    joined: list[str] = []
    for text in texts:
        if joined and joined[-1].count("(") > joined[-1].count(")"):
            joined[-1] += f", {text}"
        else:
            joined.append(text)
    return joined


def _of_names(texts: list[str], separators: str) -> DeclaredList:
    names: list[str] = []
    for text in texts:
        split = _split(text, separators)
        if split is None:
            return UNPARSABLE
        names.extend(split)
    if not names:
        return EMPTY
    return DeclaredList(Declaration.DECLARED, tuple(dict.fromkeys(names)))


def _split(text: str, separators: str) -> list[str] | None:
    """None when the parentheses do not match."""
    names: list[str] = []
    current = ""
    depth = 0
    for character in text:
        depth += (character in "(") - (character in ")")
        if depth < 0:
            return None
        if depth == 0 and character in separators:
            names.append(current)
            current = ""
        else:
            current += character
    if depth:
        return None
    names.append(current)
    return _with_alternatives(
        [bare for name in names if (bare := _LIST_MARK.sub("", name.strip()))]
    )


def _with_alternatives(names: list[str]) -> list[str]:
    """`a | b` is one name, however the bar is spaced."""
    joined: list[str] = []
    for name in names:
        goes_on = joined and (joined[-1].endswith("|") or name.startswith("|"))
        if goes_on:
            joined[-1] += name
        else:
            joined.append(name)
    return [
        " | ".join(part.strip() for part in name.split("|") if part.strip())
        if "|" in name and "(" not in name
        else name
        for name in joined
    ]
