"""What of a skill may be searched: its texts without what redaction masks.

A masked value that could be searched for could be guessed word by word, so it is taken out
before anything is indexed, whatever policy the operator has for what leaves.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from catalog.injection.redaction import RULES_VERSION, Redactor
from catalog.skill import Artifact, Section, Skill

SEARCHABLE_VERSION: Final = RULES_VERSION
"""Changes when the texts that are indexed change for the same skill."""

_REDACTOR: Final = Redactor()


def searchable(skill: Skill) -> Skill:
    """The skill with every masked value cut out; the same object where there is none."""
    body = without_masked(skill.body)
    sections = skill.sections
    if body is not skill.body:
        sections = tuple(map(_section, sections))
    found = replace(
        skill,
        qualified_name=without_masked(skill.qualified_name),
        name=without_masked(skill.name),
        title=without_masked(skill.title),
        description=without_masked(skill.description),
        trigger=without_masked(skill.trigger),
        body=body,
        sections=sections,
        tags=tuple(map(without_masked, skill.tags)),
        artifacts=tuple(map(_artifact, skill.artifacts)),
    )
    return skill if found == skill else found


def without_masked(text: str) -> str:
    """The text with a blank in place of every value that redaction would mask."""
    spans = _REDACTOR.redact(text).spans
    if not spans:
        return text
    pieces, position = [], 0
    for span in spans:
        pieces.append(text[position : span.start])
        position = span.end
    return " ".join((*pieces, text[position:]))


def _section(section: Section) -> Section:
    return replace(
        section,
        heading=without_masked(section.heading),
        markdown=without_masked(section.markdown),
    )


def _artifact(artifact: Artifact) -> Artifact:
    # Part by part: behind a slash an address looks like a part of a URL.
    return replace(artifact, path="/".join(map(without_masked, artifact.path.split("/"))))
