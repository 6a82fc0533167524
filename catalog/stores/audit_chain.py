"""The hash chain of the audit trail: a line that is changed or gone breaks it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, Table, insert, select

from catalog.audit import AuditEvent
from catalog.stores.schema import audit, audit_end


class AuditChain:
    """Appends events to their tenants' chains inside one write transaction.

    The end of each chain is read (and locked, where the engine locks rows) once; lines are
    gathered until `flush`. `upsert` is the dialect's own INSERT.
    """

    def __init__(self, connection: Connection, upsert: Callable[[Table], Any]) -> None:
        self._connection = connection
        self._upsert = upsert
        self._ends: dict[str, tuple[int, str]] = {}
        self._rows: list[dict[str, Any]] = []

    def append(self, event: AuditEvent) -> None:
        sequence, previous = self._ends.get(event.tenant) or self._end(event.tenant)
        row = chained(event, sequence + 1, previous)
        self._ends[event.tenant] = (sequence + 1, row["hash"])
        self._rows.append(row)

    def flush(self) -> None:
        if not self._rows:
            return
        self._connection.execute(insert(audit), self._rows)
        for tenant in {row["tenant"] for row in self._rows}:
            sequence, line = self._ends[tenant]
            statement = self._upsert(audit_end).values(tenant=tenant, sequence=sequence, hash=line)
            self._connection.execute(
                statement.on_conflict_do_update(
                    index_elements=["tenant"], set_={"sequence": sequence, "hash": line}
                )
            )
        self._rows = []

    def _end(self, tenant: str) -> tuple[int, str]:
        return _end(self._connection, tenant, lock=True)


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
        "at": event.at,
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
