"""The database goes away in the middle of things, and comes back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

pytest.importorskip("psycopg")

from catalog.catalog import Catalog
from catalog.checkpoint import NO_DEADLINE, Checkpoint
from catalog.errors import DeadlineExceeded, StoreUnavailable
from catalog.scope import ScopeKind, scope_of
from catalog.search.request import SearchRequest
from catalog.stores.postgresql import PostgreSqlStore
from tests.databases import MortalServer, execute
from tests.written_skills import identity, written_skill

ANN = identity()
TENANT = scope_of(ANN, ScopeKind.TENANT)


def kill_connections(url: str) -> None:
    execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()",
        url,
    )


@pytest.fixture
def catalog(store: PostgreSqlStore) -> Catalog:
    catalog = Catalog(store)
    with catalog.pack_writer(ANN, ScopeKind.TENANT, "tools") as pack:
        pack.put(written_skill("kiln", "Fires the kiln"), {})
    return catalog


def names_found(catalog: Catalog, query: str) -> list[str]:
    hits = catalog.search(ANN, SearchRequest(query)).hits
    return [hit.card.qualified_name for hit in hits]


def test_the_pool_recovers_by_itself_from_connections_that_were_closed(
    catalog: Catalog, url: str
) -> None:
    for _ in range(3):
        assert names_found(catalog, "kiln") == ["tools:kiln"]
        kill_connections(url)
    with catalog.store.write(ANN) as writer:
        writer.pin(TENANT, "tools:kiln", True)


def test_a_search_that_loses_the_database_is_unavailable_and_the_next_one_answers(
    catalog: Catalog, url: str
) -> None:
    def search_that_loses_the_database() -> None:
        with catalog.store.read(ANN) as reader:
            kill_connections(url)
            reader.page([1], None, 1)

    with pytest.raises(StoreUnavailable):
        search_that_loses_the_database()
    assert names_found(catalog, "kiln") == ["tools:kiln"]


def test_an_import_that_loses_the_database_leaves_nothing_behind(
    catalog: Catalog, store: PostgreSqlStore, url: str
) -> None:
    def import_that_loses_the_database() -> None:
        with catalog.pack_writer(ANN, ScopeKind.TENANT, "tools") as pack:
            for number in range(300):
                pack.put(written_skill(f"glaze-{number}"), {})
            pack.put(written_skill("kiln", "Changed"), {})
            kill_connections(url)

    rows_before = _row_counts(url)
    with pytest.raises(StoreUnavailable):
        import_that_loses_the_database()
    assert _row_counts(url) == rows_before
    assert store.check() == []
    assert store.verify_audit(ANN.tenant) is None
    with catalog.pack_writer(ANN, ScopeKind.TENANT, "tools") as pack:
        pack.put(written_skill("glaze-1"), {})
    assert "tools:glaze-1" in names_found(catalog, "glaze-1")


def test_a_write_that_loses_the_database_at_the_commit_leaves_nothing_behind(
    catalog: Catalog, store: PostgreSqlStore, url: str
) -> None:
    def put_that_loses_the_database() -> None:
        with store.write(ANN) as writer:
            writer.put(TENANT, written_skill("lost"), 1, 1.0)
            writer.flush()
            kill_connections(url)

    with pytest.raises(StoreUnavailable):
        put_that_loses_the_database()
    assert names_found(catalog, "lost") == []
    assert store.check() == []


def _row_counts(url: str) -> list[tuple[object, ...]]:
    tables = ("entry", "entry_tokens", "blob", "revision", "audit", "term_frequency")
    return [execute(f"SELECT count(*) FROM {table}", url)[0] for table in tables]


@pytest.fixture
def mortal() -> Iterator[MortalServer]:
    with MortalServer.started() as server:
        yield server


def test_a_stopped_server_is_unavailable_without_a_word_of_where_it_was(
    mortal: MortalServer,
) -> None:
    url = mortal.url
    store = PostgreSqlStore(url)
    with store.write(ANN) as writer:
        writer.put(TENANT, written_skill("kiln"), 1, 1.0)
    mortal.crash()
    calls: tuple[Callable[[], object], ...] = (
        lambda: store.read(ANN).__enter__(),
        lambda: store.write(ANN).__enter__(),
        lambda: PostgreSqlStore(url),
    )
    for call in calls:
        with pytest.raises(StoreUnavailable) as refusal:
            call()
        assert refusal.value.message == "the database cannot be reached or refuses the login"
    mortal.start_again()
    with store.read(ANN) as reader:
        assert len(reader.pack_entries(TENANT, "tools")) == 1
    store.close()


def test_a_statement_ends_at_the_callers_deadline(store: PostgreSqlStore) -> None:
    begin = time.monotonic()
    with pytest.raises(DeadlineExceeded), store.read(ANN, timeout_seconds=0.2) as reader:
        reader._connection.exec_driver_sql("SELECT pg_sleep(20)")
    assert time.monotonic() - begin < 10
    with store.read(ANN) as reader:
        reader._connection.exec_driver_sql("SELECT pg_sleep(0.3)")


class _Impatient:
    """A caller who waits a fifth of a second."""

    seconds_left = 0.2

    def __call__(self) -> None:
        pass


def test_a_search_that_the_database_keeps_waiting_ends_at_the_callers_deadline(
    catalog: Catalog, url: str
) -> None:
    import psycopg

    with psycopg.connect(url) as busy:
        busy.execute("LOCK TABLE scope")
        with pytest.raises(DeadlineExceeded):
            catalog.search(ANN, SearchRequest("kiln"), _Impatient())
    assert names_found(catalog, "kiln") == ["tools:kiln"]


def test_a_write_that_the_database_keeps_waiting_ends_at_the_callers_deadline(
    catalog: Catalog, url: str
) -> None:
    import psycopg

    def put(checkpoint: Checkpoint) -> None:
        with catalog.pack_writer(ANN, ScopeKind.TENANT, "tools", checkpoint=checkpoint) as pack:
            pack.put(written_skill("glaze"), {})

    rows_before = _row_counts(url)
    with psycopg.connect(url) as busy:
        busy.execute("LOCK TABLE term_frequency")
        with pytest.raises(DeadlineExceeded, match="did not answer in time"):
            put(_Impatient())
    assert _row_counts(url) == rows_before
    put(NO_DEADLINE)
    assert names_found(catalog, "glaze") == ["tools:glaze"]
    assert catalog.store.check() == []
