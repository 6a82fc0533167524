"""Who asks. Every read and every write of the catalog takes an `Identity`.

There is no default identity and no way to build half of one: an `Identity` that exists is
valid, so nothing behind this file checks again.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, fields
from enum import StrEnum

from catalog.errors import IdentityRequired
from catalog.text.surrogates import holds_half_a_pair

MAX_PART_CHARACTERS = 128


class Role(StrEnum):
    """What a verified identity may do. Whoever has a role may read what its scopes show, and
    `admin` may do all that the others may."""

    READER = "reader"
    AUTHOR = "author"
    IMPORTER = "importer"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Identity:
    """Tenant, user and session, and optionally project, agent and run.

    Parts are opaque, case-sensitive strings of 1 to 128 characters without control
    characters, kept in NFC. `roles` come from the same verified source as the parts.

    Raises:
        IdentityRequired: a mandatory part is missing, or any part is blank, too long or
            holds a control character, or `roles` holds what is no role. The message names
            the part, never its value.
    """

    tenant: str
    user: str
    session: str
    project: str | None = None
    agent: str | None = None
    run: str | None = None
    roles: frozenset[Role] = frozenset({Role.READER})

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name == "roles":
                continue
            value = getattr(self, field.name)
            if value is None and field.name in OPTIONAL_PARTS:
                continue
            object.__setattr__(self, field.name, _checked_part(field.name, value))
        object.__setattr__(self, "roles", _checked_roles(self.roles))

    def has_role(self, role: Role) -> bool:
        """Whether one of its roles is that role or stands for it."""
        return not self.roles.isdisjoint(_STANDING_FOR[role])


_STANDING_FOR = {
    Role.READER: frozenset(Role),
    Role.AUTHOR: frozenset({Role.AUTHOR, Role.ADMIN}),
    Role.IMPORTER: frozenset({Role.IMPORTER, Role.ADMIN}),
    Role.ADMIN: frozenset({Role.ADMIN}),
}
MANDATORY_PARTS = ("tenant", "user", "session")
OPTIONAL_PARTS = ("project", "agent", "run")


def _checked_roles(roles: object) -> frozenset[Role]:
    if not isinstance(roles, (frozenset, set, tuple, list)):
        raise IdentityRequired(
            f"identity part 'roles' is of type {type(roles).__name__}; it takes a set of roles",
            part="roles",
        )
    if not all(isinstance(role, str) and role in list(Role) for role in roles):
        raise IdentityRequired(
            f"identity part 'roles' holds what is no role; roles are: {', '.join(Role)}",
            part="roles",
        )
    return frozenset(map(Role, roles))


def _checked_part(name: str, value: object) -> str:
    if not isinstance(value, str) or not any(map(_is_seen, value)):
        raise IdentityRequired(f"identity part '{name}' is missing or blank", part=name)
    part = unicodedata.normalize("NFC", value)
    if len(part) > MAX_PART_CHARACTERS:
        raise IdentityRequired(
            f"identity part '{name}' has {len(part)} characters; the limit is "
            f"{MAX_PART_CHARACTERS}",
            part=name,
            limit=MAX_PART_CHARACTERS,
        )
    if any(unicodedata.category(character) == "Cc" for character in part):
        raise IdentityRequired(f"identity part '{name}' holds a control character", part=name)
    if holds_half_a_pair(part):
        raise IdentityRequired(f"identity part '{name}' is not valid Unicode", part=name)
    return part


def _is_seen(character: str) -> bool:
    """False for spaces and format characters: a part of nothing else reads as blank."""
    return unicodedata.category(character) not in ("Zs", "Zl", "Zp", "Cf", "Cc")
