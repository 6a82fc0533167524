"""What of a skill may be searched: its texts without what redaction masks.

A masked value that could be searched for could be guessed word by word, so it is taken out
before anything is indexed, whatever policy the operator has for what leaves.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from catalog.injection.redaction import (
    RULES_VERSION,
    UNCONDITIONAL,
    Span,
    redacted_name,
    redacted_path,
)
from catalog.skill import Artifact, Section, Skill

SEARCHABLE_VERSION: Final = RULES_VERSION
"""Changes when the texts that are indexed change for the same skill."""


def searchable(skill: Skill) -> Skill:
    """The skill with every masked value cut out; the same object where there is none."""
    changed: dict[str, Any] = {
        field: clean
        for field in _TEXTS
        if (clean := without_masked(text := getattr(skill, field))) is not text
    }
    names = {field: getattr(skill, field) for field in _NAMES}
    clean_names = {field: redacted_name(name, without_masked) for field, name in names.items()}
    if clean_names != names:
        changed |= clean_names
    if "body" in changed:
        changed["sections"] = tuple(map(_section, skill.sections))
    tags = tuple(map(without_masked, skill.tags))
    if tags != skill.tags:
        changed["tags"] = tags
    artifacts = tuple(map(_artifact, skill.artifacts))
    if artifacts != skill.artifacts:
        changed["artifacts"] = artifacts
    return replace(skill, **changed) if changed else skill


_NAMES: Final = ("qualified_name", "name")
_TEXTS: Final = ("title", "description", "trigger", "body")


def without_masked(text: str) -> str:
    """The text with a blank in place of every value that redaction would mask."""
    spans = UNCONDITIONAL.redact(text).spans
    return without(text, ((span.start, span.end) for span in spans)) if spans else text


def without(text: str, spans: Iterable[Span]) -> str:
    """The text with a blank in place of each of the spans (sorted, disjoint)."""
    pieces, position = [], 0
    for start, end in spans:
        pieces.append(text[position:start])
        position = end
    return " ".join((*pieces, text[position:]))


def _section(section: Section) -> Section:
    return replace(
        section,
        heading=without_masked(section.heading),
        markdown=without_masked(section.markdown),
    )


def _artifact(artifact: Artifact) -> Artifact:
    return replace(artifact, path=redacted_path(artifact.path, without_masked))
