"""Who a record belongs to, what an identity sees and where it may write.

A scope is columns, never joined text, so no choice of characters in a tenant's or user's
name can reach another's scope.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from catalog.errors import IdentityRequired, RoleRequired
from catalog.identity import Identity, Role


class ScopeKind(StrEnum):
    """Narrowest first: the order in which a name hides the same name of a wider scope."""

    SESSION = "session"
    USER = "user"
    PROJECT = "project"
    TENANT = "tenant"
    GLOBAL = "global"

    @property
    def breadth(self) -> int:
        """0 for session to 4 for global."""
        return _BREADTH[self]


_BREADTH = {kind: breadth for breadth, kind in enumerate(ScopeKind)}


@dataclass(frozen=True, slots=True)
class Scope:
    """One owner. Columns that the kind does not use are empty strings (`global` uses none)."""

    kind: ScopeKind
    tenant: str = ""
    project: str = ""
    user: str = ""
    session: str = ""


GLOBAL_SCOPE = Scope(ScopeKind.GLOBAL)

_WRITERS: dict[ScopeKind, tuple[Role, ...]] = {
    ScopeKind.SESSION: (Role.AUTHOR, Role.IMPORTER),
    ScopeKind.USER: (Role.AUTHOR, Role.IMPORTER),
    ScopeKind.PROJECT: (Role.AUTHOR, Role.IMPORTER),
    ScopeKind.TENANT: (Role.IMPORTER,),
    ScopeKind.GLOBAL: (),
}


def scope_of(identity: Identity, kind: ScopeKind) -> Scope:
    """The identity's own scope of that kind.

    Raises:
        IdentityRequired: `project` is asked for and the identity names none.
    """
    if kind is ScopeKind.GLOBAL:
        return GLOBAL_SCOPE
    if kind is ScopeKind.TENANT:
        return Scope(kind, identity.tenant)
    if kind is ScopeKind.PROJECT:
        if identity.project is None:
            raise IdentityRequired(
                "scope 'project' needs an identity that names a project", part="project"
            )
        return Scope(kind, identity.tenant, project=identity.project)
    if kind is ScopeKind.USER:
        return Scope(kind, identity.tenant, user=identity.user)
    return Scope(kind, identity.tenant, user=identity.user, session=identity.session)


def visible_scopes(identity: Identity) -> tuple[Scope, ...]:
    """All that exists for this identity, narrowest first."""
    return tuple(
        scope_of(identity, kind)
        for kind in ScopeKind
        if kind is not ScopeKind.PROJECT or identity.project is not None
    )


def writable_scope(identity: Identity, kind: ScopeKind, *roles: Role) -> Scope:
    """The scope of that kind, when one of `roles` that may write there is the identity's.

    Args:
        roles: the roles that the action itself accepts (a proposal: author; an import:
            importer). An admin may always.

    Raises:
        RoleRequired: the identity has no such role.
        IdentityRequired: as `scope_of`.
    """
    accepted = (*(role for role in _WRITERS[kind] if role in roles), Role.ADMIN)
    if not any(map(identity.has_role, accepted)):
        wanted = " or ".join(accepted)
        raise RoleRequired(
            f"writing into scope '{kind}' needs role {wanted}", scope=kind, role=wanted
        )
    return scope_of(identity, kind)
