"""pgvector searches the vectors of large scopes: as memory does, and no tenant another's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("psycopg")
pytest.importorskip("numpy")
pytest.importorskip("faiss")

from catalog.catalog import Catalog
from catalog.embedding import space_of, stored_vectors
from catalog.injection.capability import Capability
from catalog.lifecycle import DeleteRequest
from catalog.scope import ScopeKind, scope_of, visible_scopes
from catalog.search.request import SearchMode, SearchRequest
from catalog.stores import near_vectors
from catalog.stores.postgresql import PostgreSqlStore
from tests.databases import execute
from tests.semantic.hashing_embedder import HashingEmbedder
from tests.written_skills import identity, written_skill

ANN = identity()
BOB = identity("globex", "bob")
EMBEDDER = HashingEmbedder()
WORDS = [
    "kiln",
    "glaze",
    "wheel",
    "clay",
    "slip",
    "bisque",
    "raku",
    "ash",
    "lime",
    "cone",
    "frit",
    "shard",
]
HYBRID, SEMANTIC = SearchMode.HYBRID, SearchMode.SEMANTIC


@pytest.fixture
def catalog(url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Catalog]:
    monkeypatch.setattr(stored_vectors, "MOST_VECTORS_IN_MEMORY", 0)
    opened = Catalog.open(url, embedder=EMBEDDER)
    yield opened
    opened.close()


def fill(catalog: Catalog, skills: int = 150) -> None:
    for who in (ANN, BOB):
        with catalog.pack_writer(who, ScopeKind.TENANT, "tools") as pack:
            for number in range(skills):
                text = " ".join(WORDS[number * step % len(WORDS)] for step in (1, 5, 7))
                tools = ("Kiln",) if number % 10 else ()
                pack.put(
                    written_skill(f"skill-{number}", f"{text} {number}", tools=tools),
                    {},
                )
    catalog.embed_missing()


def answers(catalog: Catalog, request: SearchRequest) -> list[tuple[str, float]]:
    hits = catalog.search(ANN, request).hits
    return [(hit.card.qualified_name, pytest.approx(hit.score, abs=1e-5)) for hit in hits]


@pytest.mark.parametrize("mode", [SEMANTIC, HYBRID])
@pytest.mark.parametrize("tools", [("Kiln",), ()])
def test_the_database_finds_what_memory_finds(
    catalog: Catalog, mode: SearchMode, tools: tuple[str, ...]
) -> None:
    in_memory = Catalog.open("memory:", embedder=EMBEDDER)
    for each in (catalog, in_memory):
        fill(each)
    with catalog.store.read(ANN) as reader:
        scope_id = next(iter(reader.visible(visible_scopes(ANN)).scopes))
        assert reader.near_vectors(scope_id, space_of(EMBEDDER)).entries == 150
    for query in ("glaze the kiln", "raku ash", "lime cone frit 40"):
        request = SearchRequest(query, mode=mode, capability=Capability(tools=tools))
        assert answers(catalog, request) == answers(in_memory, request)
    in_memory.close()


def test_the_index_follows_what_is_written_and_deleted(catalog: Catalog, url: str) -> None:
    fill(catalog, 5)
    catalog.delete(ANN, DeleteRequest("tools:skill-1"))
    with catalog.pack_writer(ANN, ScopeKind.TENANT, "tools") as pack:
        pack.put(written_skill("skill-2", "Changed"), {})
    catalog.embed_missing()
    assert catalog.store.check() == []
    both = "tenant, scope_id, model, entry_id, chunk"
    near = execute(f"SELECT {both} FROM embedding_near ORDER BY {both}", url)
    assert near == execute(f"SELECT {both} FROM embedding ORDER BY {both}", url)
    assert len(near) >= 9


def test_vectors_that_the_index_lacks_are_searched_in_memory(catalog: Catalog, url: str) -> None:
    fill(catalog, 5)
    request = SearchRequest("glaze the kiln", mode=SEMANTIC)
    before = answers(catalog, request)
    execute("DELETE FROM embedding_near WHERE tenant = 'acme'", url)
    other = Catalog.open(url, embedder=EMBEDDER)
    assert answers(other, request) == before
    other.close()


def test_another_model_gets_an_index_of_its_own_dimension(catalog: Catalog, url: str) -> None:
    fill(catalog, 5)
    new = HashingEmbedder(seed=2, dimension=32)
    catalog.reindex(new)
    rows = execute("SELECT DISTINCT vector_dims(near), model FROM embedding_near", url)
    assert rows == [(32, space_of(new).key)]
    assert "by pgvector" in catalog.store.vector_search


def test_a_tenant_is_not_shown_the_vectors_of_another(catalog: Catalog) -> None:
    fill(catalog, 5)
    space = space_of(EMBEDDER)
    query = EMBEDDER.embed(["kiln"])[0].tobytes()
    with catalog.store.read(BOB) as reader:
        [theirs] = reader.scope_ids([scope_of(BOB, ScopeKind.TENANT)])
        assert reader.nearest_entries(theirs, space, query, 50)
        seen = set(reader._connection.exec_driver_sql("SELECT tenant FROM embedding_near"))
        assert seen == {("globex",)}
    with catalog.store.read(ANN) as reader:
        assert reader.nearest_entries(theirs, space, query, 50) == []


def test_a_store_of_an_older_version_is_indexed_when_it_is_opened(url: str) -> None:
    catalog = Catalog.open(url, embedder=EMBEDDER)
    fill(catalog, 5)
    catalog.close()
    execute("DROP TABLE embedding_near", url)
    execute(f"DELETE FROM setting WHERE name = '{near_vectors.SETTING}'", url)
    Catalog.open(url, embedder=EMBEDDER).close()
    assert execute("SELECT count(*) FROM embedding_near", url) == execute(
        "SELECT count(*) FROM embedding", url
    )


def test_without_the_extension_memory_is_searched_and_the_store_says_so(
    store: PostgreSqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(near_vectors, "OLDEST_VERSION", (99, 0))
    catalog = Catalog(store, embedder=EMBEDDER)
    fill(catalog, 5)
    assert answers(catalog, SearchRequest("glaze the kiln", mode=SEMANTIC))
    assert "no pgvector of version 99.0 or newer" in store.vector_search
