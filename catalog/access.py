"""Which role each action needs: one table for the library, the command line and the wire."""

from __future__ import annotations

from collections.abc import Mapping

from catalog.errors import RoleRequired
from catalog.identity import Identity, Role

ROLES: Mapping[str, tuple[Role, ...]] = {
    "skill_search": (Role.READER,),
    "skill_get": (Role.READER,),
    "skill_list": (Role.READER,),
    "skill_directory": (Role.READER,),
    "skill_export": (Role.READER,),
    "skill_history": (Role.READER,),
    "artifact_get": (Role.READER,),
    "skill_propose": (Role.AUTHOR,),
    "skill_delete": (Role.AUTHOR, Role.IMPORTER),
    "skill_rollback": (Role.AUTHOR, Role.IMPORTER),
    "skill_purge": (Role.ADMIN,),
    "skill_promote": (Role.IMPORTER,),
    "skill_pin": (Role.IMPORTER,),
    "skill_unpin": (Role.IMPORTER,),
    "pack_import": (Role.IMPORTER,),
    "audit_list": (Role.ADMIN,),
    "audit_verify": (Role.ADMIN,),
}
"""By the name that an action has in the audit trail. Any one of its roles will do; an admin
has them all, and whoever has a role may read. Who may write where is decided by scope as well
(`catalog.scope.writable_scope`)."""


def require_role(identity: Identity, action: str) -> None:
    """Raises:
    RoleRequired: the identity has no role that may do that, or nobody may.
    """
    accepted = ROLES.get(action)
    if accepted is None:
        raise RoleRequired(f"{action} is not open to any role", action=action)
    if not any(map(identity.has_role, accepted)):
        wanted = " or ".join(accepted)
        raise RoleRequired(f"{action} needs role {wanted}", action=action, role=wanted)
