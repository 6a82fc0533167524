"""Vectors follow what is written, removed and reopened, and always belong to the right skill."""

from __future__ import annotations

import time
from pathlib import Path

from sqlalchemy import update

from catalog.catalog import Catalog
from catalog.lifecycle import DeleteRequest
from catalog.requests import GetRequest
from catalog.scope import ScopeKind
from catalog.search.request import Rung, SearchMode, SearchRequest
from catalog.stores import schema
from tests.semantic.hashing_embedder import HashingEmbedder
from tests.written_skills import identity, written_skill

ANN = identity()
WORDS = {
    "apple": "orchard fruit",
    "brick": "masonry wall",
    "cello": "music strings",
    "drum": "beat",
}


def imported(catalog: Catalog, *names: str) -> None:
    with catalog.pack_writer(ANN, ScopeKind.TENANT, "tools") as writing:
        for name in names:
            writing.put(written_skill(name, f"Everything about {name} {WORDS.get(name, name)}"), {})
    catalog.embed_missing(ANN)


def found(catalog: Catalog, query: str, limit: int = 10) -> list[str]:
    request = SearchRequest(query, limit=limit, mode=SearchMode.SEMANTIC)
    return [hit.card.name for hit in catalog.search(ANN, request).hits]


def test_a_deleted_skill_is_gone_and_every_other_keeps_its_own_vectors(catalog: Catalog) -> None:
    imported(catalog, *WORDS)
    catalog.delete(ANN, DeleteRequest("apple"))
    assert found(catalog, "masonry wall")[0] == "brick"
    assert found(catalog, "music strings")[0] == "cello"
    assert "apple" not in found(catalog, "orchard fruit")
    assert len(found(catalog, "orchard fruit")) == 3


def test_an_empty_catalog_answers_with_nothing(catalog: Catalog) -> None:
    assert found(catalog, "orchard") == []


def test_as_many_live_hits_as_there_are_skills(catalog: Catalog) -> None:
    imported(catalog, *(f"skill-{number}" for number in range(60)))
    for number in range(0, 60, 2):
        catalog.delete(ANN, DeleteRequest(f"skill-{number}"))
    assert len(found(catalog, "something else", limit=100)) == 30


def test_reopened_with_a_new_skill_each_query_finds_its_own(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'catalog.db'}"
    first = Catalog.open(url, embedder=HashingEmbedder())
    imported(first, *WORDS)
    found(first, "fruit")
    first.delete(ANN, DeleteRequest("apple"))
    first.close()
    second = Catalog.open(url, embedder=HashingEmbedder())
    with second.pack_writer(ANN, ScopeKind.TENANT, "more") as writing:
        writing.put(written_skill("easel", "Painting on canvas", pack="more"), {})
    second.embed_missing()
    assert found(second, "painting canvas")[0] == "easel"
    assert found(second, "masonry wall")[0] == "brick"
    assert len(found(second, "anything")) == 4
    second.close()


def test_a_changed_skill_is_found_by_its_new_words_only(catalog: Catalog) -> None:
    imported(catalog, "apple", "brick")
    with catalog.pack_writer(ANN, ScopeKind.TENANT, "tools") as writing:
        writing.put(written_skill("apple", "Now a recipe for pancakes"), {})
    catalog.embed_missing(ANN)
    assert found(catalog, "recipe for pancakes")[0] == "apple"
    request = SearchRequest("orchard fruit", mode=SearchMode.SEMANTIC)
    scores = {hit.card.name: hit.score for hit in catalog.search(ANN, request).hits}
    assert scores["apple"] < 0.3


def test_skills_without_vectors_yet_are_said_in_the_trace(catalog: Catalog) -> None:
    imported(catalog, "apple")
    with catalog.pack_writer(ANN, ScopeKind.TENANT, "more") as writing:
        writing.put(written_skill("easel", pack="more"), {})
    (report,) = catalog.search(ANN, SearchRequest("fruit", mode=SearchMode.SEMANTIC)).rungs
    assert report.rung is Rung.SEMANTIC
    assert report.reason == "1 visible skills have no vectors yet"


def test_what_is_written_gets_its_vectors_in_the_background(catalog: Catalog) -> None:
    catalog.embed_in_background()
    with catalog.pack_writer(ANN, ScopeKind.TENANT, "tools") as writing:
        writing.put(written_skill("apple", "orchard fruit"), {})
    deadline = time.monotonic() + 20
    while catalog.embedding_progress().embedded < 1 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert found(catalog, "orchard fruit") == ["apple"]


def test_text_deep_in_a_long_body_is_found() -> None:
    catalog = Catalog.open("memory:", embedder=HashingEmbedder(dimension=512))
    filler = " ".join(f"remark{number}" for number in range(400))
    with catalog.pack_writer(ANN, ScopeKind.TENANT, "tools") as writing:
        writing.put(written_skill("long", "Daily work", f"# long\n\n{filler}\n"), {})
        body = f"# deep\n\n{filler}\n\nCalibrate the spectrometer with argon lamps.\n"
        writing.put(written_skill("deep", "Daily work", body), {})
    catalog.embed_missing(ANN)
    assert found(catalog, "calibrate spectrometer argon lamps")[0] == "deep"


def test_a_skill_of_an_exact_name_comes_first(catalog: Catalog) -> None:
    imported(catalog, *WORDS)
    with catalog.pack_writer(ANN, ScopeKind.TENANT, "more") as writing:
        writing.put(written_skill("drum-kit", "drum drum drum drum", pack="more"), {})
    catalog.embed_missing(ANN)
    assert found(catalog, "drum")[0] == "drum"


def test_drifted_vectors_are_found_and_made_anew(tmp_path: Path) -> None:
    catalog = Catalog.open(f"sqlite:///{tmp_path / 'catalog.db'}", embedder=HashingEmbedder())
    imported(catalog, *WORDS)
    table = schema.embedding
    with catalog.store.maintenance() as connection:  # type: ignore[attr-defined]
        (some, other, *_rest) = sorted(
            set(connection.scalars(table.select().with_only_columns(table.c.entry_id)))
        )
        connection.execute(update(table).where(table.c.entry_id == some).values(vector=b"x"))
        connection.execute(
            update(table).where(table.c.entry_id == other).values(content_hash="other")
        )
    assert {finding.what for finding in catalog.store.check()} == {"vectors"}  # type: ignore[attr-defined]
    catalog.store.repair()  # type: ignore[attr-defined]
    catalog.embed_missing()
    assert catalog.store.check() == []  # type: ignore[attr-defined]
    assert found(catalog, "masonry wall")[0] == "brick"
    catalog.close()


def test_the_ladder_never_asks_the_embedder(catalog: Catalog, embedder: HashingEmbedder) -> None:
    imported(catalog, *WORDS)
    asked = len(embedder.asked)
    catalog.search(ANN, SearchRequest("orchard fruit"))
    catalog.get(ANN, GetRequest(("apple",)))
    assert len(embedder.asked) == asked
