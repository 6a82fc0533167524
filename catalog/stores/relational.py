"""The store over any relational engine: opening, transactions, and keeping the index true.

An engine adds one class with its connections and its full-text index (see `sqlite`).
"""

from __future__ import annotations

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import Stemmer
from sqlalchemy import Connection, Engine, delete, func, select, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from catalog.audit import AuditEvent
from catalog.errors import SkillCatalogError, StoreUnavailable
from catalog.identity import Identity
from catalog.search.profile import PROFILE_VERSION
from catalog.search.searchable import SEARCHABLE_VERSION
from catalog.stores import schema, vectors
from catalog.stores.audit_chain import AuditChain, first_broken_line
from catalog.stores.full_text.index import FullTextIndex
from catalog.stores.integrity import Finding, disagreements
from catalog.stores.migrations.run import is_current, migrate
from catalog.stores.reader import RelationalReader, StoreMemory
from catalog.stores.store import StoreReader, StoreWriter
from catalog.stores.vectors import VectorSpace
from catalog.stores.write_engine import Ids, WriteEngine
from catalog.stores.writer import RelationalWriter
from catalog.text.analysis import ANALYSER_VERSION

_NO_INDEX = "none"


class RelationalStore(ABC):
    """Everything that engines share. A subclass gives its connections, how it writes, its
    transactions, and the full-text index that its library offers."""

    def __init__(
        self, engine: Engine, full_text: FullTextIndex | None, write_engine: WriteEngine
    ) -> None:
        self._engine = engine
        self._closed = False
        self._driver_error: type[Exception] = engine.dialect.loaded_dbapi.Error
        self._full_text = full_text
        self._write_engine = write_engine
        self._memory = StoreMemory()
        self._open()
        with self._translated(), self._snapshot("") as connection:
            self._page_key = _setting(connection, "page_key") or ""

    @contextmanager
    def read(
        self, identity: Identity, timeout_seconds: float | None = None
    ) -> Iterator[StoreReader]:
        with (
            self._translated(),
            self._snapshot(identity.tenant, timeout_seconds) as connection,
        ):
            yield RelationalReader(connection, identity.tenant, self._full_text, self._memory)

    @contextmanager
    def write(
        self, identity: Identity, timeout_seconds: float | None = None
    ) -> Iterator[StoreWriter]:
        with (
            self._translated(),
            self._write_transaction(identity, timeout_seconds) as connection,
        ):
            self._write_engine.take_turn(connection, identity.tenant)
            writer = RelationalWriter(
                connection, identity.tenant, self._full_text, self._write_engine, identity
            )
            yield writer
            writer.finish()

    def append_audit(self, event: AuditEvent) -> None:
        with self._translated(), self._audit_transaction(event.tenant) as connection:
            chain = AuditChain(connection, self._write_engine.upsert)
            chain.append(event)
            chain.flush()

    def check(self) -> list[Finding]:
        with self._translated(), self.whole_snapshot() as connection:
            # What cannot be read cannot be compared.
            return self._damage(connection) or disagreements(
                connection, self._tenants(connection), self._full_text
            )

    def _damage(self, connection: Connection) -> list[Finding]:  # noqa: ARG002
        """What the engine finds broken in its own files, where it can look."""
        return []

    def repair(self) -> None:
        """Make index, profiles and statistics anew from the rows."""
        with self._translated(), self.maintenance() as connection:
            self._rebuild(connection)
        self._memory = StoreMemory()

    def verify_audit(self, tenant: str) -> int | None:
        with self._translated(), self._snapshot(tenant) as connection:
            return first_broken_line(connection, tenant)

    def maintainer(self, connection: Connection, tenant: str) -> RelationalWriter:
        """A writer of that tenant inside a `maintenance` transaction; it needs `finish`."""
        return RelationalWriter(connection, tenant, self._full_text, self._write_engine)

    def new_ids(self, connection: Connection) -> Ids:
        return self._write_engine.ids(connection)

    def count_skills(self) -> int:
        with self._translated(), self.upkeep() as connection:
            return connection.scalar(select(func.sum(schema.scope.c.documents))) or 0

    def tenants(self) -> list[str]:
        with self._translated(), self.upkeep() as connection:
            return self._tenants(connection)

    def claim_vectors(self, space: VectorSpace) -> str:
        with self._translated(), self.upkeep() as connection:
            active = vectors.claimed_space(connection, space.key)
        if active is None:
            with self._translated(), self.upkeep(writes=True) as connection:
                active = vectors.claim_space(connection, self._write_engine.upsert, space.key)
        return active

    def switch_vectors(self, space: VectorSpace) -> bool:
        with self._translated(), self.upkeep(writes=True) as connection:
            return vectors.switch_space(connection, self._write_engine.upsert, space.key)

    def embedding_progress(self, space: VectorSpace) -> vectors.EmbeddingProgress:
        with self._translated(), self.upkeep() as connection:
            return vectors.embedding_progress(connection, space.key)

    def active_embedding_progress(self) -> vectors.EmbeddingProgress | None:
        with self._translated(), self.upkeep() as connection:
            active = vectors.active_space(connection)
            return None if active is None else vectors.embedding_progress(connection, active)

    @property
    def page_key(self) -> bytes:
        return bytes.fromhex(self._page_key)

    @property
    def vector_folder(self) -> Path | None:
        return None

    @property
    def vector_search(self) -> str:
        return "in the memory of each process"

    @abstractmethod
    def erase(self) -> None:
        """Engines that keep deleted bytes in their files rewrite them here."""

    def close(self) -> None:
        self._closed = True
        self._engine.dispose()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Faults of the engine become errors of the catalog."""
        if self._closed:
            # The engine would connect anew, and one in memory be empty.
            raise StoreUnavailable("the store is closed")
        try:
            yield
        except DBAPIError as error:
            raise self._fault(error.orig) from error
        except self._driver_error as error:
            # Rows that were read through the driver's own cursor.
            raise self._fault(error) from error
        except PoolTimeout as error:
            raise StoreUnavailable("every connection to the store is in use") from error

    def _fault(self, error: BaseException | None) -> SkillCatalogError:
        """What a caller may know of an error of the driver: never SQL, a path or a host."""
        return StoreUnavailable(f"the store failed: {error}")

    @abstractmethod
    def _snapshot(
        self, tenant: str, timeout_seconds: float | None = None
    ) -> AbstractContextManager[Connection]:
        """A read transaction that holds one tenant and the global scope."""

    @abstractmethod
    def _write_transaction(
        self, actor: Identity, timeout_seconds: float | None = None
    ) -> AbstractContextManager[Connection]:
        """A write transaction of the actor's tenant, committed when the block ends."""

    @abstractmethod
    def _audit_transaction(self, tenant: str) -> AbstractContextManager[Connection]:
        """A write transaction that may only append to the audit trail of the tenant."""

    @abstractmethod
    def whole_snapshot(self) -> AbstractContextManager[Connection]:
        """A read transaction that sees every tenant."""

    @abstractmethod
    def upkeep(self, *, writes: bool = False) -> AbstractContextManager[Connection]:
        """A transaction that sees which scopes and entries all tenants have, and their vectors;
        one that writes drops vectors and says which are active, while nobody else writes."""

    @abstractmethod
    def maintenance(self) -> AbstractContextManager[Connection]:
        """A write transaction that sees every tenant while nobody else writes."""

    def _open(self) -> None:
        with self._translated(), self._snapshot("") as connection:
            ready = self._is_ready(connection)
        if not ready:
            self._bring_up_to_date()

    def _bring_up_to_date(self) -> None:
        with self._translated(), self.maintenance() as connection:
            if not is_current(connection):
                migrate(connection)
            if _setting(connection, "index") != self._index_version():
                self._rebuild(connection)

    def _is_ready(self, connection: Connection) -> bool:
        return is_current(connection) and _setting(connection, "index") == self._index_version()

    def _index_version(self) -> str:
        """Changes with whatever decides the tokens: a new one rebuilds the index on open."""
        engine = self._full_text.name if self._full_text else _NO_INDEX
        libraries = f"snowball-{Stemmer.version()}/unicode-{unicodedata.unidata_version}"
        ours = f"analyser-{ANALYSER_VERSION}/profile-{PROFILE_VERSION}/texts-{SEARCHABLE_VERSION}"
        return f"{engine}/{ours}/{libraries}"

    def _rebuild(self, connection: Connection) -> None:
        """Make index, profiles and statistics anew from the rows, in this transaction."""
        if self._full_text is not None:
            self._full_text.create(connection)
        vectors.drop_untrue_vectors(connection)
        connection.execute(delete(schema.entry_index))
        connection.execute(delete(schema.term_frequency))
        connection.execute(update(schema.scope).values(documents=0))
        for tenant in self._tenants(connection):
            # Apart from the writer, whose every read would write what it has gathered.
            reader = RelationalReader(connection, tenant, None, StoreMemory())
            writer = self.maintainer(connection, tenant)
            for entry_id in reader.entry_ids(tenant):
                writer.reindex(reader.skill(entry_id))
            writer.finish()
        statement = self._write_engine.upsert(schema.setting).values(
            name="index", value=self._index_version()
        )
        connection.execute(
            statement.on_conflict_do_update(
                index_elements=["name"], set_={"value": statement.excluded.value}
            )
        )

    def _tenants(self, connection: Connection) -> list[str]:
        return list(connection.scalars(select(schema.scope.c.tenant).distinct()))


def _setting(connection: Connection, name: str) -> str | None:
    return connection.scalar(select(schema.setting.c.value).where(schema.setting.c.name == name))
