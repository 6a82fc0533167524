"""PostgreSQL: any number of processes on one database, with row-level security.

Two roles are at work. The one of the URL owns the tables when it made them; it migrates,
checks and repairs. Requests run as `skillcatalog_service`, which owns nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql
from psycopg.pq import Format
from sqlalchemy import Connection, create_engine, event, make_url
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, OperationalError
from sqlalchemy.pool import NullPool, QueuePool

from catalog.errors import (
    DeadlineExceeded,
    InvalidConfiguration,
    SkillCatalogError,
    StoreUnavailable,
)
from catalog.identity import Identity, Role
from catalog.stores import near_vectors, vectors
from catalog.stores.full_text.postgresql import PostgreSqlIndex
from catalog.stores.migrations.row_security import (
    TENANT_SETTING,
    UPKEEP_SETTING,
    WRITES_GLOBAL_SETTING,
)
from catalog.stores.postgresql_roles import become_service, make_service_role
from catalog.stores.relational import RelationalStore
from catalog.stores.vectors import VectorSpace
from catalog.stores.write_engine import WriteEngine

MAX_CONNECTIONS = 16
"""Connections of one process; further requests wait for one."""
CONNECTION_WAIT_SECONDS = 5
CONNECT_TIMEOUT_SECONDS = 5
TURN_TIMEOUT_SECONDS = 60
"""How long a writer waits for another one of the same tenant."""
READ_TIMEOUT_SECONDS = 60
"""How long a statement that only reads may take where the caller sets no deadline."""

_TURN_SETTINGS = {"lock_timeout": f"{TURN_TIMEOUT_SECONDS}s"}
_MAX_IDS_AHEAD = 256
_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED"


class PostgreSqlStore(RelationalStore):
    """A catalog in one PostgreSQL database of encoding UTF-8.

    Every transaction names its tenant to the database, which holds it to that (see
    `row_security`). A connection that the database has closed is replaced by a new one when
    a transaction begins; one that is lost later fails that transaction whole.

    Args:
        url: `postgresql://USER:PASSWORD@HOST/DATABASE`, with any parameter of libpq.

    Raises:
        InvalidConfiguration: the URL or the database is of a kind that cannot be used.
        StoreUnavailable: the database cannot be reached, or its schema is older or newer
            than this version and the role may not change it.
    """

    def __init__(self, url: str) -> None:
        address = _address(url)
        self._owner_engine = create_engine(address, poolclass=NullPool)
        engine = create_engine(
            address,
            isolation_level="AUTOCOMMIT",  # `_begin` begins transactions itself
            poolclass=QueuePool,
            pool_size=MAX_CONNECTIONS,
            max_overflow=0,
            pool_timeout=CONNECTION_WAIT_SECONDS,
            pool_use_lifo=True,
            connect_args={"cursor_factory": _BinaryCursor},
        )
        event.listen(engine, "connect", become_service)
        super().__init__(
            engine, PostgreSqlIndex(), WriteEngine(insert, SequenceIds, _take_turn, _count_terms)
        )

    def claim_vectors(self, space: VectorSpace) -> str:
        active = super().claim_vectors(space)
        if active == space.key:
            self._index_vectors(space, anew=False)
        return active

    def switch_vectors(self, space: VectorSpace) -> bool:
        switched = super().switch_vectors(space)
        if switched:
            self._index_vectors(space, anew=True)
        return switched

    @property
    def vector_search(self) -> str:
        memory = super().vector_search
        with self._translated(), self._snapshot("") as connection:
            if near_vectors.indexed_space(connection) == vectors.active_space(connection):
                return f"{memory}, those of large scopes by pgvector in the database"
            if near_vectors.is_offered(connection):
                return (
                    f"{memory}; run skillcatalog reindex as the owner of the tables to let "
                    "pgvector search those of large scopes"
                )
        oldest = ".".join(map(str, near_vectors.OLDEST_VERSION))
        return f"{memory}: the database has no pgvector of version {oldest} or newer"

    def _index_vectors(self, space: VectorSpace, *, anew: bool) -> None:
        with self._translated(), self._snapshot("") as connection:
            is_done = near_vectors.indexed_space(connection) == space.key and not anew
            if is_done or not near_vectors.is_offered(connection, space.dimension):
                return
        with self._translated(), self._owner_engine.connect() as connection:
            if not connection.exec_driver_sql(_IS_OWNER).scalar_one():
                return
        with self._translated(), self.maintenance() as connection:
            near_vectors.make(connection, self._write_engine.upsert, space)

    def erase(self) -> None:
        """Free the space of deleted rows for new ones. Bytes on disk go when they are written
        over; `VACUUM FULL` and the end of old backups are the operator's."""
        tables = ["archived_skill", "blob", "embedding", "entry_artifact", "entry_tokens"]
        with self._translated(), self._owner_engine.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT")
            if near_vectors.indexed_space(connection) is not None:
                tables.append(near_vectors.TABLE)
            connection.exec_driver_sql(f"VACUUM {', '.join(tables)}")

    @contextmanager
    def _snapshot(self, tenant: str, timeout_seconds: float | None = None) -> Iterator[Connection]:
        if timeout_seconds is None:
            timeout_seconds = READ_TIMEOUT_SECONDS
        with self._begun(_READ, _settings(tenant, timeout_seconds)) as connection:
            yield connection
            # The driver forgets its prepared statements at a rollback.
            connection.commit()

    @contextmanager
    def _write_transaction(
        self, actor: Identity, timeout_seconds: float | None = None
    ) -> Iterator[Connection]:
        settings = _settings(actor.tenant, timeout_seconds) | _TURN_SETTINGS
        if actor.has_role(Role.ADMIN):
            settings[WRITES_GLOBAL_SETTING] = "on"
        with self._begun(_WRITE, settings, _KEEP_OUT_MAINTENANCE) as connection:
            yield connection
            connection.exec_driver_sql("SELECT settle_write()")
            connection.commit()

    @contextmanager
    def _audit_transaction(self, tenant: str) -> Iterator[Connection]:
        settings = _settings(tenant, None) | _TURN_SETTINGS
        with self._begun(_WRITE, settings, _KEEP_OUT_MAINTENANCE) as connection:
            yield connection
            connection.commit()

    @contextmanager
    def whole_snapshot(self) -> Iterator[Connection]:
        with self._owner_engine.connect() as connection:
            connection.execution_options(isolation_level="REPEATABLE READ")
            connection.exec_driver_sql(_REFUSE_TO_SEE_LESS)
            yield connection

    @contextmanager
    def upkeep(self, *, writes: bool = False) -> Iterator[Connection]:
        settings = _settings("", None) | _TURN_SETTINGS | {UPKEEP_SETTING: "on"}
        begin, then = (_WRITE, _KEEP_OUT_WRITERS) if writes else (_READ, "")
        with self._begun(begin, settings, then) as connection:
            yield connection
            connection.commit()

    @contextmanager
    def maintenance(self) -> Iterator[Connection]:
        with self._owner_engine.begin() as connection:
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{TURN_TIMEOUT_SECONDS}s'")
            connection.exec_driver_sql(_KEEP_OUT_WRITERS)
            connection.exec_driver_sql(_REFUSE_TO_SEE_LESS)
            yield connection

    def _open(self) -> None:
        with self._translated(), self._owner_engine.connect() as connection:
            encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
            if encoding != "UTF8":
                raise InvalidConfiguration(
                    f"the database has encoding {encoding}; it has to be UTF8", field="store"
                )
            ready = self._is_ready(connection)
        if not ready:
            with self._translated():
                make_service_role(self._owner_engine)
            self._bring_up_to_date()

    @contextmanager
    def _begun(self, begin: str, settings: dict[str, str], then: str = "") -> Iterator[Connection]:
        statements = "; ".join(
            [begin, *(f"SET LOCAL {name} = {_literal(value)}" for name, value in settings.items())]
        )
        connection = self._connected(f"{statements}; {then}")
        try:
            yield connection
        finally:
            connection.close()

    def _connected(self, begin: str) -> Connection:
        """A connection in a new transaction. The first try may meet a connection of the pool
        that the database has closed meanwhile."""
        try:
            return self._try_connected(begin)
        except OperationalError as error:
            if not error.connection_invalidated:
                raise
            self._engine.dispose()
            return self._try_connected(begin)

    def _try_connected(self, begin: str) -> Connection:
        connection = self._engine.connect()
        try:
            _run(connection, begin)
        except OperationalError as error:
            if error.connection_invalidated:
                connection.invalidate()
            connection.close()
            raise
        return connection

    def _fault(self, error: BaseException | None) -> SkillCatalogError:
        state = getattr(error, "sqlstate", None) or ""
        if state == "57014":
            return DeadlineExceeded(
                "the database did not answer in time, or another writer did not end in time"
            )
        if state == "55P03":
            return StoreUnavailable(
                "another writer of the same scope has kept its turn for over "
                f"{TURN_TIMEOUT_SECONDS} seconds"
            )
        if state == "42501":
            return StoreUnavailable(
                "the database does not let the role of the store's URL do this: "
                "it takes the role that owns the tables"
            )
        if state and state[:2] not in ("08", "57"):
            return StoreUnavailable(f"the database failed with SQLSTATE {state}")
        return StoreUnavailable("the database cannot be reached or refuses the login")


