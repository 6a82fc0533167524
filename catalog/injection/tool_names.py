"""Names of tools that a skill declares and the run may not use, taken out of its text.

A name is replaced by "a suitable tool", with "(use tool_search)" behind it where the run may
use `tool_search`. What counts as the name:

- Whole identifiers only: without `Bash`, `BashOutput`, `web-Bash`, `Bash.md` and `obj.Bash`
  stay. A specifier belongs to its name, so `Bash(git:*)` is replaced whole; a declared server
  `mcp__tracker` stands for all of its tools.
- Letter case matters for plain words, because `bash deploy.sh` is a command and `read` a
  verb. Compound names (`WebFetch`, `mcp__tracker__open`) are found in any case.
- A name that is also an ordinary word (`Read`, `Write`, `Task`) is replaced where the text
  uses it as a tool: with a specifier, alone in a code span, before "tool", in a list of names,
  as the subject of a sentence ("Read needs a path") or capitalised inside one ("use Read to").
  It stays where it is the word: "Read every line", "Task Manager", a heading, lower case.
- Addresses, paths and the info string of a fence stay, so links and fences keep working.

Inside fenced or indented code the replacement is the identifier `a_suitable_tool`, which is
valid as code, in a string and in a comment alike; a specifier goes only where it is written
as one (`Bash(git:*)`), because `Bash(command)` may be a definition or a call.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable

import re2

from catalog.injection.capability import Gate, alternatives, canonical_tool_name
from catalog.injection.markdown_structure import code_lines, line_starts
from catalog.skill import DeclaredList, Requirements

TOOL_SEARCH = "tool_search"
REPLACEMENT = "a suitable tool"
REPLACEMENT_WITH_SEARCH = f"{REPLACEMENT} (use {TOOL_SEARCH})"
REPLACEMENT_IN_CODE = "a_suitable_tool"


def unusable_tool_names(
    gate: Gate, requirements: Requirements, allowed_tools: DeclaredList
) -> tuple[str, ...]:
    """Declared spellings that the run may not use: none when it did not say what it may."""
    if gate.capability.tools is None:
        return ()
    declared = (
        spelling
        for entry in (*requirements.tools.names, *allowed_tools.names)
        for spelling in alternatives(entry)
    )
    return tuple(dict.fromkeys(spelling for spelling in declared if not gate.allows_tool(spelling)))


def tool_name_replacement(gate: Gate, unusable: Iterable[str]) -> Callable[[str], str] | None:
    """A function that replaces those names in a text; None when there are none."""
    names = sorted({_written_name(spelling) for spelling in unusable} - {""}, key=_longest_first)
    if not names:
        return None
    # Names come from a pack, so the pattern is RE2: linear in the text, whatever they are.
    pattern = re2.compile("|".join(map(_name_pattern, names)))
    words = REPLACEMENT_WITH_SEARCH if gate.allows_tool(TOOL_SEARCH) else REPLACEMENT

    def replace(text: str) -> str:
        return _replaced(text, pattern, gate, words)

    return replace


def _longest_first(name: str) -> tuple[int, str]:
    return -len(name), name


def _written_name(spelling: str) -> str:
    return spelling.split("(", 1)[0].strip().removesuffix("__*")


def _name_pattern(name: str) -> str:
    escaped: str = re2.escape(name)
    if canonical_tool_name(name).startswith("mcp__") and name.count("__") == 1:
        escaped += "(?:__[0-9A-Za-z_-]+)?"
    if not _PLAIN_WORD.fullmatch(name):
        escaped = f"(?i:{escaped})"
    return escaped + r"(?:\([^()\n\"'`]*\))?"


_PLAIN_WORD = re.compile(r"[^\W\d_][^\W\d_A-Z]*")
_ORDINARY = """
    agent ask browse code copy create delete edit execute fetch file files find list memory
    move open patch plan question read run search skill task think update view web write
