"""What a run may use, and which skills may therefore show. First step of the injection.

Tool names are compared in one canonical form (NFKC, trimmed, case-folded, without invisible
characters), so `bash`, ` Bash` and `Ｂａｓｈ` are one tool. Three spellings mean more than a
name:

- `Bash(git:*)` is `Bash` within the specifier. As an allowed tool it meets a need for `Bash`
  (the run can use it, within that limit) and for narrower ones such as `Bash(git status)`;
  it does not meet `Bash(npm:*)`. An allowed `Bash` meets them all.
- `mcp__server__tool` is one tool of a server; an allowed `mcp__server` or `mcp__server__*`
  meets a need for any tool of that server, and one allowed tool does not meet a need for the
  whole server.
- `Read | Grep` is met by either. Every entry of a list must be met.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from catalog.shapes import check_fields
from catalog.skill import Declaration, DeclaredList, Requirements

_REMEMBERED_SPELLINGS = 8_192


@dataclass(frozen=True, slots=True)
class Capability:
    """Allowed tools, namespaces and tags of one run, as the caller spells them.

    None means the caller said nothing; an empty tuple means that nothing is allowed. Both
    show only skills that require nothing; they differ in the text, where names of tools
    are replaced only when the caller said what it may use.
    """

    tools: tuple[str, ...] | None = None
    namespaces: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        check_fields(self)


class Gate:
    """One capability, compiled: asks of each skill whether this run may see it.

    A gate is made for one request and remembers its verdict on every `Requirements` object
    it was shown, so that thousands of skills that share one cost a look-up each.
    """

    __slots__ = ("_namespaces", "_tags", "_tools", "_verdicts", "capability")

    def __init__(self, capability: Capability) -> None:
        self.capability = capability
        self._tools = _AllowedTools(capability.tools or ())
        self._namespaces = _canonical_names(capability.namespaces or ())
        self._tags = _canonical_names(capability.tags or ())
        # Keyed by object, not by value: hashing three lists costs more than the verdict.
        # The object is kept beside its verdict so that its id cannot be used again.
        self._verdicts: dict[int, tuple[bool, Requirements]] = {}

    def admits(self, requirements: Requirements) -> bool:
        """Whether every required tool, namespace and tag is allowed.

        A list that is absent or empty requires nothing; one that could not be parsed is a
        need that no run meets.
        """
        known = self._verdicts.get(id(requirements))
        if known is not None:
            return known[0]
        verdict = (
            _met(requirements.tools, self.allows_tool)
            and _met(requirements.namespaces, self._allows_namespace)
            and _met(requirements.tags, self._allows_tag)
        )
        self._verdicts[id(requirements)] = (verdict, requirements)
        return verdict

    def allows_tool(self, spelling: str) -> bool:
        """Whether the run may use the tool of that spelling; alternatives are not split."""
        return self._tools.cover(tool_name(spelling))

    def _allows_namespace(self, namespace: str) -> bool:
        return _canonical_text(namespace) in self._namespaces

    def _allows_tag(self, tag: str) -> bool:
        return _canonical_text(tag) in self._tags


def admits(requirements: Requirements, capability: Capability) -> bool:
    """Whether a run of that capability may see a skill of those requirements."""
    return Gate(capability).admits(requirements)


def canonical_tool_name(spelling: str) -> str:
    """The tool that a spelling names, without its specifier: `bash` for `Bash(git:*)`,
    `mcp__server` for `mcp__server__*`. Two spellings of equal canonical name are one tool."""
    return tool_name(spelling).name


@dataclass(frozen=True, slots=True)
class ToolName:
    """A spelling taken apart: the canonical name, and the specifier that limits it."""

    name: str
    specifier: str | None = None

    @property
    def server(self) -> str | None:
        """`mcp__server` of `mcp__server__tool`; None for any other name."""
        parts = self.name.split("__", 2)
        is_server_tool = len(parts) == 3 and parts[0] == "mcp" and parts[1] and parts[2]
        return f"mcp__{parts[1]}" if is_server_tool else None


@lru_cache(maxsize=_REMEMBERED_SPELLINGS)
def tool_name(spelling: str) -> ToolName:
    """Take a spelling apart. A specifier of `*` or nothing limits nothing."""
    text = _canonical_text(spelling)
    specifier: str | None = None
    if text.endswith(")") and "(" in text:
        text, specifier = text[:-1].split("(", 1)
        text, specifier = text.strip(), specifier.strip()
    if text.startswith("mcp__") and text.endswith("__*"):
        text = text.removesuffix("__*")
    return ToolName(text, None if specifier in ("", "*") else specifier)


@lru_cache(maxsize=_REMEMBERED_SPELLINGS)
def alternatives(entry: str) -> tuple[str, ...]:
    """The names of an `a | b` entry; a bar inside parentheses belongs to the specifier."""
    names: list[str] = []
    depth = start = 0
    for position, character in enumerate(entry):
        if character == "(":
            depth += 1
        elif character == ")":
            depth = max(0, depth - 1)
        elif character == "|" and not depth:
            names.append(entry[start:position])
            start = position + 1
    names.append(entry[start:])
    return tuple(name.strip() for name in names if _canonical_text(name))


class _AllowedTools:
    """Allowed names, each with the specifiers it is allowed within (None: without limit)."""

    __slots__ = ("_specifiers",)

    def __init__(self, spellings: Iterable[str]) -> None:
        self._specifiers: dict[str, list[str | None]] = {}
        for spelling in spellings:
            allowed = tool_name(spelling)
            if allowed.name:
                self._specifiers.setdefault(allowed.name, []).append(allowed.specifier)

    def cover(self, wanted: ToolName) -> bool:
        for name in (wanted.name, wanted.server):
            specifiers = self._specifiers.get(name, ()) if name else ()
            if any(_covers(allowed, wanted.specifier) for allowed in specifiers):
                return True
        return False


def _covers(allowed: str | None, wanted: str | None) -> bool:
    if allowed is None or wanted is None or allowed == wanted:
        return True
    # A prefix says nothing about what a second command on the same line may be.
    if _SHELL_OPERATOR.search(wanted):
        return False
    if allowed.endswith(":*"):
        command = allowed.removesuffix(":*")
        return wanted == command or wanted.startswith((f"{command} ", f"{command}:"))
    return allowed.endswith("*") and wanted.startswith(allowed.rstrip("*"))


_SHELL_OPERATOR = re.compile(r"[;&|`<>\n]|\$\(")


def _met(required: DeclaredList, allows: Callable[[str], bool]) -> bool:
    if required.declaration is Declaration.UNPARSABLE:
        return False
    return all(any(allows(name) for name in alternatives(entry)) for entry in required.names)


def _canonical_names(names: Iterable[str]) -> frozenset[str]:
    return frozenset(filter(None, map(_canonical_text, names)))


@lru_cache(maxsize=_REMEMBERED_SPELLINGS)
def _canonical_text(text: str) -> str:
    if not text.isascii():
        # Case folding can undo a normalisation, so normalise again behind it.
        text = unicodedata.normalize("NFKC", text).casefold()
        text = unicodedata.normalize("NFKC", text)
        text = "".join(character for character in text if not _is_invisible(character))
    return text.casefold().strip()


def _is_invisible(character: str) -> bool:
    return (
        unicodedata.category(character) == "Cf"
        or "\ufe00" <= character <= "\ufe0f"
        or "\U000e0100" <= character <= "\U000e01ef"
        or character == "\u034f"
    )
