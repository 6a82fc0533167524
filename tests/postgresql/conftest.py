"""A fresh database each, already of the newest schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.databases import new_database

if TYPE_CHECKING:
    from catalog.stores.postgresql import PostgreSqlStore


@pytest.fixture
def url() -> Iterator[str]:
    with new_database() as url:
        yield url


@pytest.fixture
def store(url: str) -> Iterator[PostgreSqlStore]:
    # Without the extra the tests are skipped, not broken.
    from catalog.stores.postgresql import PostgreSqlStore

    opened = PostgreSqlStore(url)
    yield opened
    opened.close()