class SequenceIds:
    """Ids from sequences, which keep nobody waiting; those of a dropped transaction are lost.

    They are fetched ahead, ever more of them: a transaction that writes one skill takes one,
    one that writes thousands asks seldom.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._ahead: dict[str, Iterator[int]] = {}
        self._take: dict[str, int] = {}

    def next(self, name: str) -> int:
        found = next(self._ahead.get(name, iter(())), None)
        if found is None:
            take = self._take.get(name, 1)
            self._take[name] = min(2 * take, _MAX_IDS_AHEAD)
            rows = self._connection.exec_driver_sql(
                "SELECT nextval(%s) FROM generate_series(1, %s)", (f"{name}_ids", take)
            )
            found, *rest = (row[0] for row in rows)
            self._ahead[name] = iter(rest)
        return int(found)

    def start_after(self, name: str, value: int) -> None:
        self._connection.exec_driver_sql(
            f"SELECT setval('{name}_ids', greatest(%s, last_value)) FROM {name}_ids "
            "WHERE %s >= last_value",
            (value, value),
        )

    def save(self) -> None:
        """The sequences have it already."""


class _BinaryCursor(psycopg.Cursor[Any]):
    """Asks for rows as the database holds them. As text, the bytes of the hundred profiles that
    a search reads would be twice as many, and take longer to read than to find."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.format = Format.BINARY


