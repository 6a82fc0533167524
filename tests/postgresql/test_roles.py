"""Who may do what in the database: the owner's URL, the service's URL, and neither."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

pytest.importorskip("psycopg")

from sqlalchemy import make_url

from catalog.catalog import Catalog
from catalog.errors import InvalidConfiguration, StoreUnavailable
from catalog.scope import ScopeKind, scope_of
from catalog.search.request import SearchMode, SearchRequest
from catalog.stores.migrations.row_security import SERVICE_ROLE
from catalog.stores.postgresql import PostgreSqlStore
from tests.databases import empty_database, execute
from tests.written_skills import identity, written_skill

ANN = identity()


@pytest.fixture
def roles() -> Iterator[dict[str, str]]:
    names = {kind: f"{kind}_{uuid.uuid4().hex}" for kind in ("owner", "login")}
    for name in names.values():
        execute(f"CREATE ROLE {name} LOGIN PASSWORD 'kiln'")
    yield names
    for name in names.values():
        execute(f"DROP ROLE {name}")


@pytest.fixture
def database(roles: dict[str, str]) -> Iterator[str]:
    """An empty database that the role `owner` owns."""
    with empty_database() as url:
        execute(f"ALTER DATABASE {make_url(url).database} OWNER TO {roles['owner']}")
        yield url


def url_of(url: str, user: str) -> str:
    address = make_url(url).set(username=user, password="kiln")
    return address.render_as_string(hide_password=False)


def put_one(store: PostgreSqlStore) -> None:
    with store.write(ANN) as writer:
        writer.put(scope_of(ANN, ScopeKind.TENANT), written_skill("kiln"), 1, 1.0)


def test_an_owner_without_other_powers_opens_fills_and_checks(
    database: str, roles: dict[str, str]
) -> None:
    _make_service_role()
    execute(f"GRANT {SERVICE_ROLE} TO {roles['owner']}")
    store = PostgreSqlStore(url_of(database, roles["owner"]))
    put_one(store)
    assert store.check() == []
    store.repair()
    assert store.check() == []
    store.close()


def test_a_role_that_owns_nothing_serves_what_the_owner_has_made(
    database: str, roles: dict[str, str]
) -> None:
    PostgreSqlStore(database).close()
    execute(f"GRANT {SERVICE_ROLE} TO {roles['login']}")
    store = PostgreSqlStore(url_of(database, roles["login"]))
    put_one(store)
    with store.read(ANN) as reader:
        assert len(reader.pack_entries(scope_of(ANN, ScopeKind.TENANT), "tools")) == 1
    for upkeep in (store.check, store.repair):
        with pytest.raises(StoreUnavailable, match="the role that owns the tables"):
            upkeep()
    store.close()


def test_a_role_that_owns_nothing_embeds_counts_and_changes_the_model(
    database: str, roles: dict[str, str]
) -> None:
    pytest.importorskip("faiss")
    from catalog.embedding import space_of
    from tests.semantic.hashing_embedder import HashingEmbedder

    PostgreSqlStore(database).close()
    execute(f"GRANT {SERVICE_ROLE} TO {roles['login']}")
    url = url_of(database, roles["login"])
    catalog = Catalog.open(url, embedder=HashingEmbedder())
    for who in (ANN, identity("globex")):
        with catalog.pack_writer(who, ScopeKind.TENANT, "tools") as pack:
            pack.put(written_skill("kiln"), {})
    catalog.embed_missing()
    assert catalog.store.count_skills() == 2
    assert catalog.store.tenants() == ["acme", "globex"]
    assert catalog.embedding_progress().embedded == 2
    new = HashingEmbedder(seed=2)
    catalog.reindex(new)
    assert execute("SELECT DISTINCT model FROM embedding", database) == [(space_of(new).key,)]
    catalog.close()
    catalog = Catalog.open(url, embedder=new)
    assert catalog.search(ANN, SearchRequest("kiln", mode=SearchMode.SEMANTIC)).hits
    assert "as the owner of the tables" in catalog.store.vector_search
    catalog.close()


def test_upkeep_changes_no_setting_but_which_vectors_are_active(store: PostgreSqlStore) -> None:
    with (
        pytest.raises(StoreUnavailable),
        store._translated(),
        store.upkeep(writes=True) as connection,
    ):
        connection.exec_driver_sql("INSERT INTO setting VALUES ('other', 'x')")
    with store.upkeep(writes=True) as connection:
        changed = connection.exec_driver_sql("UPDATE setting SET value = '' WHERE name = 'index'")
        assert changed.rowcount == 0
        assert connection.exec_driver_sql("UPDATE entry SET name = ''").rowcount == 0


def test_a_role_that_owns_nothing_cannot_make_the_schema(
    database: str, roles: dict[str, str]
) -> None:
    _make_service_role()
    execute(f"GRANT {SERVICE_ROLE} TO {roles['login']}")
    with pytest.raises(StoreUnavailable, match="the role that owns the tables"):
        PostgreSqlStore(url_of(database, roles["login"]))


def test_a_role_that_may_not_become_the_service_is_told_what_to_ask_for(
    database: str, roles: dict[str, str]
) -> None:
    _make_service_role()
    with pytest.raises(InvalidConfiguration, match="may not make the role"):
        PostgreSqlStore(url_of(database, roles["login"]))


def test_a_role_of_a_ready_database_that_may_not_become_the_service_is_refused(
    database: str, roles: dict[str, str]
) -> None:
    PostgreSqlStore(database).close()
    execute("GRANT SELECT ON alembic_version, setting TO PUBLIC", database)
    with pytest.raises(StoreUnavailable, match="does not let the role"):
        PostgreSqlStore(url_of(database, roles["login"]))


def test_a_database_of_another_encoding_is_refused() -> None:
    name = f"latin_{uuid.uuid4().hex}"
    execute(f"CREATE DATABASE {name} ENCODING LATIN1 LOCALE 'C' TEMPLATE template0")
    try:
        from tests.databases import database_url

        with pytest.raises(InvalidConfiguration, match="encoding LATIN1"):
            PostgreSqlStore(database_url(name))
    finally:
        execute(f"DROP DATABASE {name} WITH (FORCE)")


def _make_service_role() -> None:
    if not execute(f"SELECT 1 FROM pg_roles WHERE rolname = '{SERVICE_ROLE}'"):
        execute(f"CREATE ROLE {SERVICE_ROLE} NOLOGIN")
