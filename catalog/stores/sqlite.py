"""SQLite: one file in WAL mode with many readers and one writer, or the same in memory."""

from __future__ import annotations

import shutil
import sqlite3
import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.pool import QueuePool

from catalog.errors import DeadlineExceeded, StoreUnavailable
from catalog.identity import Identity
from catalog.stores.full_text.fts4 import Fts4Index
from catalog.stores.full_text.fts5 import Fts5Index
from catalog.stores.full_text.index import FullTextIndex
from catalog.stores.integrity import Finding
from catalog.stores.relational import RelationalStore
from catalog.stores.write_engine import CounterIds, WriteEngine

BUSY_TIMEOUT_MILLISECONDS = 5_000
MAX_CONNECTIONS = 64


class SqliteStore(RelationalStore):
    """A catalog in one SQLite database.

    Readers are snapshots that no writer blocks; the one writer takes SQLite's lock when it
    begins (`BEGIN IMMEDIATE`), so that it never fails half-way for want of it.

    Args:
        path: the database file, made when absent; None keeps the catalog in memory.

    Raises:
        StoreUnavailable: the file cannot be opened, is no database or another program's, is
            locked past the busy timeout, or was written by a newer version.
    """

    def __init__(self, path: Path | None) -> None:
        engine = _engine(path)
        with _opened(engine) as connection:
            _refuse_another_programs(connection)
            full_text = _full_text_of(connection)
        self._path = path
        self._writing = threading.Lock()
        super().__init__(
            engine, full_text, WriteEngine(insert, CounterIds, _take_turn, _count_terms)
        )

    @contextmanager
    def _snapshot(
        self,
        tenant: str,  # noqa: ARG002 - the statements name it
        timeout_seconds: float | None = None,  # noqa: ARG002 - no statement waits for another
    ) -> Iterator[Connection]:
        with self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _write_transaction(
        self,
        actor: Identity | None = None,  # noqa: ARG002
        timeout_seconds: float | None = None,
    ) -> Iterator[Connection]:
        with self._turn(timeout_seconds), self._engine.connect() as connection:
            # SQLAlchemy has begun a deferred transaction by now; it is still empty.
            connection.exec_driver_sql("ROLLBACK")
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield connection
            connection.commit()

    @contextmanager
    def _turn(self, timeout_seconds: float | None) -> Iterator[None]:
        """One writer of this process at a time."""
        if not self._writing.acquire(timeout=-1 if timeout_seconds is None else timeout_seconds):
            raise DeadlineExceeded("another writer did not end in time")
        try:
            yield
        finally:
            self._writing.release()

    def _audit_transaction(self, tenant: str) -> AbstractContextManager[Connection]:  # noqa: ARG002
        return self._write_transaction()

    def whole_snapshot(self) -> AbstractContextManager[Connection]:
        return self._snapshot("")

    def upkeep(self, *, writes: bool = False) -> AbstractContextManager[Connection]:
        return self.maintenance() if writes else self.whole_snapshot()

    def maintenance(self) -> AbstractContextManager[Connection]:
        return self._write_transaction()

    def _damage(self, connection: Connection) -> list[Finding]:
        """Pages that are damaged and indexes that miss rows, as SQLite itself finds them."""
        said: list[str] = []
        try:
            said.extend(connection.exec_driver_sql("PRAGMA integrity_check(20)").scalars())
        except DatabaseError as error:
            # It ends so where it cannot read on.
            said.append(str(error.orig))
        return [
            # A full-text index can be made anew; newer libraries look into it as well.
            Finding("full_text" if "FTS" in line else "file", "", line)
            for line in said
            if line != "ok"
        ]

    @property
    def vector_folder(self) -> Path | None:
        return self._path.with_name(f"{self._path.name}-vectors") if self._path else None

    def erase(self) -> None:
        """Merge the full-text segments, rewrite the file and empty the log, in that order."""
        with self._writing, self._engine.connect() as connection:
            connection.exec_driver_sql("ROLLBACK")
            if self._full_text is not None:
                table = f"entry_tokens_{self._full_text.name}"
                connection.exec_driver_sql(f"INSERT INTO {table}({table}) VALUES ('optimize')")
            connection.exec_driver_sql("VACUUM")
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
            # What is kept there is built from rows, and may be from those that are gone.
            if self.vector_folder is not None:
                shutil.rmtree(self.vector_folder, ignore_errors=True)
            connection.exec_driver_sql("BEGIN")


def _take_turn(connection: Connection, tenant: str) -> None:
    """`BEGIN IMMEDIATE` has waited for it."""


def _count_terms(
    connection: Connection, tenant: str, scope_id: int, counts: Sequence[tuple[int, int]]
) -> None:
    rows = [(tenant, scope_id, term, documents) for term, documents in counts]
    connection.exec_driver_sql(_COUNT_TERMS, rows)


_COUNT_TERMS = (
    "INSERT INTO term_frequency (tenant, scope_id, term, documents) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (tenant, scope_id, term) "
    "DO UPDATE SET documents = documents + excluded.documents"
)


def _engine(path: Path | None) -> Engine:
    name = f"file:/{uuid.uuid4().hex}?vfs=memdb" if path is None else f"file:{_quoted(path)}"

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(
            name, uri=True, isolation_level=None, check_same_thread=False, cached_statements=256
        )
        connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MILLISECONDS}")
        if path is None:
            # Nothing reaches the shared pages before the commit, so readers go on.
            connection.execute("PRAGMA cache_spill = OFF")
            connection.execute("PRAGMA journal_mode = MEMORY")
        else:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA temp_store = MEMORY")
        return connection

    engine = create_engine(
        "sqlite://",
        creator=connect,
        poolclass=QueuePool,
        pool_size=MAX_CONNECTIONS,
        max_overflow=0,
        pool_timeout=BUSY_TIMEOUT_MILLISECONDS / 1000,
    )

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.connection.cursor().execute("BEGIN")

    return engine


def _quoted(path: Path) -> str:
    return str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _opened(engine: Engine) -> Connection:
    try:
        return engine.connect()
    except DatabaseError as error:
        raise StoreUnavailable(f"the store cannot be opened: {error.orig}") from error


def _refuse_another_programs(connection: Connection) -> None:
    """Raises:
    StoreUnavailable: the database has tables, and none that every catalog has.
    """
    statement = "SELECT name FROM sqlite_schema WHERE type = 'table'"
    tables = connection.exec_driver_sql(statement).scalars().all()
    if tables and "alembic_version" not in tables:
        raise StoreUnavailable("the store cannot be opened: it is another program's database")


def _full_text_of(connection: Connection) -> FullTextIndex | None:
    """The best full-text index that this SQLite library was compiled with."""
    indexes: list[tuple[str, Any]] = [("fts5", Fts5Index), ("fts4", Fts4Index)]
    for module, index in indexes:
        try:
            connection.exec_driver_sql(
                f"CREATE VIRTUAL TABLE temp.{module}_probe USING {module}(text)"
            )
        except OperationalError:
            continue
        connection.exec_driver_sql(f"DROP TABLE temp.{module}_probe")
        built: FullTextIndex = index()
        return built
    return None