def _take_turn(connection: Connection, tenant: str) -> None:
    connection.exec_driver_sql("SELECT pg_advisory_xact_lock(%s)", (_lock_key(f"tenant {tenant}"),))


def _count_terms(
    connection: Connection, tenant: str, scope_id: int, counts: Sequence[tuple[int, int]]
) -> None:
    terms, documents = zip(*counts, strict=True)
    connection.exec_driver_sql(_COUNT_TERMS, (tenant, scope_id, list(terms), list(documents)))


_COUNT_TERMS = (
    "INSERT INTO term_frequency AS known (tenant, scope_id, term, documents) "
    "SELECT %s, %s, term, documents FROM unnest(%s::bigint[], %s::integer[]) "
    "AS given (term, documents) ON CONFLICT (tenant, scope_id, term) "
    "DO UPDATE SET documents = known.documents + excluded.documents"
)


def _lock_key(name: str) -> int:
    digest = hashlib.blake2b(f"skillcatalog {name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


_EVERYTHING = _lock_key("everything")
_KEEP_OUT_MAINTENANCE = f"SELECT pg_advisory_xact_lock_shared({_EVERYTHING})"
_KEEP_OUT_WRITERS = f"SELECT pg_advisory_xact_lock({_EVERYTHING})"
_IS_OWNER = "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'embedding'::regclass"
# An error where row security would leave rows out, so that a check never passes for want of
# rows.
_REFUSE_TO_SEE_LESS = "SET LOCAL row_security = off"


def _settings(tenant: str, timeout_seconds: float | None) -> dict[str, str]:
    settings = {TENANT_SETTING: tenant}
    if timeout_seconds is not None:
        settings["statement_timeout"] = f"{max(1, round(timeout_seconds * 1000))}ms"
    return settings


def _literal(value: str) -> str:
    return sql.Literal(value).as_string(None)


def _run(connection: Connection, statements: str) -> None:
    """Several statements in one round trip."""
    driver: Any = connection.connection.driver_connection
    try:
        # The driver takes several at once where it asks for no binary rows.
        psycopg.Cursor(driver).execute(statements, prepare=False)
    except psycopg.Error as error:
        raise OperationalError(None, None, error, connection_invalidated=driver.closed) from error


def _address(url: str) -> URL:
    try:
        address = make_url(url).set(drivername="postgresql+psycopg")
    except ArgumentError as error:
        raise InvalidConfiguration(
            "store URL is not of the form postgresql://USER:PASSWORD@HOST/DATABASE", field="store"
        ) from error
    defaults = {
        "application_name": "skillcatalog",
        "client_encoding": "utf8",
        "connect_timeout": str(CONNECT_TIMEOUT_SECONDS),
        "keepalives_idle": "30",
    }
    return address.update_query_dict({**defaults, **address.query})
