"""The hash chain of the audit trail: a line that is changed or gone breaks it."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from sqlalchemy import Connection, insert, select

from catalog.audit import AuditEvent
from catalog.stores.schema import audit


class AuditChain:
    """Appends events to their tenants' chains inside one write transaction.

    The end of each chain is read once; lines are gathered until `flush`.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._ends: dict[str, tuple[int, str]] = {}
        self._rows: list[dict[str, Any]] = []

    def append(self, event: AuditEvent) -> None:
        sequence, previous = self._ends.get(event.tenant) or self._end(event.tenant)
        row = chained(event, sequence + 1, previous)
        self._ends[event.tenant] = (sequence + 1, row["hash"])
        self._rows.append(row)

    def flush(self) -> None:
        if self._rows:
            self._connection.execute(insert(audit), self._rows)
            self._rows = []

    def _end(self, tenant: str) -> tuple[int, str]:
        last = self._connection.execute(
            select(audit.c.sequence, audit.c.hash)
            .where(audit.c.tenant == tenant)
            .order_by(audit.c.sequence.desc())
            .limit(1)
        ).one_or_none()
        return (last.sequence, last.hash) if last is not None else (0, "")


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
