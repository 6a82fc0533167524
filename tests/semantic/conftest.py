"""Catalogs with embedders; everything here needs the extra `semantic`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.catalog import Catalog
from tests.databases import new_database

pytest.importorskip("numpy")
pytest.importorskip("faiss")

from catalog.embedding import stored_vectors
from tests.semantic.hashing_embedder import HashingEmbedder


@pytest.fixture(params=["memory", "sqlite", "postgresql", "postgresql searches"])
def store_url(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """The last one is searched by the database, however few the vectors are."""
    if request.param.startswith("postgresql"):
        if request.param == "postgresql searches":
            monkeypatch.setattr(stored_vectors, "MOST_VECTORS_IN_MEMORY", 0)
        with new_database() as url:
            yield url
    else:
        path = tmp_path / "catalog.db"
        yield "memory:" if request.param == "memory" else f"sqlite:///{path}"


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


@pytest.fixture
def catalog(store_url: str, embedder: HashingEmbedder) -> Iterator[Catalog]:
    opened = Catalog.open(store_url, embedder=embedder)
    yield opened
    assert opened.store.check() == [], "index or vectors have drifted from the rows"
    opened.close()
