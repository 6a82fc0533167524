"""Bring a database to the newest schema, in the transaction of the caller."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, select, table, text
from sqlalchemy import column as sql_column

from catalog.errors import StoreUnavailable
from catalog.stores.migrations import HEAD

_VERSION = table("alembic_version", sql_column("version_num"))


def is_current(connection: Connection) -> bool:
    """Whether the schema is HEAD, read without importing Alembic, which takes a while."""
    if not inspect(connection).has_table("alembic_version"):
        return False
    return connection.scalar(select(_VERSION.c.version_num)) == HEAD


def migrate(connection: Connection) -> None:
    """Upgrade to HEAD.

    Raises:
        StoreUnavailable: the database was written by a newer version of this software.
    """
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory
    from alembic.util.exc import CommandError

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = connection
    try:
        ScriptDirectory.from_config(config).get_current_head()
        command.upgrade(config, "head")
    except CommandError as error:
        written_by = connection.scalar(text("SELECT version_num FROM alembic_version"))
        raise StoreUnavailable(
            f"the store has schema {written_by}, which this version does not know; "
            f"it knows up to {HEAD}: upgrade skillcatalog"
        ) from error
