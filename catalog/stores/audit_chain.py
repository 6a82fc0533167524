"""The hash chain of the audit trail: a line that is changed or gone breaks it."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from catalog.audit import AuditEvent


def chained(event: AuditEvent, sequence: int, previous_hash: str) -> dict[str, Any]:
    """The row of an event: its columns, the hash before it and its own."""
    row: dict[str, Any] = {
        "tenant": event.tenant,
        "sequence": sequence,
        "user_name": event.user,
        "session": event.session,
        "agent": event.agent,
        "action": event.action,
        "outcome": event.outcome.value,
        "subject": event.subject,
        "content_hash": event.content_hash,
        "reason": event.reason,
        "request_id": event.request_id,
        "at": event.at,
        "previous_hash": previous_hash,
    }
    return {**row, "hash": line_hash(row)}


def line_hash(row: dict[str, Any]) -> str:
    """SHA-256 over every column of a line but its own hash."""
    columns = {name: value for name, value in row.items() if name != "hash"}
    text = json.dumps(columns, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
