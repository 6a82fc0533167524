"""A catalog to import into, whose rows and index have to agree behind every test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from catalog.catalog import Catalog


@pytest.fixture
def catalog() -> Iterator[Catalog]:
    opened = Catalog.open("memory:")
    yield opened
    assert opened.store.check() == []
    opened.close()
