"""One suite for every store: a test takes `store` or `catalog` and never asks which it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from catalog.stores.open import open_store
from catalog.stores.relational import RelationalStore

STORES: dict[str, Callable[[Path], str]] = {
    "memory": lambda _folder: "memory:",
    "sqlite": lambda folder: f"sqlite:///{folder / 'catalog.db'}",
}


@pytest.fixture(params=STORES)
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return STORES[request.param](tmp_path)


@pytest.fixture
def store(store_url: str) -> Iterator[RelationalStore]:
    opened = open_store(store_url)
    assert isinstance(opened, RelationalStore)
    yield opened
    assert opened.check() == [], "the index has drifted from the rows"
    opened.close()
