"""The rules by which an agent's proposal becomes a skill."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from catalog.card import Entry
from catalog.errors import (
    ContentHashMismatch,
    InvalidSkill,
    PackOverwriteRefused,
    RoleRequired,
    SkillExists,
)
from catalog.identity import Identity, Role
from catalog.lifecycle import (
    MAX_IDEMPOTENCY_KEY_CHARACTERS,
    MAX_PROPOSAL_BYTES,
    Change,
    ProposeRequest,
)
from catalog.scope import Scope, ScopeKind, writable_scope
from catalog.skill import Origin, Skill, is_content_hash
from catalog.stores.store import StoreReader, Visible


def generated(skill: Skill, identity: Identity) -> Skill:
    """The skill as this run's own: no pack, its bare name, and where it came from."""
    return replace(
        skill,
        qualified_name=skill.name,
        pack=None,
        origin=Origin.GENERATED,
        origin_reference=f"gen:{identity.session}:{identity.run or ''}",
    )


def scope_for_proposals(identity: Identity, kind: ScopeKind | None) -> Scope:
    """Project by default, user when the identity names no project; never wider.

    Raises:
        RoleRequired: the identity is no author, or the scope is tenant or global, which a
            skill reaches by promotion only.
        InvalidSkill: likewise, and no role is missing.
    """
    wanted = kind or (ScopeKind.PROJECT if identity.project else ScopeKind.USER)
    if wanted.breadth > ScopeKind.PROJECT.breadth:
        message = (
            f"a proposal goes into session, user or project; into '{wanted}' it comes by promotion"
        )
        if identity.has_role(Role.ADMIN):
            raise InvalidSkill(message, field="scope")
        raise RoleRequired(message, scope=wanted, role=Role.IMPORTER)
    return writable_scope(identity, wanted, Role.AUTHOR)


def checked_proposal(request: ProposeRequest) -> None:
    """Raises:
    InvalidSkill: the skill is over 256 KiB, its name could be a qualified one, or the
        idempotency key is over 128 characters.
    """
    if any(mark in request.skill.name for mark in ":/"):
        # It would pass for a skill of that pack, and hide one that comes later.
        raise InvalidSkill(
            "the name holds ':' or '/', which part the names of packs' skills; a proposal has "
            "no pack",
            field="name",
        )
    size = len(request.skill.source)
    if size > MAX_PROPOSAL_BYTES:
        raise InvalidSkill(
            f"the skill has {size} bytes; a proposal takes at most {MAX_PROPOSAL_BYTES}",
            field="markdown",
            limit=MAX_PROPOSAL_BYTES,
        )
    if len(request.idempotency_key) > MAX_IDEMPOTENCY_KEY_CHARACTERS:
        raise InvalidSkill(
            f"idempotency_key has {len(request.idempotency_key)} characters; it takes at most "
            f"{MAX_IDEMPOTENCY_KEY_CHARACTERS}",
            field="idempotency_key",
            limit=MAX_IDEMPOTENCY_KEY_CHARACTERS,
        )


def checked_overwrite(
    reader: StoreReader, visible: Visible, scope: Scope, skill: Skill, expected: str
) -> Change:
    """What writing the skill into the scope would be.

    Args:
        expected: content hash of the version to be changed, empty for a new skill.

    Raises:
        PackOverwriteRefused: a visible pack skill has that name.
        ContentHashMismatch: another version than the expected one is there, or none.
    """
    present = _present(reader, visible, scope, skill)
    if present is not None and present.card.content_hash == skill.content_hash:
        return Change.UNCHANGED
    current = "" if present is None else present.card.content_hash
    if not (is_content_hash(expected, current) if current else expected == ""):
        raise content_hash_mismatch(current, expected)
    return Change.ADDED if present is None else Change.UPDATED


def checked_promotion(reader: StoreReader, visible: Visible, target: Scope, skill: Skill) -> Change:
    """What moving the skill into the wider scope would be there: UNCHANGED where it is already.

    Raises:
        PackOverwriteRefused: a visible pack skill has that name.
        SkillExists: another skill of that name is there.
    """
    present = _present(reader, visible, target, skill)
    if present is None:
        return Change.ADDED
    if present.card.content_hash != skill.content_hash:
        raise SkillExists(
            f"scope '{target.kind}' has another skill of that name, and its readers would lose "
            "it; delete it there first, or promote this one under another name",
            field="scope",
            current=present.card.content_hash,
        )
    return Change.UNCHANGED


def _present(reader: StoreReader, visible: Visible, scope: Scope, skill: Skill) -> Entry | None:
    """The present version of the skill in that scope.

    Raises:
        PackOverwriteRefused: the skill is generated, and a visible pack skill has its name.
    """
    named = reader.named(list(visible.scopes), skill.name)
    if skill.origin is Origin.GENERATED and any(entry.origin is Origin.PACK for entry in named):
        raise PackOverwriteRefused(
            "a pack has a skill of that name; propose it under another name", field="name"
        )
    return next(
        (
            entry
            for entry in named
            if visible.scopes[entry.scope_id] == scope
            and entry.card.qualified_name == skill.qualified_name
        ),
        None,
    )


def content_hash_mismatch(current: str, expected: str) -> ContentHashMismatch:
    there = f"the present version has content hash {current}" if current else "there is no version"
    fault = "does not agree" if expected else "is needed to change what is there"
    return ContentHashMismatch(
        f"expected_content_hash {fault}: {there}; read it and decide again",
        field="expected_content_hash",
        current=current,
    )


def request_hash(request: ProposeRequest, scope: Scope) -> str:
    """Equal for requests that ask for the same in the same scope, whatever their idempotency
    key."""
    parts = (request.skill.content_hash, request.expected_content_hash, scope)
    return hashlib.sha256(repr(parts).encode()).hexdigest()
