"""The migrations give the tables that the code reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, text

from catalog.catalog import Catalog
from catalog.errors import StoreUnavailable
from catalog.stores import schema


def test_a_migrated_store_has_the_tables_of_the_schema(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    Catalog.open(f"sqlite:///{path}").close()
    with create_engine(f"sqlite:///{path}").connect() as connection:
        context = MigrationContext.configure(connection)
        differences = [
            difference
            for difference in compare_metadata(context, schema.metadata)
            # The full-text tables belong to their engine, not to the schema.
            if not str(getattr(difference[1], "name", "")).startswith("entry_tokens")
        ]
    assert differences == []


def test_a_store_of_a_newer_version_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    Catalog.open(f"sqlite:///{path}").close()
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreUnavailable, match="upgrade skillcatalog"):
        Catalog.open(f"sqlite:///{path}")
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == "9999"
