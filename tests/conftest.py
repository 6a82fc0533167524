"""What every suite knows: tests of full text are skipped where SQLite has none."""

from __future__ import annotations

import sqlite3

import pytest


def sqlite_has_full_text() -> bool:
    connection = sqlite3.connect(":memory:")
    for module in ("fts5", "fts4"):
        try:
            connection.execute(f"CREATE VIRTUAL TABLE {module}_probe USING {module}(text)")
        except sqlite3.OperationalError:
            continue
        return True
    return False


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "full_text: needs an engine with full text, such as SQLite with FTS5 or FTS4"
    )
    config.addinivalue_line("markers", "no_full_text: needs a SQLite without FTS5 and FTS4")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    present = sqlite_has_full_text()
    for item in items:
        on_postgresql = "postgresql" in item.name
        if item.get_closest_marker("full_text") and not present and not on_postgresql:
            item.add_marker(pytest.mark.skip(reason="this SQLite library has no full text"))
        if item.get_closest_marker("no_full_text") and present:
            item.add_marker(pytest.mark.skip(reason="this SQLite library has full text"))
