"""Writes of one transaction: rows, blobs, index, statistics and revisions together.

Inserts are gathered and written in batches. Everything that reads inside the transaction
flushes first, so a writer always sees its own writes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Table, bindparam, delete, exists, insert, select, update

from catalog.audit import AuditEvent
from catalog.card import StoredSkill
from catalog.identity import Identity
from catalog.scope import Scope
from catalog.search.document import IndexedDocument, index_document
from catalog.skill import Skill
from catalog.stores import near_vectors, schema
from catalog.stores.audit_chain import AuditChain
from catalog.stores.blob_writing import BlobWriting
from catalog.stores.full_text.index import Document, FullTextIndex
from catalog.stores.index_writing import IndexWriting
from catalog.stores.present_names import PresentNames
from catalog.stores.reader import RelationalReader, StoreMemory
from catalog.stores.revision_writing import RevisionWriting
from catalog.stores.rows import content_text, entry_row, snapshot_text
from catalog.stores.store import AnsweredProposal, PackEntry
from catalog.stores.vectors import VectorSpace
from catalog.stores.write_engine import WriteEngine

# In the order in which rows may be written.
_BATCHED_TABLES = (
    schema.entry,
    schema.entry_content,
    schema.entry_artifact,
    schema.archived_skill,
    schema.proposal_key,
)


class RelationalWriter(RelationalReader):
    """See `StoreWriter` for the contract."""

    def __init__(
        self,
        connection: Connection,
        tenant: str,
        full_text: FullTextIndex | None,
        engine: WriteEngine,
        actor: Identity | None = None,
    ) -> None:
        # A memory of its own: what this transaction reads may never be committed.
        super().__init__(connection, tenant, full_text, StoreMemory())
        self._upsert = engine.upsert
        self._take_turn = engine.take_turn
        self._ids = engine.ids(connection)
        self._audit_chain = AuditChain(connection, engine.upsert)
        self._rows: dict[str, list[dict[str, Any]]] = {}
        self._revisions = RevisionWriting(connection, actor)
        self._names = PresentNames(connection)
        self._index = IndexWriting(connection, full_text, engine.count_terms)
        self._scope_ids: dict[Scope, int] = {}
        self._blobs = BlobWriting(connection, engine.upsert)

    @property
    def _reading(self) -> Connection:
        self.flush()
        return self._connection

    def hold(self, scope: Scope) -> None:
        self._take_turn(self._connection, scope.tenant)

    def put(
        self,
        scope: Scope,
        skill: Skill,
        tokens: int,
        now: float,
        action: str = "put",
        document: IndexedDocument | None = None,
    ) -> int:
        scope_id = self._scope_id(scope)
        row = entry_row(skill, tokens)
        created_at = self._replaced(scope, scope_id, skill.qualified_name)
        entry_id = self._ids.next("entry")
        key = {"tenant": scope.tenant, "entry_id": entry_id}
        self._blobs.put(scope.tenant, row["source_sha256"], skill.source)
        self._gather(
            schema.entry,
            {
                **key,
                **row,
                "scope_id": scope_id,
                "created_at": now if created_at is None else created_at,
                "updated_at": now,
            },
        )
        self._gather(schema.entry_content, {**key, "content": content_text(skill)})
        for artifact in skill.artifacts:
            self._gather(
                schema.entry_artifact,
                {
                    **key,
                    "path": artifact.path,
                    "sha256": artifact.sha256,
                    "size": artifact.size,
                    "media_type": artifact.media_type,
                    "kind": artifact.kind,
                },
            )
        self._index.add(scope.tenant, scope_id, entry_id, document or index_document(skill))
        self._names.put(scope_id, skill.qualified_name, entry_id)
        self._revisions.append(scope, scope_id, action, row, now)
        if self._index.is_full:
            self.flush()
        return entry_id

    def remove(self, entry_id: int, now: float, action: str = "remove") -> None:
        self.flush()
        # Of the global scope another tenant may have taken it out before the turn came.
        scope_id = self._scope_id(self.skill(entry_id).scope)
        stored = self.skill(entry_id)
        self._drop(stored)
        self._revisions.append(
            stored.scope,
            scope_id,
            action,
            entry_row(stored.skill, stored.entry.card.tokens),
            now,
        )

    def refer_to_origin(self, scope: Scope, entry_ids: Sequence[int], reference: str) -> None:
        table = schema.entry
        statement = (
            update(table)
            .where(table.c.tenant == scope.tenant, table.c.entry_id == bindparam("of_entry"))
            .values(origin_reference=reference)
        )
        self._connection.execute(statement, [{"of_entry": entry} for entry in entry_ids])

    def purge(self, scope: Scope, qualified_name: str) -> None:
        self.flush()
        table, link = schema.archived_skill, schema.entry_artifact
        of_name = (
            table.c.tenant == scope.tenant,
            table.c.scope_id == self._scope_id(scope),
            table.c.qualified_name == qualified_name,
        )
        rows = self._connection.execute(
            select(table.c.entry_id, table.c.source_sha256).where(*of_name)
        ).all()
        released = {row.source_sha256 for row in rows}
        for row in rows:
            of_entry = (link.c.tenant == scope.tenant, link.c.entry_id == row.entry_id)
            released.update(self._connection.scalars(select(link.c.sha256).where(*of_entry)))
            self._connection.execute(delete(link).where(*of_entry))
        self._connection.execute(delete(table).where(*of_name))
        self._blobs.drop_unnamed(scope.tenant, released)

    def remember_proposal(
        self, identity: Identity, key: str, answer: AnsweredProposal, now: float
    ) -> None:
        self._gather(
            schema.proposal_key,
            {
                "tenant": identity.tenant,
                "user_name": identity.user,
                "session": identity.session,
                "key": key,
                "request_hash": answer.request_hash,
                "change": answer.change,
                "qualified_name": answer.qualified_name,
                "content_hash": answer.content_hash,
                "at": now,
            },
        )

    def put_artifact(self, scope: Scope, sha256: str, data: bytes) -> None:
        self._blobs.put(scope.tenant, sha256, data)

    def pin(self, scope: Scope, qualified_name: str, pinned: bool) -> None:
        self._touch_usage(scope, qualified_name, {"pinned": int(pinned)})

    def count_uses(self, scope: Scope, qualified_name: str, uses: int, last_used_at: float) -> None:
        row = {"uses": uses, "last_used_at": last_used_at}
        self._touch_usage(scope, qualified_name, row, add_to="uses")

    def _touch_usage(
        self, scope: Scope, qualified_name: str, values: dict[str, Any], add_to: str = ""
    ) -> None:
        row = {
            "tenant": scope.tenant,
            "scope_id": self._scope_id(scope),
            "qualified_name": qualified_name,
            "uses": 0,
            "last_used_at": 0.0,
            "pinned": 0,
            **values,
        }
        changed: dict[str, Any] = dict(values)
        if add_to:
            changed[add_to] = schema.usage.c[add_to] + values[add_to]
        statement = self._upsert(schema.usage).values(row)
        self._connection.execute(
            statement.on_conflict_do_update(
                index_elements=["tenant", "scope_id", "qualified_name"], set_=changed
            )
        )

    def pack_entries(self, scope: Scope, pack: str) -> list[PackEntry]:
        # An import compares with these before it writes: nobody may write in between.
        self.hold(scope)
        return super().pack_entries(scope, pack)

    def put_vectors(self, stored: StoredSkill, space: VectorSpace, vectors: list[bytes]) -> bool:
        entry_id, scope_id, tenant = (
            stored.entry.entry_id,
            stored.entry.scope_id,
            stored.scope.tenant,
        )
        self.hold(stored.scope)
        present = schema.entry.c
        if not self._reading.scalar(
            select(exists().where(present.tenant == tenant, present.entry_id == entry_id))
        ):
            return False
        rows = [
            {
                "tenant": tenant,
                "scope_id": scope_id,
                "model": space.key,
                "entry_id": entry_id,
                "chunk": chunk,
                "dimension": space.dimension,
                "content_hash": stored.entry.card.content_hash,
                "vector": vector,
            }
            for chunk, vector in enumerate(vectors)
        ]
        # Two processes may embed the same entry; their vectors are the same.
        statement = self._upsert(schema.embedding).on_conflict_do_nothing()
        self._connection.execute(statement, rows)
        if near_vectors.indexed_space(self._connection) == space.key:
            near_vectors.add(self._connection, rows)
        if self.active_vectors() == space.key:
            self._index.touch(tenant, scope_id)
        return True

    def append_audit(self, event: AuditEvent) -> None:
        self._audit_chain.append(event)

    def reindex(self, stored: StoredSkill) -> None:
        """Add what the index holds of an entry whose row is already there."""
        entry = stored.entry
        document = index_document(stored.skill)
        self._index.add(stored.scope.tenant, entry.scope_id, entry.entry_id, document)
        if self._index.is_full:
            self.flush()

    def flush(self) -> None:
        self._blobs.flush()
        for table in _BATCHED_TABLES:
            rows = self._rows.pop(table.name, None)
            if rows:
                self._connection.execute(insert(table), rows)
        self._revisions.flush()
        self._index.flush()

    def finish(self) -> None:
        """Write all that is gathered, statistics too; the transaction may commit after it."""
        self.flush()
        self._index.finish()
        self._ids.save()
        self._audit_chain.flush()

    def _replaced(self, scope: Scope, scope_id: int, qualified_name: str) -> float | None:
        """Drop the present version of that name, if any, and return when it was created."""
        entry_id = self._names.entry_id(scope.tenant, scope_id, qualified_name)
        if entry_id is None:
            return None
        stored = self.skill(entry_id)
        self._drop(stored)
        return stored.created_at

    def _drop(self, stored: StoredSkill) -> None:
        entry_id, scope_id = stored.entry.entry_id, stored.entry.scope_id
        tenant = stored.scope.tenant
        document = index_document(stored.skill)
        self._index.take_out(Document(tenant, entry_id, scope_id, document.tokens), document.terms)
        self._names.drop(scope_id, stored.skill.qualified_name)
        self._gather(
            schema.archived_skill,
            {
                "tenant": tenant,
                "entry_id": entry_id,
                "scope_id": scope_id,
                "qualified_name": stored.skill.qualified_name,
                "content_hash": stored.entry.card.content_hash,
                "source_sha256": hashlib.sha256(stored.skill.source).hexdigest(),
                "snapshot": snapshot_text(stored),
            },
        )
        # The links to artifacts stay: the archived version names them by the same id.
        for table in (
            schema.entry_content,
            schema.entry_index,
            schema.embedding,
            schema.entry,
        ):
            self._connection.execute(
                delete(table).where(table.c.tenant == tenant, table.c.entry_id == entry_id)
            )

    def _scope_id(self, scope: Scope) -> int:
        known = self._scope_ids.get(scope)
        if known is not None:
            return known
        self.hold(scope)
        scope_id = self._id_of_scope(scope)
        if scope_id is None:
            scope_id = self._new_scope(scope)
        self._scope_ids[scope] = scope_id
        return scope_id

    def _new_scope(self, scope: Scope) -> int:
        scope_id = self._ids.next("scope")
        self._connection.execute(
            insert(schema.scope).values(
                tenant=scope.tenant,
                scope_id=scope_id,
                kind=scope.kind.value,
                project=scope.project,
                user_name=scope.user,
                session=scope.session,
                version=0,
                documents=0,
            )
        )
        return scope_id

    def _gather(self, table: Table, row: dict[str, Any]) -> None:
        self._rows.setdefault(table.name, []).append(row)
