"""The migrations give the tables that the code reads."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, create_engine, text

from catalog.catalog import Catalog
from catalog.errors import StoreUnavailable
from catalog.stores import migrations, schema
from tests.databases import empty_database


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


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_revisions_of_an_older_store_are_numbered_within_their_names(
    kind: str, tmp_path: Path
) -> None:
    databases = {
        "sqlite": lambda: nullcontext(f"sqlite:///{tmp_path / 'catalog.db'}"),
        "postgresql": empty_database,
    }
    with databases[kind]() as url:
        engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
        if kind == "postgresql":
            from catalog.stores.postgresql_roles import make_service_role

            make_service_role(engine)
        with engine.begin() as connection:
            upgrade(connection, "0003")
            for number, tenant, name in (
                (3, "a", "x"),
                (5, "b", "x"),
                (8, "a", "y"),
                (9, "a", "x"),
            ):
                connection.execute(
                    text(
                        "INSERT INTO revision VALUES "
                        "(:tenant, :number, 1, :name, 'put', :hash, '', '', '', '', 1.5)"
                    ),
                    {"tenant": tenant, "number": number, "name": name, "hash": f"hash {number}"},
                )
        Catalog.open(url).close()
        with engine.connect() as connection:
            rows = connection.execute(
                text("SELECT tenant, qualified_name, number, content_hash, at FROM revision")
            ).all()
        engine.dispose()
    assert sorted(map(tuple, rows)) == [
        ("a", "x", 1, "hash 3", 1.5),
        ("a", "x", 2, "hash 9", 1.5),
        ("a", "y", 1, "hash 8", 1.5),
        ("b", "x", 1, "hash 5", 1.5),
    ]


def upgrade(connection: Connection, revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
