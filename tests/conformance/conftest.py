"""One suite for every store: a test takes `store` or `catalog` and never asks which it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from catalog.catalog import Catalog
from catalog.stores.open import open_store
from catalog.stores.relational import RelationalStore
from tests.databases import new_database

STORES: dict[str, Callable[[Path], AbstractContextManager[str]]] = {
    "memory": lambda _folder: nullcontext("memory:"),
    "sqlite": lambda folder: nullcontext(f"sqlite:///{folder / 'catalog.db'}"),
    "postgresql": lambda _folder: new_database(),
}


@pytest.fixture(params=STORES)
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with STORES[request.param](tmp_path) as url:
        yield url


@pytest.fixture
def store(store_url: str) -> Iterator[RelationalStore]:
    opened = open_store(store_url)
    assert isinstance(opened, RelationalStore)
    yield opened
    assert opened.check() == [], "the index has drifted from the rows"
    opened.close()


@pytest.fixture
def catalog(store: RelationalStore) -> Catalog:
    return Catalog(store, clock=iter(range(1_000_000, 9_000_000)).__next__)