"""
_ORDINARY_WORDS = frozenset(_ORDINARY.split())


def _replaced(text: str, pattern: re2._Regexp[str], gate: Gate, words: str) -> str:
    matches = [
        (match.start(), match.end())
        for match in pattern.finditer(text)
        if not gate.allows_tool(match.group())
    ]
    if not matches:
        return text
    code = _CodeOffsets(text)
    kept: list[str] = []
    position = 0
    for start, end in matches:
        in_code = code.holds(start)
        if in_code and ":*" not in text[start:end]:
            end = start + len(text[start:end].split("(", 1)[0])
        if code.opens(start) or not _names_the_tool(text, start, end, in_code):
            continue
        kept += text[position:start], REPLACEMENT_IN_CODE if in_code else words
        position = end
    kept.append(text[position:])
    return "".join(kept)


class _CodeOffsets:
    """Where in a Markdown text code blocks lie."""

    def __init__(self, text: str) -> None:
        starts = [*line_starts(text), len(text)]
        self._blocks = [
            (starts[lines.start], starts[min(lines.start + 1, len(starts) - 1)], starts[lines.stop])
            for lines in code_lines(text)
        ]
        self._starts = [start for start, _, _ in self._blocks]
        self._fenced = [
            text[start:first].lstrip("> \t-*+0123456789.)")[:3] in ("```", "~~~")
            for start, first, _ in self._blocks
        ]

    def holds(self, offset: int) -> bool:
        return self._block_at(offset) is not None

    def opens(self, offset: int) -> bool:
        """Whether the offset lies in the line that opens a fence."""
        block = self._block_at(offset)
        return block is not None and self._fenced[block] and offset < self._blocks[block][1]

    def _block_at(self, offset: int) -> int | None:
        block = bisect_right(self._starts, offset) - 1
        return block if block >= 0 and offset < self._blocks[block][2] else None


def _names_the_tool(text: str, start: int, end: int, in_code: bool) -> bool:
    if _joins(text, start - 1, -1) or _joins(text, end, +1):
        return False
    name = text[start:end]
    if not in_code and _is_address(text, start):
        return False
    return name.casefold() not in _ORDINARY_WORDS or _is_used_as_tool(text, start, end, in_code)


def _is_used_as_tool(text: str, start: int, end: int, in_code: bool) -> bool:
    around = text[start - 1 : start] + text[end : end + 1]
    if in_code:
        return around in ('""', "''")
    if around == "``" or _BEFORE_TOOL.match(text, end):
        return True
    lead = max(0, start - _LONGEST_LEAD)
    before = text[max(lead, text.rfind("\n", lead, start) + 1) : start]
    if text[start].islower() or before.lstrip("> \t").startswith("#"):
        return False
    if _IN_LIST_OF_NAMES.match(text, end):
        return True
    if _SENTENCE_START.search(before):
        return bool(_AS_SUBJECT.match(text, end))
    return not _IN_PROPER_NAME.match(text, end)


def _joins(text: str, neighbour: int, direction: int) -> bool:
    """Whether the neighbouring character makes the name part of a longer identifier."""
    character = text[neighbour] if 0 <= neighbour < len(text) else " "
    beyond_at = neighbour + direction
    beyond = text[beyond_at] if 0 <= beyond_at < len(text) else " "
    if character in ".-":
        return _is_identifier(beyond) or beyond == "/" or (character == beyond == "-")
    return _is_identifier(character)


def _is_identifier(character: str) -> bool:
    # Scripts that write without spaces put a name directly beside their own words.
    return character in "_$@" or (character.isalnum() and not _UNSPACED.match(character))


_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u9fff\uac00-\ud7af]"
)
_BEFORE_TOOL = re.compile(r"`? tools?\b")


def _is_address(text: str, start: int) -> bool:
    before = text[max(0, start - _LONGEST_ADDRESS) : start]
    runs = before.split()
    if not runs or before[-1].isspace():
        return False
    run = runs[-1].lstrip("`\"'(<")
    return "://" in run or "](" in run or run.startswith(("./", "../", "/", "~/"))


# Looking back is bounded, so that the time is linear in the text.
_LONGEST_ADDRESS = 256
_LONGEST_LEAD = 64


_IN_LIST_OF_NAMES = re.compile(r"(?:,|,? (?:or|and)|/| [/+]) ?[`*]*[A-Z]\w+")
_AS_SUBJECT = re.compile(
    r"[*_]* (?:is|was|needs?|takes?|returns?|can|cannot|must|may|will|does|has|requires?)\b"
)
_IN_PROPER_NAME = re.compile(r" [A-Z]\w*[a-z]")
# A line's markers, or a mark other than a comma, a quotation or emphasis.
_SENTENCE_START = re.compile(r"(?:^[\s>#*+\-\d.)(\[\]xX_|]*|[^\w\s,'’\"`)\]*][\s*_\"“]*)$")
