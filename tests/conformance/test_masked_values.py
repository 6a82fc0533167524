"""What redaction masks cannot be found out by searching for it either."""

from __future__ import annotations

import pytest

from catalog.catalog import Catalog
from catalog.errors import AmbiguousName, InvalidQuery, SkillNotFound
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


SHOWN = "ask [REDACTED:EMAIL]"


def put(catalog: Catalog, pack: str, name: str, body: str, *tools: str) -> None:
    with catalog.pack_writer(ANN, ScopeKind.TENANT, pack) as writing:
        writing.put(written_skill(name, "Asks.", body, pack=pack, tools=tools), {})


@pytest.mark.parametrize("asked", [SHOWN, f"tools:{SHOWN}"])
def test_a_skill_whose_name_is_masked_is_found_by_the_name_that_is_shown(
    catalog: Catalog, asked: str
) -> None:
    put(catalog, "tools", f"ask {ADDRESS}", "# Ask\n\nWrite a letter.\n")
    assert [listed.card.name for listed in catalog.list(ANN, ListRequest()).cards] == [SHOWN]
    answer = catalog.get(ANN, GetRequest((asked,)))
    assert "Write a letter." in answer.text
    assert ADDRESS not in repr(answer.skills[0].part.skill)
    assert catalog.history(ANN, asked).revisions


def test_several_skills_that_are_shown_as_one_are_ambiguous(catalog: Catalog) -> None:
    put(catalog, "tools", f"ask {ADDRESS}", "# Ask\n\nWrite.\n")
    put(catalog, "more", "ask ann.bell@kilnworks.io", "# Ask\n\nCall.\n")
    with pytest.raises(AmbiguousName) as raised:
        catalog.get(ANN, GetRequest((SHOWN,)))
    assert sorted(raised.value.candidates) == [f"more:{SHOWN}", f"tools:{SHOWN}"]
    assert "Call." in catalog.get(ANN, GetRequest((f"more:{SHOWN}",))).text


def test_the_shown_name_finds_nothing_of_others_and_nothing_that_is_not_allowed(
    catalog: Catalog,
) -> None:
    put(catalog, "tools", f"ask {ADDRESS}", "# Ask\n\nWrite.\n", "Bash")
    for who in (ANN, identity(tenant="globex")):
        with pytest.raises(SkillNotFound, match="no skill of that name"):
            catalog.get(who, GetRequest((SHOWN,)))


@pytest.mark.parametrize("asked", ["ask [REDACTED:PHONE]", "[REDACTED:EMAIL]", "ask"])
def test_a_name_that_is_shown_otherwise_finds_nothing(catalog: Catalog, asked: str) -> None:
    put(catalog, "tools", f"ask {ADDRESS}", "# Ask\n\nWrite.\n")
    with pytest.raises(SkillNotFound):
        catalog.get(ANN, GetRequest((asked,)))
