"""Skills for tests, written in a line or two."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from catalog.identity import Identity, Role
from catalog.skill import (
    Artifact,
    Declaration,
    DeclaredList,
    Requirements,
    Section,
    SectionKind,
    Skill,
)

EVERY_ROLE = frozenset(Role)


def identity(
    tenant: str = "acme", user: str = "ann", session: str = "s1", **parts: str | None
) -> Identity:
    """An identity that may do everything in its tenant."""
    return Identity(tenant, user, session, roles=EVERY_ROLE, **parts)  # type: ignore[arg-type]


def declared(*names: str) -> DeclaredList:
    return DeclaredList(Declaration.DECLARED, names)


def written_skill(
    name: str,
    description: str = "",
    body: str = "",
    *,
    pack: str | None = "tools",
    trigger: str = "",
    tags: tuple[str, ...] = (),
    tools: tuple[str, ...] = (),
    allowed: tuple[str, ...] = (),
    task_type: str = "",
    files: Mapping[str, bytes] | None = None,
    metadata: tuple[tuple[str, str], ...] = (),
) -> Skill:
    """A skill whose source is its body under a small frontmatter; `files` are attachments."""
    body = body or f"# {name}\n\nHow to {name}.\n"
    described = description or f"About {name}."
    source = f"---\nname: {name}\ndescription: {described}\ntags: {tags}\n---\n{body}".encode()
    return Skill(
        qualified_name=f"{pack}:{name}" if pack else name,
        name=name,
        title=name,
        description=described,
        trigger=trigger or described,
        body=body,
        sections=(Section("0", SectionKind.OTHER, "", 0, body),),
        source=source,
        source_path=f"{name}/SKILL.md",
        pack=pack,
        task_type=task_type,
        tags=tags,
        requirements=Requirements(tools=declared(*tools)) if tools else Requirements(),
        allowed_tools=declared(*allowed) if allowed else DeclaredList(),
        metadata=metadata,
        artifacts=tuple(attachment(path, data) for path, data in (files or {}).items()),
    )


def attachment(path: str, data: bytes) -> Artifact:
    return Artifact(path, hashlib.sha256(data).hexdigest(), len(data), "text/plain", "other")


def contents(files: Mapping[str, bytes] | None) -> dict[str, bytes]:
    """The bytes of attachments by SHA-256, as a pack writer takes them."""
    return {hashlib.sha256(data).hexdigest(): data for data in (files or {}).values()}
