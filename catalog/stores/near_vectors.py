"""Nearest vectors by pgvector: an HNSW index in the database, for scopes that are too large to
be kept in the memory of every process.

Its table is made from the rows of `embedding` of the space that searches read, with half of
their precision, and loses its rows with theirs. What it finds is compared exactly by those.
Where there is no such table, vectors are searched in the memory of the process.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Table, select, update
from sqlalchemy.exc import DBAPIError

from catalog.stores import schema
from catalog.stores.vectors import VectorSpace

SETTING: Final = "near_vectors"
"""The key of the space that the table was made for."""
TABLE: Final = "embedding_near"
OLDEST_VERSION: Final = (0, 8)
"""Of pgvector: the first that goes on where a filter leaves too few."""
MOST_DIMENSIONS: Final = 4_000
MOST_VISITED: Final = 100_000
_MOST_EFFORT: Final = 1_000
_ROWS_AT_ONCE: Final = 1_000

_CREATE = """
CREATE TABLE embedding_near (
    tenant text COLLATE "C" NOT NULL,
    scope_id bigint NOT NULL,
    model text COLLATE "C" NOT NULL,
    entry_id bigint NOT NULL,
    chunk integer NOT NULL,
    near halfvec({dimension}) NOT NULL,
    CONSTRAINT embedding_near_pk PRIMARY KEY (tenant, scope_id, model, entry_id, chunk),
    CONSTRAINT embedding_near_of FOREIGN KEY (tenant, scope_id, model, entry_id, chunk)
        REFERENCES embedding ON DELETE CASCADE
)
"""
_INDEX = (
    "CREATE INDEX embedding_near_by_nearness ON embedding_near USING hnsw (near halfvec_ip_ops)"
)
_ADD = (
    "INSERT INTO embedding_near (tenant, scope_id, model, entry_id, chunk, near) "
    "SELECT tenant, scope_id, model, entry_id, chunk, near::halfvec "
    "FROM unnest(%s::text[], %s::bigint[], %s::text[], %s::bigint[], %s::int[], %s::text[]) "
    "AS given (tenant, scope_id, model, entry_id, chunk, near) ON CONFLICT DO NOTHING"
)
_COUNT = (
    "SELECT count(*) FILTER (WHERE chunk = 0), count(*), (SELECT count(*) FROM embedding_near "
    "WHERE tenant = ANY (%(tenants)s) AND scope_id = %(scope)s AND model = %(model)s) "
    "FROM embedding "
    "WHERE tenant = ANY (%(tenants)s) AND scope_id = %(scope)s AND model = %(model)s"
)
_NEAREST = (
    "SELECT entry_id FROM embedding_near WHERE tenant = ANY (%s) AND scope_id = %s "
    "ORDER BY (near <#> %s::halfvec){exactly} LIMIT %s"
)


@dataclass(frozen=True, slots=True)
class NearVectors:
    """How much of a scope the database can search: so many vectors of so many entries, all of
    them or none."""

    entries: int
    vectors: int


NOTHING: Final = NearVectors(0, 0)


def is_offered(connection: Connection, dimension: int = 1) -> bool:
    """Whether this database has pgvector, or its server could give it. Citus takes no table
    that refers to a distributed one before it is distributed too."""
    version = connection.exec_driver_sql(
        "SELECT coalesce(installed_version, default_version) FROM pg_available_extensions "
        "WHERE name = 'vector' AND NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')"
    ).scalar()
    is_new = version is not None and _numbers(version) >= OLDEST_VERSION
    return is_new and dimension <= MOST_DIMENSIONS


def indexed_space(connection: Connection) -> str | None:
    """The key of the space whose vectors the database searches."""
    if connection.dialect.name != "postgresql":
        return None
    column = schema.setting.c
    value: str | None = connection.scalar(select(column.value).where(column.name == SETTING))
    return value


def make(connection: Connection, upsert: Callable[[Table], Any], space: VectorSpace) -> None:
    """Make the table anew, while nobody writes; nothing where the role may not."""
    # It imports Alembic, which takes a while.
    from catalog.stores.migrations.row_security import statements_that_protect_rows

    try:
        with connection.begin_nested():
            connection.exec_driver_sql("CREATE EXTENSION IF NOT EXISTS vector")
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", "") != "42501":
            raise
        return
    connection.exec_driver_sql(f"DROP TABLE IF EXISTS {TABLE}")
    connection.exec_driver_sql(_CREATE.format(dimension=space.dimension))
    connection.exec_driver_sql(f"ALTER TABLE {TABLE} ALTER COLUMN near SET STORAGE PLAIN")
    for statement in statements_that_protect_rows(TABLE):
        connection.exec_driver_sql(statement)
    for rows in _stored(connection, space.key):
        add(connection, rows)
    # Behind the rows: a graph is built faster than it is added to.
    connection.exec_driver_sql(_INDEX)
    connection.exec_driver_sql(f"ANALYZE {TABLE}")
    statement = upsert(schema.setting).values(name=SETTING, value=space.key)
    connection.execute(
        statement.on_conflict_do_update(index_elements=["name"], set_={"value": space.key})
    )
    # How much can be searched is remembered under the versions of the scopes.
    connection.execute(update(schema.scope).values(version=schema.scope.c.version + 1))


def add(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Rows as those of `embedding`."""
    columns = ("tenant", "scope_id", "model", "entry_id", "chunk")
    given = [[row[column] for row in rows] for column in columns]
    connection.exec_driver_sql(_ADD, (*given, [_literal(row["vector"]) for row in rows]))


def searchable(
    connection: Connection, tenants: Sequence[str], scope_id: int, space: VectorSpace
) -> NearVectors:
    if indexed_space(connection) != space.key:
        return NOTHING
    asked = {"tenants": list(tenants), "scope": scope_id, "model": space.key}
    entries, vectors, near = connection.exec_driver_sql(_COUNT, asked).one()
    return NearVectors(entries, vectors) if near == vectors else NOTHING


def nearest(
    connection: Connection, tenants: Sequence[str], scope_id: int, query: bytes, count: int
) -> list[int]:
    """Entries of the scope that own one of the `count` nearest vectors."""
    effort = min(max(2 * count, 40), _MOST_EFFORT)
    connection.exec_driver_sql(
        "SELECT set_config('hnsw.iterative_scan', 'strict_order', true), "
        "set_config('hnsw.max_scan_tuples', %s, true), set_config('hnsw.ef_search', %s, true)",
        (str(MOST_VISITED), str(effort)),
    )
    asked = (list(tenants), scope_id, _literal(query), count)
    found = connection.exec_driver_sql(_NEAREST.format(exactly=""), asked).scalars().all()
    if len(found) < count:
        # The graph was left for good before the filter let enough pass.
        exact = _NEAREST.format(exactly=" + 0")
        found = connection.exec_driver_sql(exact, asked).scalars().all()
    return sorted(set(found))


def _stored(connection: Connection, space: str) -> Iterator[list[dict[str, Any]]]:
    table = schema.embedding
    statement = select(table).where(table.c.model == space)
    rows = connection.execute(statement.execution_options(yield_per=_ROWS_AT_ONCE))
    for some in rows.mappings().partitions():
        yield [dict(row) for row in some]


def _literal(vector: bytes) -> str:
    numbers = struct.unpack(f"<{len(vector) // 4}f", vector)
    return "[" + ",".join([f"{number:.5g}" for number in numbers]) + "]"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])
