"""The hash chain of the audit trail: a line that is changed or gone breaks it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, Table, insert, select, update

from catalog.audit import AuditEvent
from catalog.stores.schema import audit, audit_end


class AuditChain:
    """Appends events to their tenants' chains inside one write transaction.

    Events are gathered until `flush`, which locks the ends of their chains until the commit
    where the engine locks rows: it is the last thing that a transaction does. `upsert` is
    the dialect's own INSERT.
    """

    def __init__(self, connection: Connection, upsert: Callable[[Table], Any]) -> None:
        self._connection = connection
        self._upsert = upsert
        self._events: dict[str, list[AuditEvent]] = {}

    def append(self, event: AuditEvent) -> None:
        self._events.setdefault(event.tenant, []).append(event)

    def flush(self) -> None:
        for tenant in sorted(self._events):
            self._chain(tenant, self._events[tenant])
        self._events = {}

    def _chain(self, tenant: str, events: list[AuditEvent]) -> None:
        # An end that is not there yet could not be locked.
        first = self._upsert(audit_end).values(tenant=tenant, sequence=0, hash="")
        self._connection.execute(first.on_conflict_do_nothing())
        sequence, line = _end(self._connection, tenant, lock=True)
        rows = []
        for event in events:
            sequence += 1
            row = chained(event, sequence, line)
            line = row["hash"]
            rows.append(row)
        self._connection.execute(insert(audit), rows)
        self._connection.execute(
            update(audit_end)
            .where(audit_end.c.tenant == tenant)
            .values(sequence=sequence, hash=line)
        )


def _end(connection: Connection, tenant: str, *, lock: bool) -> tuple[int, str]:
    statement = select(audit_end.c.sequence, audit_end.c.hash).where(audit_end.c.tenant == tenant)
    row = connection.execute(statement.with_for_update() if lock else statement).one_or_none()
    return (row.sequence, row.hash) if row is not None else (0, "")


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
        # An engine gives every number of this column back as a float.
        "at": float(event.at),
        "previous_hash": previous_hash,
    }
    return {**row, "hash": line_hash(row)}


def line_hash(row: dict[str, Any]) -> str:
    """SHA-256 over every column of a line but its own hash."""
    columns = {name: value for name, value in row.items() if name != "hash"}
    text = json.dumps(columns, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def first_broken_line(connection: Connection, tenant: str) -> int | None:
    """The sequence number at which the tenant's chain does not hold, None where it does."""
    expected, previous = 1, ""
    for row in connection.execute(
        select(audit).where(audit.c.tenant == tenant).order_by(audit.c.sequence)
    ).mappings():
        line = dict(row)
        if (
            line["sequence"] != expected
            or line["previous_hash"] != previous
            or line["hash"] != line_hash(line)
        ):
            return expected
        expected, previous = expected + 1, line["hash"]
    if (expected - 1, previous) != _end(connection, tenant, lock=False):
        return expected
    return None
