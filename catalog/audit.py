"""The append-only record of what happened: who, what, which skill, outcome, when.

Events never hold a body, a query or a secret.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from catalog.identity import Identity


class Outcome(StrEnum):
    DONE = "done"
    UNCHANGED = "unchanged"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """Args:
    tenant, user, session: the actor; empty where an identity was refused.
    action: what was asked, as `pack_import`, `skill_put`, `skill_remove`, `skill_get`, …
    subject: the qualified name or pack that the action is about, or empty.
    content_hash: of the version that the action is about, or empty.
    reason: the error reason when the outcome is REFUSED, or empty.
    at: seconds since the epoch.
    """

    tenant: str
    user: str
    session: str
    action: str
    outcome: Outcome
    at: float
    subject: str = ""
    content_hash: str = ""
    reason: str = ""
    request_id: str = ""
    agent: str = ""

    @classmethod
    def of(
        cls,
        identity: Identity | None,
        action: str,
        outcome: Outcome,
        at: float,
        *,
        subject: str = "",
        content_hash: str = "",
        reason: str = "",
        request_id: str = "",
    ) -> AuditEvent:
        """An event of that actor; without an identity it belongs to no tenant."""
        return cls(
            tenant=identity.tenant if identity else "",
            user=identity.user if identity else "",
            session=identity.session if identity else "",
            action=action,
            outcome=outcome,
            at=at,
            subject=subject,
            content_hash=content_hash,
            reason=reason,
            request_id=request_id,
            agent=(identity.agent or "") if identity else "",
        )


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Newest first. `next_before` is the position to go on from, None at the end."""

    events: tuple[AuditEvent, ...]
    next_before: int | None
