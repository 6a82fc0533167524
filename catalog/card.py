"""The short form of a skill, and the entry that ranks and filters work on."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.scope import Scope
from catalog.skill import DeclaredList, Origin, Requirements, Skill


@dataclass(frozen=True, slots=True)
class Card:
    """What a planner reads to choose: never the body.

    `tokens` is the size of the skill's whole body, in tokens of the catalog's counter.
    """

    qualified_name: str
    name: str
    title: str
    description: str
    trigger: str
    tags: tuple[str, ...]
    tokens: int
    content_hash: str


def card_of(skill: Skill, tokens: int) -> Card:
    """The card that the skill has, or would have, in the catalog."""
    return Card(
        qualified_name=skill.qualified_name,
        name=skill.name,
        title=skill.title,
        description=skill.description,
        trigger=skill.trigger,
        tags=skill.tags,
        tokens=tokens,
        content_hash=skill.content_hash,
    )


@dataclass(frozen=True, slots=True)
class Entry:
    """A stored skill as search sees it: its card, its owner and what it requires.

    `entry_id` names one version of one skill: a changed skill gets a new one and no id is
    ever used twice, so anything may be remembered under it.
    """

    entry_id: int
    scope_id: int
    card: Card
    requirements: Requirements
    allowed_tools: DeclaredList
    pack: str | None
    task_type: str
    origin: Origin
    updated_at: float


@dataclass(frozen=True, slots=True)
class StoredSkill:
    """A skill with its owner and the times (seconds since the epoch) of its versions."""

    entry: Entry
    scope: Scope
    skill: Skill
    created_at: float
    updated_at: float
