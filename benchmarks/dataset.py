"""Packs and prompts to measure on: read the same way by every benchmark.

A prompt is a line of JSON: `query`, `skill_path` (of the right skill, relative to its pack's
folder), `should_trigger`, `lang`. Equivalents are lines with `skill_path` and a list
`equivalents` of other paths that count as right.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from catalog.skill import Skill
from importer.pack import read_packs


@dataclass(frozen=True, slots=True)
class Prompt:
    """`positive` is False where the skill is the wrong answer (another may be right)."""

    query: str
    skill_path: str
    language: str
    positive: bool

    @property
    def repository(self) -> str:
        return self.skill_path.split("/", 1)[0]


def read_prompts(path: Path) -> list[Prompt]:
    return [
        Prompt(line["query"], line["skill_path"], line["lang"], line["should_trigger"])
        for line in _lines(path)
    ]


def read_equivalents(path: Path | None) -> dict[str, frozenset[str]]:
    """Other right paths by the path of a skill; empty without a file."""
    if path is None:
        return {}
    return {
        line["skill_path"]: frozenset(other["skill_path"] for other in line["equivalents"])
        for line in _lines(path)
    }


def read_skills(packs: Iterable[Path]) -> list[Skill]:
    """Every skill of the packs as the importer reads it, refused ones left out."""
    return [
        replace(read.skill, pack=pack.name)
        for pack in packs
        for read in read_packs(pack)
        if read.skill is not None
    ]


def right_paths(prompt: Prompt, equivalents: dict[str, frozenset[str]]) -> frozenset[str]:
    return equivalents.get(prompt.skill_path, frozenset()) | {prompt.skill_path}


def _lines(path: Path) -> Iterator[dict[str, object]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)
