"""Copy a whole catalog from one store to another, with a check that nothing is missing.

Rows are copied under their ids, every tenant's, oldest first, in transactions that are kept
whole: a copy that was interrupted goes on behind the last row that the target has. Vectors are
copied; the full-text index, profiles and statistics are made anew by the target. Nothing may
write into either store meanwhile; the check at the end tells when something did.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, Table, and_, delete, func, insert, or_, select, union

from catalog.errors import InvalidConfiguration
from catalog.stores import schema
from catalog.stores.open import MEMORY, SQLITE_PREFIX, open_store
from catalog.stores.reader import RelationalReader, StoreMemory
from catalog.stores.relational import RelationalStore
from catalog.stores.vectors import ACTIVE_SETTING, active_space

Progress = Callable[[str, int, int], None]
"""Called with a table's name, how many of its rows are copied, and how many there are."""

_ROWS_A_TRANSACTION = 256
_BYTES_A_TRANSACTION = 16 * 1024 * 1024

# In an order in which each row finds what it names.
_COPIED = (
    schema.scope,
    schema.blob,
    schema.entry_artifact,
    schema.entry_content,
    schema.entry,
    schema.embedding,
    schema.archived_skill,
    schema.revision,
    schema.proposal_key,
    schema.usage,
    schema.audit,
    schema.audit_end,
)
# What the target counts for itself.
_OWN_COLUMNS = {"scope": {"version": 0, "documents": 0}}
_IDS = {
    "scope": (schema.scope.c.scope_id,),
    "entry": (schema.entry.c.entry_id, schema.archived_skill.c.entry_id),
}


@dataclass(frozen=True, slots=True)
class CopyReport:
    """Args:
    rows: how many rows of each table the source has.
    copied: how many of them this run has copied; the others were there.
    disagreements: a line for each table of a tenant that is not the same in both stores.
    """

    rows: dict[str, int]
    copied: dict[str, int]
    disagreements: tuple[str, ...]


def copy_catalog(source_url: str, target_url: str, progress: Progress) -> CopyReport:
    """Copy every tenant, and the global scope, and compare counts and hashes of all rows.

    Raises:
        InvalidConfiguration: a URL is of no known form, both are the same store, or the target
            is in memory or holds something that is not the beginning of a copy of the source.
        StoreUnavailable: a store cannot be opened, or its URL's role may not see all of it.
    """
    if target_url == MEMORY:
        raise InvalidConfiguration("a store in memory would be gone with the copy", field="to")
    if _named(source_url) == _named(target_url):
        raise InvalidConfiguration("source and target are the same store", field="to")
    with ExitStack() as stack:
        source, target = _opened(source_url, stack), _opened(target_url, stack)
        old = stack.enter_context(source.whole_snapshot())
        tenants = _tenants(old)
        _refuse_foreign_rows(old, target)
        rows = {table.name: _count(old, table) for table in _COPIED}
        copied = dict.fromkeys(rows, 0)
        for table in _COPIED:
            with target.whole_snapshot() as new:
                done = _count(new, table)
            progress(table.name, done, rows[table.name])
            for tenant in tenants:
                for count in _copy_table(old, target, table, tenant):
                    copied[table.name] += count
                    progress(table.name, done + copied[table.name], rows[table.name])
        _keep_vectors_active(old, target)
        _keep_ids_unused(old, target)
        with target.whole_snapshot() as new:
            found = tuple(_disagreements(old, new, tenants))
    return CopyReport(rows, copied, found)


def _named(url: str) -> str:
    """The URL, of a file by the one path that it has without links and turns."""
    path = url.removeprefix(SQLITE_PREFIX)
    return url if path == url else str(Path(path).resolve())


def _opened(url: str, stack: ExitStack) -> RelationalStore:
    store = open_store(url)
    stack.callback(store.close)
    if not isinstance(store, RelationalStore):
        raise InvalidConfiguration("a store of that URL cannot be copied", field="store")
    return store


def _tenants(connection: Connection) -> list[str]:
    every = union(*(select(table.c.tenant) for table in _COPIED))
    return sorted(connection.scalars(every))


def _count(connection: Connection, table: Table) -> int:
    return connection.execute(select(func.count()).select_from(table)).scalar_one()


def _refuse_foreign_rows(old: Connection, target: RelationalStore) -> None:
    """A target with scopes or audit lines of its own would mix two catalogs."""
    columns = [column for column in schema.scope.c if column.name not in _OWN_COLUMNS["scope"]]
    with target.whole_snapshot() as new:
        scopes = set(map(tuple, new.execute(select(*columns))))
        lines = new.execute(select(schema.audit_end.c.tenant, schema.audit_end.c.hash)).all()
    known = set(map(tuple, old.execute(select(*columns)))) if scopes else set()
    audited = schema.audit
    for tenant, line in lines:
        is_known = old.scalar(
            select(audited.c.sequence).where(audited.c.tenant == tenant, audited.c.hash == line)
        )
        if line and is_known is None:
            scopes.add((tenant, "audit"))
    if not scopes <= known:
        raise InvalidConfiguration(
            "the target holds a catalog that is no copy of the source; give an empty one",
            field="to",
        )


