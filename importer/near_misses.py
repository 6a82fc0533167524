"""Slips in what decides which runs see a skill: the names of those fields, and of tools.

A gate with a slip in its name has one reading and is read, because a gate only ever narrows
who sees the skill. A tool with one is told and kept as written: no run allows it, so the skill
stays out of sight until its author looks.
"""

from __future__ import annotations

import re

from catalog.text.typing_slips import one_slip_apart

_GATES = {
    "required": (("tools", "namespaces", "tags"), "required_{}"),
    "allowed": (("tools",), "allowed-{}"),
}
_VERB_FORMS = {"require": "required", "requires": "required", "allow": "allowed"}
_FEWEST_LETTERS_FOR_A_SLIP = 5

# Tools that agents bring along under these names: those of the documentation of Claude Code.
_WELL_KNOWN_TOOLS = (
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "Edit",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "KillShell",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "Read",
    "Skill",
    "SlashCommand",
    "Task",
    "TodoWrite",
    "WebFetch",
    "WebSearch",
    "Write",
)
_FEWEST_LETTERS_OF_A_TOOL = 4
_BY_FOLDED_NAME = {tool.casefold(): tool for tool in _WELL_KNOWN_TOOLS}


def gate_meant(key: str) -> str | None:
    """The gate that a field's name is a slip of: `requires_tools`, `alowed-tools`.

    The name has a verb and a noun; each may be in another form or one slip away, and both
    begin with the right letter: `unallowed-tools` and `required_roles` are other fields.
    """
    squashed = re.sub(r"[\s_-]", "", key).casefold()
    if squashed[:1] not in ("r", "a"):
        return None
    for end in range(len("allow") - 1, min(len(squashed), _MOST_LETTERS)):
        verb = _form_of(squashed[:end], ("required", "allowed"))
        if verb:
            nouns, written = _GATES[verb]
            noun = _form_of(squashed[end:], nouns)
            if noun:
                return written.format(noun)
    return None


_MOST_LETTERS = 40


def _form_of(word: str, known: tuple[str, ...]) -> str | None:
    """The word of `known` that this one is, in another number or tense or with one slip."""
    if _VERB_FORMS.get(word) in known:
        return _VERB_FORMS[word]
    for candidate in known:
        if word in (candidate, candidate.removesuffix("s")):
            return candidate
        has_room = len(candidate) >= _FEWEST_LETTERS_FOR_A_SLIP
        if has_room and word[:1] == candidate[0] and one_slip_apart(word, candidate):
            return candidate
    return None


def tool_meant(name: str) -> str | None:
    """The well-known tool that a name is one slip away from; None where it is one, in any
    case of its letters, or is like none. What stands in parentheses is no part of a name."""
    bare = name.partition("(")[0].strip().casefold()
    # `web_fetch` is how other agents call theirs.
    is_known = bare.replace("_", "").replace("-", "") in _BY_FOLDED_NAME
    if len(bare) < _FEWEST_LETTERS_OF_A_TOOL or is_known:
        return None
    return next(
        (
            tool
            for folded, tool in _BY_FOLDED_NAME.items()
            if bare[0] == folded[0] and one_slip_apart(bare, folded)
        ),
        None,
    )
