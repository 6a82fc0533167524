"""Reads of whole skills, their versions and what happened to them, on every engine alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Row, and_, exists, or_, select

from catalog.audit import AuditEvent, AuditPage, Outcome
from catalog.card import Entry, StoredSkill
from catalog.errors import ArtifactNotFound, SkillNotFound
from catalog.identity import Identity
from catalog.scope import Scope, ScopeKind
from catalog.skill import SHORT_HASH_DIGITS, Artifact
from catalog.stores import schema, statements
from catalog.stores.rows import entry_from_row, skill_from_rows, stored_from_snapshot
from catalog.stores.snapshot import Snapshot
from catalog.stores.store import AnsweredProposal, PackEntry, Revision


class SkillReads(Snapshot):
    """See `StoreReader` for the contract of each method."""

    def skill(self, entry_id: int) -> StoredSkill:
        row = self._reading.execute(
            statements.SKILL, {"tenants": self._tenants, "entry_id": entry_id}
        ).one_or_none()
        if row is None:
            raise SkillNotFound("no such skill")
        found = entry_from_row(row)
        skill = skill_from_rows(
            found,
            source_path=row.source_path,
            origin_reference=row.origin_reference,
            content=row.content,
            source=row.data,
            artifacts=self._artifacts(entry_id),
        )
        scope = Scope(ScopeKind(row.kind), row.tenant, row.project, row.user_name, row.session)
        return StoredSkill(found, scope, skill, row.created_at, found.updated_at)

    def archived(
        self, scope_ids: Sequence[int], qualified_name: str, content_hash: str | None
    ) -> StoredSkill | None:
        table, source = schema.archived_skill, schema.blob
        statement = (
            select(table.c.entry_id, table.c.scope_id, table.c.snapshot, source.c.data)
            .join(
                source,
                and_(source.c.tenant == table.c.tenant, source.c.sha256 == table.c.source_sha256),
            )
            .where(
                table.c.tenant.in_(self._tenants),
                table.c.scope_id.in_(scope_ids),
                table.c.qualified_name == qualified_name,
            )
            .order_by(table.c.entry_id.desc())
            .limit(1)
        )
        if content_hash is not None:
            if len(content_hash) < SHORT_HASH_DIGITS:
                return None
            # All that begins so: no digit of a hash comes behind the f.
            statement = statement.where(
                table.c.content_hash >= content_hash, table.c.content_hash < f"{content_hash}g"
            )
        row = self._reading.execute(statement).one_or_none()
        if row is None:
            return None
        return stored_from_snapshot(
            row.snapshot,
            self._scope_of_id(row.scope_id),
            row.data,
            self._artifacts(row.entry_id),
        )

    def _artifacts(self, entry_id: int) -> tuple[Artifact, ...]:
        rows = self._reading.execute(
            statements.ARTIFACTS, {"tenants": self._tenants, "entry_id": entry_id}
        )
        return tuple(Artifact(*row) for row in rows)

    def artifact_owners(self, scope_ids: Sequence[int], sha256: str) -> list[Entry]:
        link, entry = schema.entry_artifact, schema.entry
        rows = self._reading.execute(
            select(*statements.ENTRY)
            .distinct()
            .join(link, and_(link.c.tenant == entry.c.tenant, link.c.entry_id == entry.c.entry_id))
            .where(
                link.c.tenant.in_(self._tenants),
                link.c.sha256 == sha256,
                entry.c.scope_id.in_(scope_ids),
            )
        )
        return [entry_from_row(row) for row in rows]

    def artifact(self, scope_ids: Sequence[int], sha256: str) -> bytes:
        owners = self.artifact_owners(scope_ids, sha256)
        data: bytes | None = None
        if owners:
            data = self._reading.scalar(
                select(schema.blob.c.data).where(
                    schema.blob.c.tenant.in_(self._tenants), schema.blob.c.sha256 == sha256
                )
            )
        if data is None:
            raise ArtifactNotFound("no such artifact")
        return data

    def pack_entries(self, scope: Scope, pack: str) -> list[PackEntry]:
        scope_id = self._id_of_scope(scope)
        if scope_id is None:
            return []
        table = schema.entry
        rows = self._reading.execute(
            select(
                table.c.entry_id,
                table.c.qualified_name,
                table.c.source_path,
                table.c.content_hash,
                table.c.origin_reference,
            )
            .where(
                table.c.tenant == scope.tenant,
                table.c.scope_id == scope_id,
                table.c.pack == pack,
            )
            .order_by(table.c.qualified_name)
        )
        return [PackEntry(*row) for row in rows]

    def packs_from(self, scope: Scope, origin_reference: str) -> list[str]:
        table = schema.entry
        statement = (
            select(table.c.pack)
            .distinct()
            .where(
                table.c.tenant == scope.tenant,
                table.c.scope_id == self._id_of_scope(scope),
                table.c.pack.is_not(None),
                table.c.origin_reference == origin_reference,
            )
            .order_by(table.c.pack)
        )
        return list(self._reading.scalars(statement))

    def revisions(
        self, scope_id: int, qualified_name: str, before: int | None, limit: int
    ) -> list[Revision]:
        table = schema.revision
        statement = (
            select(
                table.c.number,
                table.c.action,
                table.c.content_hash,
                table.c.origin_reference,
                table.c.user_name,
                table.c.session,
                table.c.at,
            )
            .where(
                table.c.tenant.in_(self._tenants),
                table.c.scope_id == scope_id,
                table.c.qualified_name == qualified_name,
            )
            .order_by(table.c.number.desc())
            .limit(limit)
        )
        if before is not None:
            statement = statement.where(table.c.number < before)
        return [Revision(*row) for row in self._reading.execute(statement)]

    def once_named(self, scope_ids: Sequence[int], name: str) -> list[tuple[int, str]]:
        table = schema.revision
        endings = (f":{name}", f"/{name}")
        # A name that is absent is looked for in all that the scopes ever had: by the index.
        rows = self._reading.execute(
            select(table.c.scope_id, table.c.qualified_name)
            .distinct()
            .where(
                table.c.tenant.in_(self._tenants),
                table.c.scope_id.in_(scope_ids),
                or_(
                    table.c.qualified_name == name,
                    *(table.c.qualified_name.endswith(end, autoescape=True) for end in endings),
                ),
            )
        )
        # LIKE of SQLite takes upper and lower case for the same.
        found = [
            (scope_id, qualified_name)
            for scope_id, qualified_name in rows
            if qualified_name == name or qualified_name.endswith(endings)
        ]
        return sorted(found, key=lambda named: (scope_ids.index(named[0]), named[1]))

    def deleted_of_pack(self, scope: Scope, pack: str) -> Mapping[str, str]:
        scope_id = self._id_of_scope(scope)
        if scope_id is None:
            return {}
        table, later = schema.revision, schema.revision.alias()
        rows = self._reading.execute(
            select(table.c.qualified_name, table.c.content_hash).where(
                table.c.tenant == scope.tenant,
                table.c.scope_id == scope_id,
                # All that begins with the pack's name and a colon.
                table.c.qualified_name > f"{pack}:",
                table.c.qualified_name < f"{pack};",
                table.c.action == "delete",
                ~exists().where(
                    later.c.tenant == table.c.tenant,
                    later.c.scope_id == table.c.scope_id,
                    later.c.qualified_name == table.c.qualified_name,
                    later.c.number > table.c.number,
                ),
            )
        )
        return {row.qualified_name: row.content_hash for row in rows}

    def answered_proposal(self, identity: Identity, key: str) -> AnsweredProposal | None:
        table = schema.proposal_key
        row = self._reading.execute(
            select(
                table.c.request_hash,
                table.c.change,
                table.c.qualified_name,
                table.c.content_hash,
            ).where(
                table.c.tenant == identity.tenant,
                table.c.user_name == identity.user,
                table.c.session == identity.session,
                table.c.key == key,
            )
        ).one_or_none()
        return None if row is None else AnsweredProposal(*row)

    def audit(self, tenant: str, before: int | None, limit: int) -> AuditPage:
        table = schema.audit
        statement = (
            select(table)
            .where(table.c.tenant == tenant)
            .order_by(table.c.sequence.desc())
            .limit(limit + 1)
        )
        if before is not None:
            statement = statement.where(table.c.sequence < before)
        rows = self._reading.execute(statement).all()
        events = tuple(audit_event_from_row(row) for row in rows[:limit])
        return AuditPage(events, rows[limit - 1].sequence if len(rows) > limit else None)

    def entry_ids(self, tenant: str) -> list[int]:
        """Every entry of one tenant (the empty one holds the global scope), by id."""
        return list(
            self._reading.scalars(
                select(schema.entry.c.entry_id)
                .where(schema.entry.c.tenant == tenant)
                .order_by(schema.entry.c.entry_id)
            )
        )


def audit_event_from_row(row: Row[Any]) -> AuditEvent:
    return AuditEvent(
        tenant=row.tenant,
        user=row.user_name,
        session=row.session,
        action=row.action,
        outcome=Outcome(row.outcome),
        at=row.at,
        subject=row.subject,
        content_hash=row.content_hash,
        reason=row.reason,
        request_id=row.request_id,
        agent=row.agent,
    )
