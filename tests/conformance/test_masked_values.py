"""What redaction masks cannot be found out by searching for it either."""

from __future__ import annotations

import pytest

from catalog.catalog import Catalog
from catalog.errors import InvalidQuery
from catalog.requests import GetRequest, ListRequest
from catalog.scope import ScopeKind
from catalog.search.request import SearchRequest
from tests.written_skills import contents, identity, written_skill

ANN = identity()
ADDRESS = "eva.roe+y@post.corp-y.com"


@pytest.fixture
def planted(catalog: Catalog) -> Catalog:
    files = {f"refs/{ADDRESS}.md": b"notes"}
    skill = written_skill(
        "deploy",
        f"Deploys. Ask {ADDRESS} first.",
        f'# Deploy\n\nWrite to {ADDRESS}.\n\n```json\n{{"pw": "h1ddenH1dden!"}}\n```\n',
        tags=(ADDRESS,),
        files=files,
        metadata=(("owner", ADDRESS),),
    )
    with catalog.pack_writer(ANN, ScopeKind.TENANT, "tools") as writing:
        writing.put(skill, contents(files))
    return catalog


@pytest.mark.parametrize("guess", ["h1ddenH1dden", ADDRESS, "eva.roe", "corp-y", "roe"])
def test_a_masked_value_is_found_by_no_guess(planted: Catalog, guess: str) -> None:
    hits = planted.search(ANN, SearchRequest(guess)).hits
    assert all(not hit.matched_terms for hit in hits), hits


@pytest.mark.full_text
def test_the_words_around_a_masked_value_are_found(planted: Catalog) -> None:
    assert [hit.card.name for hit in planted.search(ANN, SearchRequest("ask first")).hits] == [
        "deploy"
    ]


def test_a_masked_value_leaves_by_no_answer(planted: Catalog) -> None:
    answers = (
        planted.search(ANN, SearchRequest("deploy", snippets=True)),
        planted.get(ANN, GetRequest(("deploy",))).text,
        planted.list(ANN, ListRequest()),
        [part.part.skill for part in planted.get(ANN, GetRequest(("deploy",))).skills],
        planted.audit(ANN),
    )
    for answer in answers:
        assert ADDRESS not in repr(answer)
        assert "h1ddenH1dden" not in repr(answer)


def test_half_of_a_surrogate_pair_is_refused(catalog: Catalog) -> None:
    with pytest.raises(InvalidQuery, match="surrogate"):
        catalog.search(ANN, SearchRequest("kiln \ud800"))