def _copy_table(
    old: Connection, target: RelationalStore, table: Table, tenant: str
) -> Iterator[int]:
    """Copy the rows of a tenant that the target has not; gives how many after each commit."""
    key = [column for column in table.primary_key if column.name != "tenant"]
    if not key:
        yield from _copy_only_row(old, target, table, tenant)
        return
    with target.whole_snapshot() as new:
        last = _last_key(new, table, tenant, key)
    while rows := _rows_after(old, table, tenant, key, last):
        with target.maintenance() as new:
            new.execute(insert(table), [_target_row(table, row) for row in rows])
            if table is schema.entry:
                _index(new, target, tenant, [row.entry_id for row in rows])
        yield len(rows)
        last = tuple(getattr(rows[-1], column.name) for column in key)


def _copy_only_row(
    old: Connection, target: RelationalStore, table: Table, tenant: str
) -> Iterator[int]:
    """Of a table with one row a tenant, which may have changed since an earlier run."""
    of_tenant = table.c.tenant == tenant
    row = old.execute(select(table).where(of_tenant)).one_or_none()
    with target.whole_snapshot() as new:
        present = new.execute(select(table).where(of_tenant)).one_or_none()
    if row is not None and row != present:
        with target.maintenance() as new:
            new.execute(delete(table).where(of_tenant))
            new.execute(insert(table).values(**row._mapping))
        yield 1


def _last_key(
    new: Connection, table: Table, tenant: str, key: Sequence[Any]
) -> tuple[Any, ...] | None:
    statement = select(*key).where(table.c.tenant == tenant)
    row = new.execute(statement.order_by(*(column.desc() for column in key)).limit(1)).first()
    return None if row is None else tuple(row)


def _rows_after(
    old: Connection, table: Table, tenant: str, key: Sequence[Any], last: tuple[Any, ...] | None
) -> Sequence[Row[Any]]:
    statement = select(table).where(table.c.tenant == tenant).order_by(*key)
    if last is not None:
        statement = statement.where(_is_after(key, last))
    limit = _ROWS_A_TRANSACTION
    if table is schema.blob:
        sizes = statement.with_only_columns(func.length(table.c.data)).limit(limit)
        limit = _fitting(old.scalars(sizes).all())
    return old.execute(statement.limit(limit)).all()


def _is_after(key: Sequence[Any], last: tuple[Any, ...]) -> Any:
    """The key is greater than `last`, column by column."""
    choices = []
    for place, column in enumerate(key):
        same = [key[before] == last[before] for before in range(place)]
        choices.append(and_(*same, column > last[place]))
    return or_(*choices)


def _fitting(sizes: Sequence[int]) -> int:
    """How many of the first fit into one transaction, at least one."""
    total = 0
    for count, size in enumerate(sizes):
        total += size
        if total > _BYTES_A_TRANSACTION:
            return max(1, count)
    return max(1, len(sizes))


def _target_row(table: Table, row: Row[Any]) -> dict[str, Any]:
    return {**row._mapping, **_OWN_COLUMNS.get(table.name, {})}


def _index(new: Connection, target: RelationalStore, tenant: str, entry_ids: list[int]) -> None:
    reader = RelationalReader(new, tenant, None, StoreMemory())
    writer = target.maintainer(new, tenant)
    for entry_id in entry_ids:
        writer.reindex(reader.skill(entry_id))
    writer.finish()


def _keep_vectors_active(old: Connection, target: RelationalStore) -> None:
    space = active_space(old)
    if space is not None:
        name = schema.setting.c.name
        with target.maintenance() as new:
            new.execute(delete(schema.setting).where(name == ACTIVE_SETTING))
            new.execute(insert(schema.setting).values(name=ACTIVE_SETTING, value=space))


def _keep_ids_unused(old: Connection, target: RelationalStore) -> None:
    with target.maintenance() as new:
        ids = target.new_ids(new)
        for name, columns in _IDS.items():
            highest = [old.scalar(select(func.max(column))) or 0 for column in columns]
            ids.start_after(name, max(highest))
        ids.save()


def _disagreements(old: Connection, new: Connection, tenants: list[str]) -> Iterator[str]:
    for tenant in sorted({*tenants, *_tenants(new)}):
        for table in _COPIED:
            here, there = (_digest(connection, table, tenant) for connection in (old, new))
            if here != there:
                yield (
                    f"{table.name} of {tenant or 'the global scope'}: the source has {here[0]} "
                    f"rows and the target {there[0]}, or their contents differ"
                )


def _digest(connection: Connection, table: Table, tenant: str) -> tuple[int, str]:
    """Number and hash of the rows; stored bytes are hashed and compared with their name."""
    own = _OWN_COLUMNS.get(table.name, {})
    columns = [column for column in table.c if column.name not in own]
    statement = select(*columns).where(table.c.tenant == tenant).order_by(*table.primary_key)
    digest, count = hashlib.sha256(), 0
    options = {"yield_per": 1 if table is schema.blob else _ROWS_A_TRANSACTION}
    for row in connection.execute(statement, execution_options=options):
        values = tuple(row)
        if table is schema.blob:
            values = (row.sha256, hashlib.sha256(row.data).hexdigest())
            if values[0] != values[1]:
                digest.update(b"damaged")
        digest.update(repr(values).encode())
        count += 1
    return count, digest.hexdigest()
