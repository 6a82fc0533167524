"""A copied catalog searches by meaning like its source, without embedding anything again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import func, update

from catalog.catalog import Catalog
from catalog.scope import ScopeKind
from catalog.search.request import SearchMode, SearchRequest
from catalog.stores import schema
from catalog.stores.copying import copy_catalog
from catalog.stores.open import open_store
from catalog.stores.relational import RelationalStore
from tests.databases import new_database
from tests.semantic.hashing_embedder import HashingEmbedder
from tests.written_skills import identity, written_skill

ANN, BOB = identity(), identity("globex", "bob")
SKILLS = 90
MODES = (SearchMode.SEMANTIC, SearchMode.HYBRID)


def quiet(_table: str, _done: int, _total: int) -> None:
    pass


@pytest.fixture
def urls(tmp_path: Path) -> Iterator[dict[str, str]]:
    with ExitStack() as stack:
        yield {
            "sqlite": f"sqlite:///{tmp_path / 'one.db'}",
            "other sqlite": f"sqlite:///{tmp_path / 'two.db'}",
            "postgresql": stack.enter_context(new_database()),
        }


def embedded_catalog(url: str) -> None:
    """Two tenants with vectors of one model, one of them with some of the next one beside."""
    catalog = Catalog.open(url, embedder=HashingEmbedder(1))
    for who in (ANN, BOB):
        with catalog.pack_writer(who, ScopeKind.TENANT, "tools") as writing:
            for number in range(SKILLS):
                body = f"# Kiln {number}\n\nFire shelf {number}.\n"
                writing.put(written_skill(f"kiln-{number}", f"Fires kiln {number}", body), {})
    catalog.embed_missing()

    def stop(_filled: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        catalog.reindex(HashingEmbedder(2), stop)
    catalog.close()


@pytest.mark.parametrize(("source", "target"), [("sqlite", "postgresql"), ("postgresql", "sqlite")])
def test_a_copy_finds_the_same_by_meaning_and_embeds_nothing(
    urls: dict[str, str], source: str, target: str
) -> None:
    embedded_catalog(urls[source])
    report = copy_catalog(urls[source], urls[target], quiet)
    assert report.disagreements == ()
    assert report.copied["embedding"] == report.rows["embedding"] > 4 * SKILLS
    embedder = HashingEmbedder(1)
    old = Catalog.open(urls[source], embedder=HashingEmbedder(1))
    new = Catalog.open(urls[target], embedder=embedder)
    asked = len(embedder.asked)
    for who in (ANN, BOB):
        for mode in MODES:
            request = SearchRequest("fire the shelf of kiln 7", mode=mode)
            here, there = (catalog.search(who, request) for catalog in (new, old))
            assert (here.hits, here.rungs) == (there.hits, there.rungs)
    assert new.embed_missing().skills == 0
    assert len(embedder.asked) == asked + 1, "only the query is embedded"
    filled = new.reindex(HashingEmbedder(2))
    assert 0 < filled.skills < 2 * SKILLS, "a reindex goes on where the source's was"
    assert new.store.check() == []
    old.close()
    new.close()


def test_a_copy_interrupted_among_vectors_goes_on_with_the_rest(urls: dict[str, str]) -> None:
    embedded_catalog(urls["sqlite"])

    def interrupt(table: str, done: int, _total: int) -> None:
        if table == "embedding" and done >= 256:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy_catalog(urls["sqlite"], urls["other sqlite"], interrupt)
    report = copy_catalog(urls["sqlite"], urls["other sqlite"], quiet)
    assert report.disagreements == ()
    assert 0 < report.copied["embedding"] <= report.rows["embedding"] - 256
    copied = Catalog.open(urls["other sqlite"], embedder=HashingEmbedder(1))
    assert copied.search(ANN, SearchRequest("kiln 7", mode=SearchMode.SEMANTIC)).hits
    copied.close()


def test_a_vector_that_differs_is_named_by_the_check(urls: dict[str, str]) -> None:
    embedded_catalog(urls["sqlite"])
    copy_catalog(urls["sqlite"], urls["other sqlite"], quiet)
    table = schema.embedding
    target = open_store(urls["other sqlite"])
    assert isinstance(target, RelationalStore)
    with target.maintenance() as connection:
        one = connection.scalar(func.max(table.c.entry_id).select().where(table.c.tenant == "acme"))
        spoil = update(table).where(table.c.entry_id == one, table.c.chunk == 0)
        connection.execute(spoil.values(vector=b"\0" * 256))
    target.close()
    (line,) = copy_catalog(urls["sqlite"], urls["other sqlite"], quiet).disagreements
    assert line.startswith("embedding of acme")
