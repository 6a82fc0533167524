"""Which role each RPC needs. What is not in the table is denied, whoever asks."""

from __future__ import annotations

from catalog.errors import RoleRequired
from catalog.identity import Identity, Role

ROLES: dict[str, tuple[Role, ...]] = {
    "SkillSearch": (Role.READER,),
    "SkillGet": (Role.READER,),
    "SkillList": (Role.READER,),
    "SkillDirectory": (Role.READER,),
    "ArtifactGet": (Role.READER,),
    "SkillExport": (Role.READER,),
    "SkillHistory": (Role.READER,),
    "SkillPropose": (Role.AUTHOR,),
    "SkillDelete": (Role.AUTHOR, Role.IMPORTER),
    "SkillRollback": (Role.AUTHOR, Role.IMPORTER),
    "SkillPromote": (Role.IMPORTER,),
    "PackImport": (Role.IMPORTER,),
    "AuditList": (Role.ADMIN,),
}
"""Any one of the roles will do, and an admin may call them all. The catalog decides again,
by scope, who may write where."""


def require_access(rpc: str, identity: Identity) -> None:
    """Raises:
    RoleRequired: the identity has no role that may call the RPC, or nobody may.
    """
    accepted = ROLES.get(rpc)
    if accepted is None:
        raise RoleRequired(f"{rpc} is not open to any role", rpc=rpc)
    if not any(identity.has_role(role) for role in accepted):
        wanted = " or ".join(accepted)
        raise RoleRequired(f"{rpc} needs role {wanted}", rpc=rpc, role=wanted)
