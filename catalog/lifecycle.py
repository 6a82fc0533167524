"""What callers ask to be changed, and what they are told of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from catalog.card import Card
from catalog.errors import InvalidSkill
from catalog.scope import ScopeKind
from catalog.shapes import check_fields
from catalog.skill import Origin, Skill

MAX_PROPOSAL_BYTES = 256 * 1024
MAX_IDEMPOTENCY_KEY_CHARACTERS = 128


class Change(StrEnum):
    ADDED = "added"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    REMOVED = "removed"
    DELETED_HERE = "deleted_here"
    """An import found the skill as somebody deleted it, and left it deleted."""


@dataclass(frozen=True, slots=True)
class ProposeRequest:
    """Args:
    skill: as the importer parsed it; its pack, origin and reference are set here.
    scope: session, user or project; None means project, or user where the identity names
        no project.
    expected_content_hash: of the version that is to be changed; empty for a new skill.
    idempotency_key: a retry with the same key and request gets the same answer.
    """

    skill: Skill
    scope: ScopeKind | None = None
    expected_content_hash: str = ""
    idempotency_key: str = ""

    def __post_init__(self) -> None:
        check_fields(self, InvalidSkill)


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """A visible skill that says much the same: `similarity` is 0 to 1."""

    qualified_name: str
    similarity: float


@dataclass(frozen=True, slots=True)
class ProposeAnswer:
    change: Change
    card: Card
    scope: ScopeKind
    reference: str
    near_duplicates: tuple[NearDuplicate, ...] = ()


@dataclass(frozen=True, slots=True)
class DeleteRequest:
    """Args:
    scope: where the skill is; None means the narrowest that has it.
    expected_content_hash: refuse when the present version is another; empty for any.
    purge: delete its bytes and earlier versions too, from every file.
    """

    name: str
    scope: ScopeKind | None = None
    expected_content_hash: str = ""
    purge: bool = False

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True)
class Changed:
    """The version that a change was about."""

    card: Card
    scope: ScopeKind
    origin: Origin
