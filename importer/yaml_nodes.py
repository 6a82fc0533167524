"""YAML read as a tree of texts with places: no types, no aliases, no recursion.

The tree is made of the parser's events, so a file decides neither the depth of a call stack
nor the size of what comes out: an alias or an anchor, a nesting deeper than the limit, a
tag or a key that is not a scalar end the reading, and the caller decides what to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import yaml

from importer.limits import MAX_FRONTMATTER_DEPTH

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # PyYAML built without libyaml: slower, and the same events.
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class Scalar:
    """`text` after quotes, escapes and folding. `start` and `end` are character positions
    in the text that was read, `line` counts from 1 in the file."""

    text: str
    plain: bool
    line: int
    start: int
    end: int

    @property
    def is_null(self) -> bool:
        return self.plain and self.text in ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True, slots=True)
class Sequence:
    items: tuple[Node, ...]
    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mapping:
    entries: tuple[tuple[Scalar, Node], ...]
    line: int
    start: int
    end: int


Node: TypeAlias = Scalar | Sequence | Mapping


class Fault(StrEnum):
    SYNTAX = "syntax"
    ALIAS = "alias"
    DEPTH = "depth"


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why there is no tree, and the line of the file where reading ended."""

    fault: Fault
    line: int


@dataclass(slots=True)
class _Open:
    """A collection whose end has not come yet."""

    is_mapping: bool
    line: int
    start: int
    children: list[Node]


def read_nodes(text: str, first_line: int) -> Node | Unreadable | None:
    """The one document of a YAML text; None when it is empty.

    Args:
        first_line: the line of the file on which `text` begins, counted from 1.
    """
    root: Node | None = None
    stack: list[_Open] = []
    try:
        for event in yaml.parse(text, Loader=_Loader):
            start, end = event.start_mark, event.end_mark
            if start is None or end is None:
                continue
            line = first_line + start.line
            node: Node
            if isinstance(event, yaml.ScalarEvent):
                if not _is_plain_node(event):
                    return _unreadable_node(event, line)
                node = Scalar(event.value, not event.style, line, start.index, end.index)
            elif isinstance(event, yaml.CollectionStartEvent):
                if not _is_plain_node(event):
                    return _unreadable_node(event, line)
                if len(stack) == MAX_FRONTMATTER_DEPTH:
                    return Unreadable(Fault.DEPTH, line)
                is_mapping = isinstance(event, yaml.MappingStartEvent)
                stack.append(_Open(is_mapping, line, start.index, []))
                continue
            elif isinstance(event, yaml.CollectionEndEvent):
                closed = _closed(stack.pop(), end.index)
                if isinstance(closed, Unreadable):
                    return closed
                node = closed
            elif isinstance(event, yaml.AliasEvent):
                return Unreadable(Fault.ALIAS, line)
            elif isinstance(event, yaml.DocumentStartEvent) and root is not None:
                return Unreadable(Fault.SYNTAX, line)
            else:
                continue
            if stack:
                stack[-1].children.append(node)
            else:
                root = node
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        # libyaml has a depth limit of its own, which it meets while it looks ahead.
        fault = Fault.DEPTH if "nesting depth" in str(error.problem) else Fault.SYNTAX
        return Unreadable(fault, first_line + (mark.line if mark else 0))
    except yaml.YAMLError:
        return Unreadable(Fault.SYNTAX, first_line)
    return root


def _is_plain_node(event: yaml.ScalarEvent | yaml.CollectionStartEvent) -> bool:
    return not event.anchor and (not event.tag or event.tag.startswith("tag:yaml.org,2002:"))


def _unreadable_node(event: yaml.ScalarEvent | yaml.CollectionStartEvent, line: int) -> Unreadable:
    return Unreadable(Fault.ALIAS if event.anchor else Fault.SYNTAX, line)


def _closed(collection: _Open, end: int) -> Node | Unreadable:
    children = collection.children
    if not collection.is_mapping:
        return Sequence(tuple(children), collection.line, collection.start, end)
    entries = []
    for key, value in zip(children[::2], children[1::2], strict=True):
        if not isinstance(key, Scalar):
            return Unreadable(Fault.SYNTAX, key.line)
        entries.append((key, value))
    return Mapping(tuple(entries), collection.line, collection.start, end)
