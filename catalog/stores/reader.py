"""Reads that search and list make of one snapshot, the same on every engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

from sqlalchemy import (
    Connection,
    and_,
    exists,
    func,
    select,
    tuple_,
)
from sqlalchemy.sql import Select

from catalog.card import Entry
from catalog.errors import InvalidPageToken
from catalog.memo import Memo
from catalog.scope import Scope
from catalog.search.profile import Profile
from catalog.search.scope_memory import ScopeMemory
from catalog.stores import near_vectors, schema, statements
from catalog.stores.full_text.index import FullTextIndex
from catalog.stores.near_vectors import NearVectors
from catalog.stores.rows import (
    entry_from_row,
)
from catalog.stores.skill_reads import SkillReads
from catalog.stores.store import Visible
from catalog.stores.vectors import VectorSpace, active_space, unembedded
from catalog.text.folding import fold

_ROWS_A_STATEMENT = 500
_PROFILE_BYTES = 32_000_000
"""Of profiles that a process remembers; those of some five thousand skills."""


@dataclass(frozen=True, slots=True)
class StoreMemory:
    """What a store's readers remember between snapshots, under keys that never change
    their meaning: the reading tenant with an entry id, and scopes with their versions."""

    profiles: Memo[tuple[str, int], Profile] = field(
        default_factory=lambda: Memo(_PROFILE_BYTES, weight=Profile.size)
    )
    entries: Memo[tuple[str, int], Entry] = field(default_factory=lambda: Memo(12_000))
    visible: Memo[tuple[tuple[int, int], ...], Visible] = field(default_factory=lambda: Memo(2_000))
    scopes: Memo[tuple[int, int], ScopeMemory] = field(default_factory=lambda: Memo(256))


class RelationalReader(SkillReads):
    """See `StoreReader` for the contract of each method."""

    def __init__(
        self,
        connection: Connection,
        tenant: str,
        full_text: FullTextIndex | None,
        memory: StoreMemory,
    ) -> None:
        super().__init__(connection, tenant)
        self._full_text = full_text
        self._memory = memory

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
        found: dict[int, int] = {}
        for some in _slices(terms):
            sql, names = statements.frequency_rows(len(some), self._connection.dialect)
            given = dict(zip(names, (self._tenant, scope_id, *some), strict=True))
            for term, documents in self._reading.exec_driver_sql(sql, given):
                found[term] = documents
        return found

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
        tenant = self._tenant
        known = map(memo.get, zip(repeat(tenant), entry_ids))
        found: dict[int, Any] = dict(zip(entry_ids, known, strict=True))
        missing = [entry_id for entry_id, value in found.items() if value is None]
        if not missing:
            return found
        for some in _slices(missing):
            parameters = {"tenants": self._tenants, "entry_ids": some}
            for row in self._reading.execute(statement, parameters):
                value = found[row[0]] = read(row)
                memo.put((tenant, row[0]), value)
        return {entry_id: value for entry_id, value in found.items() if value is not None}

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

    def near_vectors(self, scope_id: int, space: VectorSpace) -> NearVectors:
        return near_vectors.searchable(self._reading, self._tenants, scope_id, space)

    def nearest_entries(
        self,
        scope_id: int,
        space: VectorSpace,  # noqa: ARG002 - what is indexed is of the space that is searched
        query: bytes,
        count: int,
    ) -> list[int]:
        return near_vectors.nearest(self._reading, self._tenants, scope_id, query, count)


def _slices(values: Sequence[int]) -> Iterator[Sequence[int]]:
    """The values in parts, each filled up to a power of two with its last one: an engine that
    prepares statements then knows ten of them, not one for every number of values."""
    for start in range(0, len(values), _ROWS_A_STATEMENT):
        some = values[start : start + _ROWS_A_STATEMENT]
        missing = (1 << (len(some) - 1).bit_length()) - len(some)
        yield [*some, *[some[-1]] * missing]
