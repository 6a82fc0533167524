"""Catalogs with embedders; everything here needs the extra `semantic`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.catalog import Catalog

pytest.importorskip("numpy")
pytest.importorskip("faiss")

from tests.semantic.hashing_embedder import HashingEmbedder

STORES = {"memory": "memory:", "sqlite": "sqlite:///{folder}/catalog.db"}


@pytest.fixture(params=STORES)
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return STORES[request.param].format(folder=tmp_path)


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


@pytest.fixture
def catalog(store_url: str, embedder: HashingEmbedder) -> Iterator[Catalog]:
    opened = Catalog.open(store_url, embedder=embedder)
    yield opened
    assert opened.store.check() == [], "index or vectors have drifted from the rows"
    opened.close()
