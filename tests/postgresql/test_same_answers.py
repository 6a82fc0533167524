"""Real prompts over real skills find the same on PostgreSQL and on SQLite, to the byte of a score.

The prompts and skills lie beside the repository, where they are not part of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("psycopg")

from benchmarks.dataset import read_prompts
from catalog.catalog import Catalog
from catalog.search.request import SearchRequest
from importer.importing import import_pack
from tests.databases import new_database
from tests.written_skills import identity

EVALUATION = Path(__file__).parents[3] / "shared" / "eval"
ONE_IN = 6
ANN = identity()


@pytest.fixture(scope="module")
def catalogs() -> Iterator[tuple[Catalog, Catalog]]:
    if not (EVALUATION / "queries.jsonl").is_file():
        pytest.skip("the evaluation data is not beside the repository")
    with new_database() as url:
        catalogs = (Catalog.open("memory:"), Catalog.open(url))
        for catalog in catalogs:
            import_pack(catalog, ANN, EVALUATION / "skills.tar.gz")
        yield catalogs
        for catalog in catalogs:
            catalog.close()


def test_prompts_find_the_same_skills_with_the_same_scores(
    catalogs: tuple[Catalog, Catalog],
) -> None:
    prompts = [prompt for prompt in read_prompts(EVALUATION / "queries.jsonl") if prompt.positive]
    for prompt in prompts[::ONE_IN]:
        request = SearchRequest(prompt.query)
        ours, theirs = (
            [(hit.card.qualified_name, hit.score, hit.rung) for hit in answer.hits]
            for answer in (catalog.search(ANN, request) for catalog in catalogs)
        )
        assert ours == theirs, prompt.query
