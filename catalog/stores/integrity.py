"""Whether the index says what the rows say, and the audit trails are whole: the check behind
`skillcatalog doctor`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sqlalchemy import Connection, select, union

from catalog.search.document import index_document
from catalog.stores import schema
from catalog.stores.audit_chain import first_broken_line
from catalog.stores.full_text.index import Document, FullTextIndex
from catalog.stores.reader import RelationalReader, StoreMemory
from catalog.stores.vectors import untrue_vectors


@dataclass(frozen=True, slots=True)
class Finding:
    """One disagreement: `what` is full_text, profile, card_text, statistics, count, blob,
    vectors or audit; or file, where the database itself is damaged."""

    what: str
    tenant: str
    detail: str


def disagreements(
    connection: Connection, tenants: list[str], full_text: FullTextIndex | None
) -> list[Finding]:
    """Compare every row with all that is derived from it, in one snapshot."""
    indexed = full_text.documents(connection) if full_text is not None else {}
    found: list[Finding] = []
    known: set[int] = set()
    for tenant in tenants:
        found += _of_tenant(connection, tenant, full_text, indexed, known)
    found += [
        Finding("full_text", "", f"entry {entry_id} is indexed and has no row")
        for entry_id in sorted(set(indexed) - known)
    ]
    return found + _broken_trails(connection)


def _broken_trails(connection: Connection) -> list[Finding]:
    """Of every tenant, and of those who were refused without one."""
    trails = union(select(schema.audit.c.tenant), select(schema.audit_end.c.tenant))
    lines = {
        tenant: first_broken_line(connection, tenant) for tenant in connection.scalars(trails).all()
    }
    return [
        Finding("audit", tenant, f"the trail breaks at line {line}")
        for tenant, line in sorted(lines.items())
        if line is not None
    ]


def _of_tenant(
    connection: Connection,
    tenant: str,
    full_text: FullTextIndex | None,
    indexed: dict[int, set[str]],
    known: set[int],
) -> list[Finding]:
    reader = RelationalReader(connection, tenant, full_text, StoreMemory())
    found: list[Finding] = []
    frequencies: Counter[tuple[int, int]] = Counter()
    counts: Counter[int] = Counter()
    for entry_id in reader.entry_ids(tenant):
        known.add(entry_id)
        stored = reader.skill(entry_id)
        name = stored.entry.card.qualified_name
        scope_id = stored.entry.scope_id
        counts[scope_id] += 1
        document = index_document(stored.skill)
        for term in document.terms:
            frequencies[scope_id, term] += 1
        row = connection.execute(
            select(schema.entry_index.c.profile, schema.entry_index.c.card_text).where(
                schema.entry_index.c.tenant == tenant, schema.entry_index.c.entry_id == entry_id
            )
        ).one_or_none()
        if row is None or bytes(row.profile) != document.profile:
            found.append(Finding("profile", tenant, name))
        if row is None or row.card_text != document.card_text:
            found.append(Finding("card_text", tenant, name))
        if full_text is not None and indexed.get(entry_id, set()) != full_text.kept(
            Document(tenant, entry_id, scope_id, document.tokens)
        ):
            found.append(Finding("full_text", tenant, name))
        for artifact in stored.skill.artifacts:
            if not _has_blob(connection, tenant, artifact.sha256):
                found.append(Finding("blob", tenant, f"{name}: {artifact.path}"))
    found += [
        Finding("vectors", tenant, f"entry {entry_id} has vectors that are not its own")
        for entry_id in untrue_vectors(connection, tenant)
    ]
    return found + _statistics(connection, tenant, frequencies, counts)


def _has_blob(connection: Connection, tenant: str, sha256: str) -> bool:
    blob = schema.blob
    return (
        connection.scalar(
            select(blob.c.sha256).where(blob.c.tenant == tenant, blob.c.sha256 == sha256)
        )
        is not None
    )


def _statistics(
    connection: Connection,
    tenant: str,
    frequencies: Counter[tuple[int, int]],
    counts: Counter[int],
) -> list[Finding]:
    table = schema.term_frequency
    stored = {
        (row.scope_id, row.term): row.documents
        for row in connection.execute(
            select(table.c.scope_id, table.c.term, table.c.documents).where(
                table.c.tenant == tenant
            )
        )
    }
    found = []
    if stored != dict(frequencies):
        found.append(Finding("statistics", tenant, "document frequencies"))
    scopes = connection.execute(
        select(schema.scope.c.scope_id, schema.scope.c.documents).where(
            schema.scope.c.tenant == tenant
        )
    )
    found += [
        Finding("count", tenant, f"scope {row.scope_id} counts {row.documents}")
        for row in scopes
        if row.documents != counts[row.scope_id]
    ]
    return found
