"""Skills to rows and back: the only place that knows how a skill lies in columns."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from catalog.card import Card, Entry, StoredSkill
from catalog.scope import Scope
from catalog.skill import (
    Artifact,
    Declaration,
    DeclaredList,
    Origin,
    Requirements,
    Section,
    SectionKind,
    Skill,
)
from catalog.text.folding import fold

ENTRY_COLUMNS = (
    "entry_id",
    "scope_id",
    "qualified_name",
    "name",
    "title",
    "description",
    "trigger_text",
    "tags",
    "tokens",
    "content_hash",
    "requirements",
    "allowed_tools",
    "pack",
    "task_type",
    "origin",
    "updated_at",
)


def entry_row(skill: Skill, tokens: int) -> dict[str, Any]:
    """The columns of `entry` that the skill itself decides."""
    return {
        "qualified_name": skill.qualified_name,
        "name": skill.name,
        "folded_qualified_name": fold(skill.qualified_name),
        "folded_name": fold(skill.name),
        "pack": skill.pack,
        "source_path": skill.source_path,
        "title": skill.title,
        "description": skill.description,
        "trigger_text": skill.trigger,
        "tags": _json(skill.tags),
        "task_type": skill.task_type,
        "requirements": _requirements_text(skill.requirements),
        "allowed_tools": _declared_text(skill.allowed_tools),
        "origin": skill.origin.value,
        "origin_reference": skill.origin_reference,
        "tokens": tokens,
        "content_hash": skill.content_hash,
        "source_sha256": hashlib.sha256(skill.source).hexdigest(),
    }


def entry_from_row(row: Sequence[Any]) -> Entry:
    """`row` holds ENTRY_COLUMNS in their order."""
    return Entry(
        entry_id=row[0],
        scope_id=row[1],
        card=Card(
            qualified_name=row[2],
            name=row[3],
            title=row[4],
            description=row[5],
            trigger=row[6],
            tags=_names(row[7]),
            tokens=row[8],
            content_hash=row[9],
        ),
        requirements=_requirements(row[10]),
        allowed_tools=_declared(row[11]),
        pack=row[12],
        task_type=row[13],
        origin=Origin(row[14]),
        updated_at=row[15],
    )


def content_text(skill: Skill) -> str:
    """The rest of a skill as JSON. The body is left out where the source ends with it."""
    in_source = skill.source.endswith(skill.body.encode())
    return _json(
        {
            "body": None if in_source else skill.body,
            "body_bytes": len(skill.body.encode()),
            "sections": [
                (
                    section.id,
                    section.kind.value,
                    section.heading,
                    section.level,
                    len(section.markdown),
                )
                for section in skill.sections
            ],
            "metadata": skill.metadata,
            "license": skill.license,
            "compatibility": skill.compatibility,
        }
    )


def skill_from_rows(
    entry: Entry,
    source_path: str,
    origin_reference: str,
    content: str,
    source: bytes,
    artifacts: tuple[Artifact, ...],
) -> Skill:
    rest = json.loads(content)
    body: str = rest["body"]
    if body is None:
        body = source[len(source) - rest["body_bytes"] :].decode()
    sections = []
    start = 0
    for section_id, kind, heading, level, characters in rest["sections"]:
        markdown = body[start : start + characters]
        sections.append(Section(section_id, SectionKind(kind), heading, level, markdown))
        start += characters
    card = entry.card
    return Skill(
        qualified_name=card.qualified_name,
        name=card.name,
        title=card.title,
        description=card.description,
        trigger=card.trigger,
        body=body,
        sections=tuple(sections),
        source=source,
        source_path=source_path,
        pack=entry.pack,
        task_type=entry.task_type,
        tags=card.tags,
        requirements=entry.requirements,
        allowed_tools=entry.allowed_tools,
        metadata=tuple((key, value) for key, value in rest["metadata"]),
        artifacts=artifacts,
        license=rest["license"],
        compatibility=rest["compatibility"],
        origin=entry.origin,
        origin_reference=origin_reference,
    )


def snapshot_text(stored: StoredSkill) -> str:
    """A version that is no longer the present one, without its source and its artifacts."""
    skill, entry = stored.skill, stored.entry
    row = entry_row(skill, entry.card.tokens) | {
        "entry_id": entry.entry_id,
        "scope_id": entry.scope_id,
        "updated_at": stored.updated_at,
    }
    return _json(
        {
            "entry": [row[name] for name in ENTRY_COLUMNS],
            "source_path": skill.source_path,
            "origin_reference": skill.origin_reference,
            "content": content_text(skill),
            "created_at": stored.created_at,
        }
    )


def stored_from_snapshot(
    snapshot: str, scope: Scope, source: bytes, artifacts: tuple[Artifact, ...]
) -> StoredSkill:
    kept = json.loads(snapshot)
    entry = entry_from_row(kept["entry"])
    skill = skill_from_rows(
        entry,
        source_path=kept["source_path"],
        origin_reference=kept["origin_reference"],
        content=kept["content"],
        source=source,
        artifacts=artifacts,
    )
    return StoredSkill(entry, scope, skill, kept["created_at"], entry.updated_at)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _declared_text(declared: DeclaredList) -> str:
    return _json([declared.declaration.value, *declared.names])


def _requirements_text(requirements: Requirements) -> str:
    return _json(
        [
            [declared.declaration.value, *declared.names]
            for declared in (requirements.tools, requirements.namespaces, requirements.tags)
        ]
    )


# Most skills share a handful of these texts, and equal ones become one object.
@lru_cache(maxsize=4096)
def _declared(text: str) -> DeclaredList:
    declaration, *names = json.loads(text)
    return DeclaredList(Declaration(declaration), tuple(names))


@lru_cache(maxsize=4096)
def _requirements(text: str) -> Requirements:
    lists = (
        DeclaredList(Declaration(declaration), tuple(names))
        for declaration, *names in json.loads(text)
    )
    return Requirements(*lists)


@lru_cache(maxsize=4096)
def _names(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))
