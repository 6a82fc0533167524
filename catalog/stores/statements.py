"""The statements of every search and every get, built once.

To build a statement takes longer than to run it. Ids are given as `entry_ids`, tenants as
`tenants`: the identity's own and the empty one, which holds the global scope.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sqlalchemy import (
    BindParameter,
    Dialect,
    SelectBase,
    and_,
    bindparam,
    literal_column,
    or_,
    select,
    union_all,
)

from catalog.stores import schema
from catalog.stores.rows import ENTRY_COLUMNS

_entry, _content, _blob, _scope = schema.entry, schema.entry_content, schema.blob, schema.scope
_link, _index, _frequency = schema.entry_artifact, schema.entry_index, schema.term_frequency

_tenants: BindParameter[Any] = bindparam("tenants", expanding=True)
_entry_ids: BindParameter[Any] = bindparam("entry_ids", expanding=True)
_scope_ids: BindParameter[Any] = bindparam("scope_ids", expanding=True)

ENTRY = [_entry.c[name] for name in ENTRY_COLUMNS]
SCOPE_COLUMNS = ("tenant", "kind", "project", "user_name", "session")

PROFILES = select(_index.c.entry_id, _index.c.profile).where(
    _index.c.tenant.in_(_tenants), _index.c.entry_id.in_(_entry_ids)
)

ENTRIES = select(*ENTRY).where(_entry.c.tenant.in_(_tenants), _entry.c.entry_id.in_(_entry_ids))

_of_scopes = and_(_entry.c.tenant.in_(_tenants), _entry.c.scope_id.in_(_scope_ids))
# SQLite looks into an index for each side only where a side is all that the index has.
NAMED = select(*ENTRY).where(
    or_(
        and_(_of_scopes, _entry.c.folded_name == bindparam("folded")),
        and_(_of_scopes, _entry.c.folded_qualified_name == bindparam("folded")),
    )
)

SKILL = (
    select(
        *ENTRY,
        _entry.c.source_path,
        _entry.c.origin_reference,
        _entry.c.created_at,
        _content.c.content,
        _blob.c.data,
        *(_scope.c[name] for name in SCOPE_COLUMNS),
    )
    .join(
        _content,
        and_(_content.c.tenant == _entry.c.tenant, _content.c.entry_id == _entry.c.entry_id),
    )
    .join(_blob, and_(_blob.c.tenant == _entry.c.tenant, _blob.c.sha256 == _entry.c.source_sha256))
    .join(_scope, and_(_scope.c.tenant == _entry.c.tenant, _scope.c.scope_id == _entry.c.scope_id))
    .where(_entry.c.tenant.in_(_tenants), _entry.c.entry_id == bindparam("entry_id"))
)

ARTIFACTS = (
    select(_link.c.path, _link.c.sha256, _link.c.size, _link.c.media_type, _link.c.kind)
    .where(_link.c.tenant.in_(_tenants), _link.c.entry_id == bindparam("entry_id"))
    .order_by(_link.c.path)
)


@lru_cache
def scope_rows(count: int, dialect: Dialect) -> tuple[str, tuple[str, ...]]:
    """SQL for place, id, version and number of entries of those of `count` scopes that are
    there, and the names of its parameters: SCOPE_COLUMNS of each scope, in order.

    The first statement of every request.
    """
    names = [f"{name}_{place}" for place in range(count) for name in SCOPE_COLUMNS]
    statement = union_all(
        *(
            select(
                literal_column(str(place)), _scope.c.scope_id, _scope.c.version, _scope.c.documents
            ).where(*(_scope.c[name] == bindparam(f"{name}_{place}") for name in SCOPE_COLUMNS))
            for place in range(count)
        )
    )
    return _as_text(statement, dialect), tuple(names)


@lru_cache
def frequency_rows(count: int, dialect: Dialect) -> tuple[str, tuple[str, ...]]:
    """SQL for the term and the number of entries that hold it, of `count` terms, and the names
    of its parameters: tenant, scope id, and the terms."""
    names = [f"term_{place}" for place in range(count)]
    statement = select(_frequency.c.term, _frequency.c.documents).where(
        _frequency.c.tenant.in_([literal_column("''"), bindparam("tenant")]),
        _frequency.c.scope_id == bindparam("scope_id"),
        _frequency.c.term.in_([bindparam(name) for name in names]),
    )
    return _as_text(statement, dialect), ("tenant", "scope_id", *names)


def _as_text(statement: SelectBase, dialect: Dialect) -> str:
    """The statement as the driver takes it, with named parameters: a short one takes longer to
    pass through SQLAlchemy than to run."""
    # Every dialect takes `paramstyle`, though their common base does not say so.
    named = type(dialect)(paramstyle="named") if dialect.positional else dialect  # type: ignore[call-arg]
    return str(statement.compile(dialect=named))
