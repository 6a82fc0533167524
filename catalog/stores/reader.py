"""Reads of one snapshot over the relational tables, the same on every engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import (
    Connection,
    Row,
    and_,
    exists,
    func,
    select,
    tuple_,
)
from sqlalchemy.sql import Select

from catalog.audit import AuditEvent, AuditPage, Outcome
from catalog.card import Entry, StoredSkill
from catalog.errors import ArtifactNotFound, InvalidPageToken, SkillNotFound
from catalog.identity import Identity
from catalog.memo import Memo
from catalog.scope import Scope, ScopeKind
from catalog.search.profile import Profile
from catalog.search.scope_memory import ScopeMemory
from catalog.skill import Artifact
from catalog.stores import schema, statements
from catalog.stores.full_text.index import FullTextIndex
from catalog.stores.rows import (
    entry_from_row,
    skill_from_rows,
    stored_from_snapshot,
)
from catalog.stores.store import AnsweredProposal, PackEntry, Revision, Visible
from catalog.stores.vectors import VectorSpace, active_space, unembedded
from catalog.text.folding import fold

_ROWS_A_STATEMENT = 500


@dataclass(frozen=True, slots=True)
class StoreMemory:
    """What a store's readers remember between snapshots, under keys that never change
    their meaning: the reading tenant with an entry id, and scopes with their versions."""

    profiles: Memo[tuple[str, int], Profile] = field(default_factory=lambda: Memo(12_000))
    entries: Memo[tuple[str, int], Entry] = field(default_factory=lambda: Memo(12_000))
    visible: Memo[tuple[tuple[int, int], ...], Visible] = field(default_factory=lambda: Memo(2_000))
    scopes: Memo[tuple[int, int], ScopeMemory] = field(default_factory=lambda: Memo(256))


class RelationalReader:
    """See `StoreReader` for the contract of each method."""

    def __init__(
        self,
        connection: Connection,
        tenant: str,
        full_text: FullTextIndex | None,
        memory: StoreMemory,
    ) -> None:
        self._connection = connection
        self._tenant = tenant
        self._tenants = ("", tenant)
        self._full_text = full_text
        self._memory = memory

    @property
    def _reading(self) -> Connection:
        """The connection as reads use it; a writer first writes what it has gathered."""
        return self._connection

    @property
    def full_text_engine(self) -> str | None:
        return self._full_text.name if self._full_text else None

    def visible(self, scopes: Sequence[Scope]) -> Visible:
        found: dict[int, Scope] = {}
        documents: dict[int, int] = {}
        version = []
        for place, scope_id, scope_version, count in sorted(self._rows_of_scopes(scopes)):
            if count:
                documents[scope_id] = count
                found[scope_id] = scopes[place]
                version.append((scope_id, scope_version))
        key = tuple(version)
        remembered = self._memory.visible.get(key)
        if remembered is None:
            hidden = self._hidden(list(found.items()))
            remembered = Visible(found, documents, key, hidden)
            self._memory.visible.put(key, remembered)
        return remembered

    def _rows_of_scopes(self, scopes: Sequence[Scope]) -> list[tuple[int, int, int, int]]:
        given = {}
        for place, scope in enumerate(scopes):
            given[f"tenant_{place}"] = scope.tenant
            given[f"kind_{place}"] = scope.kind.value
            given[f"project_{place}"] = scope.project
            given[f"user_name_{place}"] = scope.user
            given[f"session_{place}"] = scope.session
        rows = self._reading.execute(statements.scope_rows(len(scopes)), given)
        return [(row[0], row[1], row[2], row[3]) for row in rows]

    def _id_of_scope(self, scope: Scope) -> int | None:
        """Of a scope that something was written to."""
        rows = self._rows_of_scopes([scope])
        return rows[0][1] if rows else None

    def _hidden(self, scopes: list[tuple[int, Scope]]) -> frozenset[int]:
        """Entries whose qualified name a narrower scope of the list carries too."""
        hidden: set[int] = set()
        for position, (narrow_id, narrow) in enumerate(scopes):
            for wide_id, wide in scopes[position + 1 :]:
                names = schema.entry.alias("narrow")
                hidden.update(
                    self._reading.scalars(
                        select(schema.entry.c.entry_id).where(
                            schema.entry.c.tenant == wide.tenant,
                            schema.entry.c.scope_id == wide_id,
                            names.c.tenant == narrow.tenant,
                            names.c.scope_id == narrow_id,
                            names.c.qualified_name == schema.entry.c.qualified_name,
                        )
                    )
                )
        return frozenset(hidden)

    def match_all(self, scope_id: int, groups: Sequence[Sequence[str]], limit: int) -> list[int]:
        if self._full_text is None:
            return []
        return self._full_text.match_all(self._reading, scope_id, groups, limit)

    def match_any(self, scope_id: int, tokens: Sequence[str], limit: int) -> list[int]:
        if self._full_text is None:
            return []
        return self._full_text.match_any(self._reading, scope_id, tokens, limit)

    def document_frequencies(self, scope_id: int, terms: Sequence[int]) -> Mapping[int, int]:
        rows: list[Row[Any]] = []
        for some in _slices(terms):
            rows += self._reading.execute(
                statements.FREQUENCIES,
                {"tenants": self._tenants, "scope_id": scope_id, "terms": some},
            )
        return {row.term: row.documents for row in rows}

    def scope_memory(self, scope_id: int, version: int) -> ScopeMemory:
        key = (scope_id, version)
        memory = self._memory.scopes.get(key)
        if memory is None:
            memory = ScopeMemory()
            self._memory.scopes.put(key, memory)
        return memory

    def profiles(self, entry_ids: Sequence[int]) -> Mapping[int, Profile]:
        return self._remembered(
            entry_ids,
            self._memory.profiles,
            statements.PROFILES,
            lambda row: Profile.decode(row[1]),
        )

    def entries(self, entry_ids: Sequence[int]) -> Mapping[int, Entry]:
        return self._remembered(entry_ids, self._memory.entries, statements.ENTRIES, entry_from_row)

    def _remembered(
        self,
        entry_ids: Sequence[int],
        memo: Memo[tuple[str, int], Any],
        statement: Select[Any],
        read: Callable[[Sequence[Any]], Any],
    ) -> dict[int, Any]:
        tenant, get = self._tenant, memo.get
        found = {}
        missing = []
        for entry_id in entry_ids:
            value = get((tenant, entry_id))
            if value is None:
                missing.append(entry_id)
            else:
                found[entry_id] = value
        for some in _slices(missing):
            parameters = {"tenants": self._tenants, "entry_ids": some}
            for row in self._reading.execute(statement, parameters):
                value = read(row)
                memo.put((tenant, row[0]), value)
                found[row[0]] = value
        return found

    def named(self, scope_ids: Sequence[int], name: str) -> list[Entry]:
        rows = self._reading.execute(
            statements.NAMED,
            {"tenants": self._tenants, "scope_ids": scope_ids, "folded": fold(name)},
        )
        order = {scope_id: position for position, scope_id in enumerate(scope_ids)}
        return sorted(
            map(entry_from_row, rows),
            key=lambda entry: (order[entry.scope_id], entry.card.qualified_name),
        )

    def page(self, scope_ids: Sequence[int], after: int | None, limit: int) -> list[Entry]:
        table = schema.entry
        statement = (
            self._distinct(scope_ids)
            .order_by(table.c.qualified_name, table.c.entry_id)
            .limit(limit)
        )
        if after is not None:
            last = self.entries([after]).get(after)
            if last is None or last.scope_id not in scope_ids:
                raise InvalidPageToken("the catalog has changed since that page; start again")
            statement = statement.where(
                tuple_(table.c.qualified_name, table.c.entry_id)
                > tuple_(last.card.qualified_name, after)
            )
        return [entry_from_row(row) for row in self._reading.execute(statement)]

    def directory(
        self, scope_ids: Sequence[int], by_use: bool, offset: int, limit: int
    ) -> list[Entry]:
        table, usage = schema.entry, schema.usage
        used = func.coalesce(usage.c.uses, 0) if by_use else table.c.updated_at
        rows = self._reading.execute(
            self._distinct(scope_ids)
            .outerjoin(
                usage,
                and_(
                    usage.c.tenant == table.c.tenant,
                    usage.c.scope_id == table.c.scope_id,
                    usage.c.qualified_name == table.c.qualified_name,
                ),
            )
            .order_by(
                func.coalesce(usage.c.pinned, 0).desc(),
                used.desc(),
                table.c.qualified_name,
                table.c.entry_id,
            )
            .offset(offset)
            .limit(limit)
        )
        return [entry_from_row(row) for row in rows]

    def _distinct(self, scope_ids: Sequence[int]) -> Select[Any]:
        """Entries of those scopes; packs that carry the same skill to the byte show it once."""
        table = schema.entry
        copy = schema.entry.alias("earlier_copy")
        return select(*statements.ENTRY).where(
            table.c.tenant.in_(self._tenants),
            table.c.scope_id.in_(scope_ids),
            ~exists().where(
                copy.c.tenant == table.c.tenant,
                copy.c.scope_id == table.c.scope_id,
                copy.c.folded_name == table.c.folded_name,
                copy.c.content_hash == table.c.content_hash,
                copy.c.qualified_name < table.c.qualified_name,
            ),
        )

    def card_texts(self, scope_id: int) -> Iterable[tuple[int, str]]:
        table = schema.entry_index
        rows = self._reading.execute(
            select(table.c.entry_id, table.c.card_text)
            .where(table.c.tenant.in_(self._tenants), table.c.scope_id == scope_id)
            .order_by(table.c.entry_id)
        )
        return ((row[0], row[1]) for row in rows)

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
        self, scope_ids: Sequence[int], qualified_name: str, content_hash: str
    ) -> StoredSkill | None:
        table, source = schema.archived_skill, schema.blob
        row = self._reading.execute(
            select(table.c.entry_id, table.c.scope_id, table.c.snapshot, source.c.data)
            .join(
                source,
                and_(source.c.tenant == table.c.tenant, source.c.sha256 == table.c.source_sha256),
            )
            .where(
                table.c.tenant.in_(self._tenants),
                table.c.scope_id.in_(scope_ids),
                table.c.qualified_name == qualified_name,
                table.c.content_hash == content_hash,
            )
            .order_by(table.c.entry_id.desc())
            .limit(1)
        ).one_or_none()
        if row is None:
            return None
        return stored_from_snapshot(
            row.snapshot,
            self._scope_of_id(row.scope_id),
            row.data,
            self._artifacts(row.entry_id),
        )

    def scope_ids(self, scopes: Sequence[Scope]) -> list[int]:
        return [row[1] for row in sorted(self._rows_of_scopes(scopes))]

    def _scope_of_id(self, scope_id: int) -> Scope:
        table = schema.scope
        row = self._reading.execute(
            select(
                table.c.kind, table.c.tenant, table.c.project, table.c.user_name, table.c.session
            ).where(table.c.tenant.in_(self._tenants), table.c.scope_id == scope_id)
        ).one()
        return Scope(ScopeKind(row.kind), row.tenant, row.project, row.user_name, row.session)

    def revisions(
        self, scope_ids: Sequence[int], qualified_name: str, before: int | None, limit: int
    ) -> list[Revision]:
        table = schema.revision
        statement = (
            select(
                table.c.revision_id,
                table.c.action,
                table.c.content_hash,
                table.c.origin_reference,
                table.c.user_name,
                table.c.session,
                table.c.at,
            )
            .where(
                table.c.tenant.in_(self._tenants),
                table.c.scope_id.in_(scope_ids),
                table.c.qualified_name == qualified_name,
            )
            .order_by(table.c.revision_id.desc())
            .limit(limit)
        )
        if before is not None:
            statement = statement.where(table.c.revision_id < before)
        return [Revision(*row) for row in self._reading.execute(statement)]

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

    def _artifacts(self, entry_id: int) -> tuple[Artifact, ...]:
        rows = self._reading.execute(
            statements.ARTIFACTS, {"tenants": self._tenants, "entry_id": entry_id}
        )
        return tuple(Artifact(*row) for row in rows)

    def pack_entries(self, scope: Scope, pack: str) -> list[PackEntry]:
        scope_id = self._id_of_scope(scope)
        if scope_id is None:
            return []
        table = schema.entry
        rows = self._reading.execute(
            select(
                table.c.entry_id, table.c.qualified_name, table.c.source_path, table.c.content_hash
            )
            .where(
                table.c.tenant == scope.tenant,
                table.c.scope_id == scope_id,
                table.c.pack == pack,
            )
            .order_by(table.c.qualified_name)
        )
        return [PackEntry(*row) for row in rows]

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

    def active_vectors(self) -> str | None:
        return active_space(self._reading)

    def unembedded(self, space: VectorSpace, limit: int) -> list[int]:
        return unembedded(self._reading, self._tenants, space.key, limit)

    def embedded_entries(self, scope_id: int, space: VectorSpace) -> list[int]:
        table = schema.embedding
        return list(
            self._reading.scalars(
                select(table.c.entry_id)
                .where(
                    table.c.tenant.in_(self._tenants),
                    table.c.scope_id == scope_id,
                    table.c.model == space.key,
                    table.c.chunk == 0,
                )
                .order_by(table.c.entry_id)
            )
        )

    def vectors(
        self, scope_id: int, space: VectorSpace, entry_ids: Sequence[int]
    ) -> Iterator[tuple[int, bytes]]:
        table = schema.embedding
        for some in _slices(entry_ids):
            rows = self._reading.execute(
                select(table.c.entry_id, table.c.vector)
                .where(
                    table.c.tenant.in_(self._tenants),
                    table.c.scope_id == scope_id,
                    table.c.model == space.key,
                    table.c.entry_id.in_(some),
                )
                .order_by(table.c.entry_id, table.c.chunk)
            )
            for row in rows:
                yield row[0], row[1]

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


def _slices(values: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(values), _ROWS_A_STATEMENT):
        yield values[start : start + _ROWS_A_STATEMENT]
