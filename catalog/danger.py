"""What no agent may write into a skill: credentials, and instructions that nobody sees."""

from __future__ import annotations

from catalog.errors import InvalidSkill
from catalog.injection.redaction import UNCONDITIONAL
from catalog.skill import Skill
from catalog.text.invisible import find_invisible

_CREDENTIAL = "CREDENTIAL"


def refuse_dangers(skill: Skill) -> None:
    """Look through every text of a proposed skill.

    Raises:
        InvalidSkill: a credential or a hidden instruction is in it. The message names each
            by its line and columns (from 1, in characters) and never repeats the value.
    """
    text = skill.source.decode()
    spans = [
        (span.start, span.end, "a credential")
        for span in UNCONDITIONAL.redact(text).spans
        if span.entity == _CREDENTIAL
    ]
    spans += [(run.start, run.end, f"hidden text ({run.kind})") for run in find_invisible(text)]
    if spans:
        places = [f"{what} at {_place(text, start, end)}" for start, end, what in sorted(spans)]
        raise InvalidSkill(
            f"the skill holds {'; '.join(places)}; take it out and propose again",
            field="markdown",
            spans=", ".join(f"{start}-{end}" for start, end, _ in sorted(spans)),
        )


def _place(text: str, start: int, end: int) -> str:
    line_start = text.rfind("\n", 0, start) + 1
    line = text.count("\n", 0, start) + 1
    return f"line {line}, columns {start - line_start + 1} to {end - line_start}"
