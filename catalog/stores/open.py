"""A store from its URL: `memory:`, `sqlite:///FILE` or `postgresql://…`."""

from __future__ import annotations

from pathlib import Path

from catalog.errors import InvalidConfiguration
from catalog.stores.store import SkillStore

MEMORY = "memory:"
SQLITE_PREFIX = "sqlite:///"
POSTGRESQL_PREFIX = "postgresql://"


def open_store(url: str) -> SkillStore:
    """Open the store, bring its schema up to date and check its index.

    Raises:
        InvalidConfiguration: the URL is of no known form.
        StoreUnavailable: the store cannot be opened.
    """
    if not isinstance(url, str):
        raise InvalidConfiguration(
            f"store is of type {type(url).__name__}; it takes a URL", field="store"
        )
    if url == MEMORY:
        from catalog.stores.sqlite import SqliteStore

        return SqliteStore(None)
    if url.startswith(SQLITE_PREFIX) and len(url) > len(SQLITE_PREFIX):
        from catalog.stores.sqlite import SqliteStore

        return SqliteStore(Path(url.removeprefix(SQLITE_PREFIX)))
    if url.startswith(POSTGRESQL_PREFIX):
        try:
            from catalog.stores.postgresql import PostgreSqlStore
        except ImportError as error:
            raise InvalidConfiguration(
                "a postgresql:// store needs the extra: pip install 'skillcatalog[postgres]'",
                field="store",
            ) from error
        return PostgreSqlStore(url)
    raise InvalidConfiguration(
        "store URL is not one of memory:, sqlite:///FILE, postgresql://…", field="store"
    )
