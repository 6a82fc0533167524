"""The store over any relational engine: opening, transactions, and keeping the index true.

An engine adds one class with its connections and its full-text index (see `sqlite`).
"""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import Stemmer
from sqlalchemy import Connection, Engine, Table, delete, select, update
from sqlalchemy.exc import DBAPIError

from catalog.audit import AuditEvent
from catalog.errors import StoreUnavailable
from catalog.identity import Identity
from catalog.search.profile import PROFILE_VERSION
from catalog.stores import schema
from catalog.stores.audit_chain import AuditChain, first_broken_line
from catalog.stores.full_text.index import FullTextIndex
from catalog.stores.integrity import Finding, disagreements
from catalog.stores.migrations.run import is_current, migrate
from catalog.stores.reader import RelationalReader, StoreMemory
from catalog.stores.store import StoreReader, StoreWriter
from catalog.stores.writer import RelationalWriter
from catalog.text.analysis import ANALYSER_VERSION

_NO_INDEX = "none"


class RelationalStore:
    """Everything that engines share. A subclass gives `_engine`, `_upsert`,
    `_begin_write` and the full-text index that its library offers."""

    def __init__(
        self, engine: Engine, full_text: FullTextIndex | None, upsert: Callable[[Table], Any]
    ) -> None:
        self._engine = engine
        self._full_text = full_text
        self._upsert = upsert
        self._memory = StoreMemory()
        self._writing = threading.Lock()
        self._open()

    @contextmanager
    def read(self, identity: Identity) -> Iterator[StoreReader]:
        with _translated(), self._snapshot(identity.tenant) as connection:
            yield RelationalReader(connection, identity.tenant, self._full_text, self._memory)

    @contextmanager
    def write(self, identity: Identity) -> Iterator[StoreWriter]:
        with _translated(), self._write_transaction(identity.tenant) as connection:
            writer = RelationalWriter(
                connection, identity.tenant, self._full_text, self._upsert, identity
            )
            yield writer
            writer.finish()

    def append_audit(self, event: AuditEvent) -> None:
        with _translated(), self._write_transaction(event.tenant) as connection:
            chain = AuditChain(connection, self._upsert)
            chain.append(event)
            chain.flush()

    def check(self) -> list[Finding]:
        """Every disagreement between the rows and what is derived from them."""
        with _translated(), self._snapshot("") as connection:
            return disagreements(connection, self._tenants(connection), self._full_text)

    def repair(self) -> None:
        """Make index, profiles and statistics anew from the rows."""
        with _translated(), self._write_transaction("") as connection:
            self._rebuild(connection)
        self._memory = StoreMemory()

    def verify_audit(self, tenant: str) -> int | None:
        with _translated(), self._snapshot(tenant) as connection:
            return first_broken_line(connection, tenant)

    def erase(self) -> None:
        """Engines that keep deleted bytes in their files rewrite them here."""

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _snapshot(self, tenant: str) -> Iterator[Connection]:  # noqa: ARG002
        """A read transaction that holds one tenant and the global scope."""
        with self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _write_transaction(self, tenant: str) -> Iterator[Connection]:  # noqa: ARG002
        with self._writing, self._engine.connect() as connection:
            self._begin_write(connection)
            yield connection
            connection.commit()

    def _begin_write(self, connection: Connection) -> None:
        """Take the engine's write lock, for engines that have one."""

    def _open(self) -> None:
        with _translated():
            with self._snapshot("") as connection:
                ready = is_current(connection) and self._built_with(connection) == (
                    self._index_version()
                )
            if not ready:
                with self._write_transaction("") as connection:
                    if not is_current(connection):
                        migrate(connection)
                    if self._built_with(connection) != self._index_version():
                        self._rebuild(connection)

    def _index_version(self) -> str:
        """Changes with whatever decides the tokens: a new one rebuilds the index on open."""
        engine = self._full_text.name if self._full_text else _NO_INDEX
        libraries = f"snowball-{Stemmer.version()}/unicode-{unicodedata.unidata_version}"
        return f"{engine}/analyser-{ANALYSER_VERSION}/profile-{PROFILE_VERSION}/{libraries}"

    def _built_with(self, connection: Connection) -> str | None:
        return connection.scalar(
            select(schema.setting.c.value).where(schema.setting.c.name == "index")
        )

    def _rebuild(self, connection: Connection) -> None:
        """Make index, profiles and statistics anew from the rows, in this transaction."""
        if self._full_text is not None:
            self._full_text.create(connection)
        connection.execute(delete(schema.entry_index))
        connection.execute(delete(schema.term_frequency))
        connection.execute(update(schema.scope).values(documents=0))
        for tenant in self._tenants(connection):
            writer = RelationalWriter(connection, tenant, self._full_text, self._upsert)
            for entry_id in writer.entry_ids(tenant):
                writer.reindex(writer.skill(entry_id))
            writer.finish()
        statement = self._upsert(schema.setting).values(name="index", value=self._index_version())
        connection.execute(
            statement.on_conflict_do_update(
                index_elements=["name"], set_={"value": statement.excluded.value}
            )
        )

    def _tenants(self, connection: Connection) -> list[str]:
        return list(connection.scalars(select(schema.scope.c.tenant).distinct()))


@contextmanager
def _translated() -> Iterator[None]:
    """Faults of the engine become StoreUnavailable, without SQL or paths in the message."""
    try:
        yield
    except DBAPIError as error:
        raise StoreUnavailable(f"the store failed: {error.orig}") from error
