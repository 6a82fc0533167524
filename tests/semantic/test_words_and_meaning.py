"""Mode HYBRID: what either side finds, and what both say of it."""

from __future__ import annotations

import pytest

from catalog.catalog import Catalog
from catalog.scope import ScopeKind
from catalog.search.request import Hit, Rung, SearchMode, SearchRequest
from tests.semantic.hashing_embedder import HashingEmbedder
from tests.written_skills import identity, written_skill

ANN = identity()
FREQUENT = 600
"""More skills than the ladder takes as candidates for one word."""


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    """A frequent pair of words in many long descriptions and in one short one."""
    opened = Catalog.open("memory:", embedder=HashingEmbedder(dimension=256))
    with opened.pack_writer(ANN, ScopeKind.TENANT, "tools") as writing:
        for number in range(FREQUENT):
            words = " ".join(f"w{number}x{place}" for place in range(12))
            writing.put(written_skill(f"s{number}", f"{words} harvest ledger {words}"), {})
        writing.put(written_skill("tally", "Harvest ledger"), {})
        for name in ("okapi-one", "okapi-two", "okapi-three", "okapi-four"):
            writing.put(written_skill(name, f"Feeding the okapi, {name}"), {})
    opened.embed_missing()
    return opened


def hits(catalog: Catalog, query: str, mode: SearchMode, limit: int = 10) -> dict[str, Hit]:
    found = catalog.search(ANN, SearchRequest(query, limit=limit, mode=mode)).hits
    return {hit.card.name: hit for hit in found}


def test_the_words_of_a_near_skill_count_where_the_ladder_did_not_look_at_it(
    catalog: Catalog,
) -> None:
    query = "harvest ledger okapi"
    assert "tally" not in hits(catalog, query, SearchMode.LADDER, 100)
    found = hits(catalog, query, SearchMode.HYBRID)
    assert list(found)[4] == "tally", "behind the four that hold the rare word"
    assert found["tally"].rung is Rung.SEMANTIC
    assert set(found["tally"].matched_terms) == {"harvest", "ledger"}


def test_a_skill_that_both_find_is_the_ladders_with_what_it_matched(catalog: Catalog) -> None:
    found = hits(catalog, "feeding an okapi", SearchMode.HYBRID)
    assert {hit.rung for name, hit in found.items() if name.startswith("okapi")} == {Rung.FULL_TEXT}
    scores = [hit.score for hit in found.values()]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score < 1 for score in scores)


@pytest.mark.parametrize("mode", SearchMode)
def test_a_name_comes_first_whatever_else_is_near(catalog: Catalog, mode: SearchMode) -> None:
    assert next(iter(hits(catalog, "tools:okapi-three", mode))) == "okapi-three"


def test_in_a_script_that_the_model_does_not_understand_words_alone_rank(catalog: Catalog) -> None:
    answer = catalog.search(ANN, SearchRequest("収穫の記録", mode=SearchMode.HYBRID))
    assert answer.hits == ()
    assert "does not understand the script" in answer.rungs[-1].reason
