"""What others use to search the same skills: each finds ten rows for any word of a query.

Plain FTS5 is always there; `bm25s` and `tantivy` where they are installed (extra
`benchmarks`). Each has English stems, one text a skill and BM25 order.
"""

from __future__ import annotations

import importlib.util
import re
import sqlite3
from collections.abc import Callable, Iterable, Sequence

from catalog.skill import Skill

ROWS = 10
Search = Callable[[str], list[tuple[int, float]]]
"""Row numbers, from 0, with their scores, best first."""


class PlainFts5:
    """Porter stems, one column, BM25 order; skills may be added in turns."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._rows = 0
        database.execute("CREATE VIRTUAL TABLE skill USING fts5(text, tokenize='porter unicode61')")

    def add(self, skills: Iterable[Skill]) -> None:
        with self._database:
            for skill in skills:
                self._database.execute(
                    "INSERT INTO skill(rowid, text) VALUES (?, ?)", (self._rows, _text(skill))
                )
                self._rows += 1

    def search(self, query: str) -> list[tuple[int, float]]:
        return self._database.execute(
            "SELECT rowid, -rank FROM skill WHERE skill MATCH ? ORDER BY rank LIMIT ?",
            (_quoted(query), ROWS),
        ).fetchall()


def other_engines(skills: Sequence[Skill]) -> dict[str, Search]:
    """The engines at hand, by name, each with those skills in memory."""
    plain = PlainFts5(sqlite3.connect(":memory:"))
    plain.add(skills)
    found: dict[str, Search] = {"plain FTS5": plain.search}
    for module, engine in (("bm25s", _bm25s), ("tantivy", _tantivy)):
        if importlib.util.find_spec(module):
            found[module] = engine(skills)
    return found


def _bm25s(skills: Sequence[Skill]) -> Search:
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")

    def tokens(texts: list[str]) -> object:
        return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)

    index = bm25s.BM25()
    index.index(tokens([_text(skill) for skill in skills]), show_progress=False)

    def search(query: str) -> list[tuple[int, float]]:
        rows, scores = index.retrieve(tokens([query]), k=ROWS, show_progress=False)
        found = zip(rows[0].tolist(), scores[0].tolist(), strict=True)
        return [(row, score) for row, score in found if score > 0]

    return search


def _tantivy(skills: Sequence[Skill]) -> Search:
    import tantivy

    schema = tantivy.SchemaBuilder()
    schema.add_integer_field("row", stored=True)
    schema.add_text_field("text", tokenizer_name="en_stem")
    index = tantivy.Index(schema.build())
    writer = index.writer()
    for row, skill in enumerate(skills):
        writer.add_document(tantivy.Document(row=row, text=_text(skill)))
    writer.commit()
    index.reload()
    searcher = index.searcher()

    def search(query: str) -> list[tuple[int, float]]:
        # Leniently: its analyser leaves nothing of a sentence without spaces.
        parsed, _ = index.parse_query_lenient(_quoted(query), ["text"])
        hits = searcher.search(parsed, ROWS, count=False).hits
        return [(searcher.doc(address)["row"][0], score) for score, address in hits]

    return search


def _text(skill: Skill) -> str:
    return f"{skill.name}\n{skill.description}\n{skill.body}"


def _quoted(query: str) -> str:
    """Any of the query's words, as both FTS5 and tantivy read it."""
    return " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", query)))
