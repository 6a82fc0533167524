"""The plain any-token FTS5 query that most tools use, over skills that are added in turns."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable

from catalog.skill import Skill

ROWS = 10


class PlainFts5:
    """Porter stems, one column, BM25 order."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        database.execute("CREATE VIRTUAL TABLE skill USING fts5(text, tokenize='porter unicode61')")

    def add(self, skills: Iterable[Skill]) -> None:
        with self._database:
            self._database.executemany(
                "INSERT INTO skill(text) VALUES (?)",
                [(f"{skill.name}\n{skill.description}\n{skill.body}",) for skill in skills],
            )

    def search(self, query: str) -> list[tuple[int, float]]:
        words = dict.fromkeys(re.findall(r"\w+", query))
        return self._database.execute(
            "SELECT rowid, rank FROM skill WHERE skill MATCH ? ORDER BY rank LIMIT ?",
            (" OR ".join(f'"{word}"' for word in words), ROWS),
        ).fetchall()
