"""What an identity sees and what it cannot learn, on every store and every surface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from catalog.catalog import Catalog
from catalog.errors import (
    InvalidPageToken,
    NotFound,
    RoleRequired,
    SkillCatalogError,
    SkillNotFound,
)
from catalog.identity import Identity, Role
from catalog.injection.capability import Capability
from catalog.lifecycle import DeleteRequest, ProposeRequest
from catalog.requests import DirectoryRequest, GetRequest, ListRequest
from catalog.scope import ScopeKind
from catalog.search.request import SearchAnswer, SearchRequest
from catalog.skill import Skill
from tests.written_skills import contents, identity, written_skill

ANN = identity()
BOB = identity("globex", "bob", "s2")


def imported(
    catalog: Catalog,
    *skills: Skill,
    who: Identity = ANN,
    kind: ScopeKind = ScopeKind.TENANT,
    files: dict[str, bytes] | None = None,
) -> None:
    for pack in dict.fromkeys(skill.pack for skill in skills):
        with catalog.pack_writer(who, kind, pack or "") as writing:
            for skill in skills:
                if skill.pack == pack:
                    writing.put(skill, contents(files))


def found(catalog: Catalog, query: str, who: Identity = ANN, **fields: object) -> list[str]:
    answer = catalog.search(who, SearchRequest(query, **fields))  # type: ignore[arg-type]
    return names(answer)


def names(answer: SearchAnswer) -> list[str]:
    return [hit.card.name for hit in answer.hits]


def test_two_tenants_asking_in_turn_never_see_each_other(catalog: Catalog) -> None:
    imported(catalog, written_skill("kiln-log", "Logs the kiln"))
    imported(catalog, written_skill("kiln-audit", "Audits the kiln"), who=BOB)
    for _ in range(3):
        assert found(catalog, "kiln") == ["kiln-log"]
        assert found(catalog, "kiln", BOB) == ["kiln-audit"]


SURFACES: dict[str, Callable[[Catalog, Identity, str], object]] = {
    "get": lambda catalog, who, name: catalog.get(who, GetRequest((name,))),
    "export": lambda catalog, who, name: catalog.export(who, name),
    "history": lambda catalog, who, name: catalog.history(who, name),
    "delete": lambda catalog, who, name: catalog.delete(who, DeleteRequest(name)),
    "purge": lambda catalog, who, name: catalog.delete(who, DeleteRequest(name, purge=True)),
    "rollback": lambda catalog, who, name: catalog.rollback(who, name, "0" * 64, "0" * 64),
    "promote": lambda catalog, who, name: catalog.promote(who, name, ScopeKind.GLOBAL),
    "pin": lambda catalog, who, name: catalog.pin(who, name, True),
    "artifact": lambda catalog, who, name: catalog.artifact(who, name),
}


@pytest.mark.parametrize("surface", SURFACES)
def test_a_foreign_skill_and_an_absent_one_are_the_same_answer(
    catalog: Catalog, surface: str
) -> None:
    files = {"notes.txt": b"secret notes"}
    (sha256,) = contents(files)
    imported(catalog, written_skill("kiln-log", files=files), files=files)
    imported(catalog, written_skill("other"), who=BOB)
    foreign = f"artifact://sha256/{sha256}" if surface == "artifact" else "tools:kiln-log"
    absent = f"artifact://sha256/{'0' * 64}" if surface == "artifact" else "tools:absent"
    answers = []
    for name in (foreign, absent):
        with pytest.raises(NotFound) as refusal:
            SURFACES[surface](catalog, BOB, name)
        answers.append((type(refusal.value), refusal.value.message, refusal.value.metadata))
    assert answers[0] == answers[1]
    assert found(catalog, "kiln-log") == ["kiln-log"]


def test_what_a_foreign_tenant_imports_changes_no_hit_no_order_and_no_score(
    catalog: Catalog,
) -> None:
    imported(
        catalog,
        written_skill("kiln-log", "Logs every kiln firing"),
        written_skill("kiln-plan", "Plans a kiln firing and logs it"),
        written_skill("glaze", "Mixes glaze"),
    )
    before = catalog.search(ANN, SearchRequest("log the kiln firing"))
    imported(
        catalog,
        *(written_skill(f"kiln-{n}", "Logs every kiln firing, plans it") for n in range(30)),
        who=BOB,
    )
    reopened = Catalog(catalog.store)
    assert reopened.search(ANN, SearchRequest("log the kiln firing")) == before


def test_every_surface_shows_the_same_skills(catalog: Catalog) -> None:
    imported(catalog, written_skill("shared-kiln"))
    imported(catalog, written_skill("ann-kiln"), kind=ScopeKind.USER)
    imported(catalog, written_skill("session-kiln"), kind=ScopeKind.SESSION)
    seen = {
        ANN: {"shared-kiln", "ann-kiln", "session-kiln"},
        identity(session="s9"): {"shared-kiln", "ann-kiln"},
        identity(user="eve"): {"shared-kiln"},
    }
    for who, expected in seen.items():
        assert set(found(catalog, "kiln", who)) == expected
        listed = catalog.list(who, ListRequest()).cards
        assert {card.card.name for card in listed} == expected
        directory = catalog.directory(who, DirectoryRequest())
        assert {card.card.name for card in directory.cards} == expected
        for name in ("shared-kiln", "ann-kiln", "session-kiln"):
            if name in expected:
                assert catalog.get(who, GetRequest((name,))).skills[0].card.name == name
            else:
                with pytest.raises(SkillNotFound):
                    catalog.get(who, GetRequest((name,)))


def test_disallowed_skills_never_use_up_the_limit(catalog: Catalog) -> None:
    imported(
        catalog,
        *(written_skill(f"kiln-{n:02}", "kiln kiln kiln", tools=("Bash",)) for n in range(50)),
        written_skill("reader", "mentions a kiln once", tools=("Read",)),
    )
    reading = Capability(tools=("Read",))
    assert found(catalog, "kiln", limit=1, capability=reading) == ["reader"]
    listed = catalog.list(ANN, ListRequest(page_size=1, capability=reading))
    assert [card.card.name for card in listed.cards] == ["reader"]
    assert listed.next_page_token == ""
    assert found(catalog, "kiln", limit=1) == []


@pytest.mark.parametrize(
    ("tools", "shown"),
    [
        (("Read",), False),
        (("bash",), True),
        (("Bash(git:*)",), True),
        (("Bash",), True),
        ((), False),
        (None, False),
    ],
)
def test_the_same_gate_stands_before_every_surface(
    catalog: Catalog, tools: tuple[str, ...] | None, shown: bool
) -> None:
    imported(catalog, written_skill("runner", "Runs the kiln", tools=("Bash",)))
    capability = Capability(tools=tools)
    assert bool(found(catalog, "kiln", capability=capability)) is shown
    assert bool(catalog.list(ANN, ListRequest(capability=capability)).cards) is shown
    assert bool(catalog.directory(ANN, DirectoryRequest(capability=capability)).cards) is shown
    try:
        catalog.get(ANN, GetRequest(("runner",), capability=capability))
        got = True
    except SkillNotFound:
        got = False
    assert got is shown


def test_a_deleted_skill_is_gone_at_once_and_an_edited_one_is_found_by_its_new_words(
    catalog: Catalog,
) -> None:
    imported(catalog, written_skill("glaze", "Mixes cobalt"), written_skill("untouched", "Iron?"))
    assert found(catalog, "cobalt") == ["glaze"]
    imported(catalog, written_skill("glaze", "Mixes manganese"))
    assert found(catalog, "cobalt") == []
    assert found(catalog, "manganese") == ["glaze"]
    catalog.delete(ANN, DeleteRequest("glaze"))
    assert found(catalog, "manganese") == []
    catalog.delete(ANN, DeleteRequest("untouched"))
    assert found(catalog, "iron") == []
    imported(catalog, written_skill("glaze", "Mixes cobalt"))
    assert found(catalog, "cobalt") == ["glaze"]


def test_who_may_write_where_is_decided_by_roles(catalog: Catalog) -> None:
    def writes(kind: ScopeKind, *roles: Role) -> bool:
        who = Identity("acme", "ann", "s1", project="p", roles=frozenset(roles))
        try:
            imported(catalog, written_skill("x"), who=who, kind=kind)
        except RoleRequired:
            return False
        return True

    assert not writes(ScopeKind.SESSION, Role.READER)
    assert not writes(ScopeKind.SESSION, Role.AUTHOR)
    assert writes(ScopeKind.TENANT, Role.IMPORTER)
    assert not writes(ScopeKind.GLOBAL, Role.IMPORTER)
    assert writes(ScopeKind.GLOBAL, Role.ADMIN)
    refused = [event for event in catalog.audit(ANN).events if event.reason == "ROLE_REQUIRED"]
    assert len(refused) == 3


def test_the_same_skill_in_two_packs_is_shown_once_and_is_not_ambiguous(catalog: Catalog) -> None:
    imported(
        catalog,
        written_skill("tidy", "Tidies up", pack="one"),
        written_skill("tidy", "Tidies up", pack="two"),
    )
    answer = catalog.search(ANN, SearchRequest("tidy"))
    assert [hit.card.qualified_name for hit in answer.hits] == ["one:tidy"]
    assert catalog.get(ANN, GetRequest(("tidy",))).skills[0].card.qualified_name == "one:tidy"
    assert catalog.get(ANN, GetRequest(("two:tidy",))).skills[0].card.qualified_name == "two:tidy"


def test_different_skills_of_one_bare_name_are_both_found_and_have_to_be_told_apart(
    catalog: Catalog,
) -> None:
    imported(
        catalog,
        written_skill("tidy", "Tidies code", pack="one"),
        written_skill("tidy", "Tidies rooms", pack="two"),
    )
    assert found(catalog, "tidy") == ["tidy", "tidy"]
    with pytest.raises(SkillCatalogError) as refusal:
        catalog.get(ANN, GetRequest(("tidy",)))
    assert refusal.value.reason == "AMBIGUOUS_NAME"
    assert refusal.value.metadata["candidates"] == "one:tidy, two:tidy"


def test_pages_of_a_search_and_of_a_list_join_to_the_whole(catalog: Catalog) -> None:
    imported(catalog, *(written_skill(f"kiln-{n:02}", "Fires the kiln") for n in range(25)))
    whole = found(catalog, "kiln", limit=100)
    assert len(whole) == 25
    paged: list[str] = []
    token = ""
    while True:
        answer = catalog.search(ANN, SearchRequest("kiln", limit=10, page_token=token))
        paged += names(answer)
        token = answer.next_page_token
        if not token:
            break
    assert paged == whole
    listed: list[str] = []
    while True:
        page = catalog.list(ANN, ListRequest(page_size=10, page_token=token))
        listed += [card.card.name for card in page.cards]
        token = page.next_page_token
        if not token:
            break
    assert listed == sorted(whole)


PAGES: dict[str, Callable[[Catalog, Identity, str], Any]] = {
    "search": lambda catalog, who, token: catalog.search(
        who, SearchRequest("kiln", limit=2, page_token=token)
    ),
    "list": lambda catalog, who, token: catalog.list(
        who, ListRequest(page_size=2, page_token=token)
    ),
    "history": lambda catalog, who, token: catalog.history(who, "kiln-0", 2, token),
    "audit": lambda catalog, who, token: catalog.audit(who, 2, token),
}


def paged_by_all(catalog: Catalog) -> None:
    """Five skills and three versions of one, for everybody."""
    for version in range(3):
        skills = [written_skill(f"kiln-{n}", f"Kiln {version * (n == 0)}") for n in range(5)]
        imported(catalog, *skills, kind=ScopeKind.GLOBAL)
    imported(catalog, *(written_skill(f"own-{n}", "Kiln") for n in range(5)), who=BOB)


@pytest.mark.parametrize("surface", PAGES)
def test_a_page_token_is_good_for_whom_it_was_given_only(catalog: Catalog, surface: str) -> None:
    paged_by_all(catalog)
    page = PAGES[surface]
    others = (BOB, identity(user="eve"), identity(session="s9"), identity(project="kiln"))
    # Whoever asks first: what is remembered of an answer is not the token.
    tokens = {who: page(catalog, who, "").next_page_token for who in (*others, ANN)}
    token = tokens[ANN]
    assert len(set(tokens.values())) == len(tokens)
    for refused in others:
        with pytest.raises(InvalidPageToken):
            page(catalog, refused, token)
    for which in range(0, len(token), 7):
        forged = token[:which] + ("A" if token[which] != "A" else "B") + token[which + 1 :]
        with pytest.raises(InvalidPageToken):
            page(catalog, ANN, forged)
    assert page(catalog, ANN, token) != page(catalog, ANN, "")


def test_page_tokens_are_good_in_every_process_of_a_store(catalog: Catalog) -> None:
    paged_by_all(catalog)
    other = Catalog(catalog.store)
    for surface in ("list", "history", "audit"):
        page = PAGES[surface]
        token = page(catalog, ANN, "").next_page_token
        assert page(other, ANN, token) == page(catalog, ANN, token)


def test_page_tokens_of_one_place_are_no_good_in_another(catalog: Catalog) -> None:
    paged_by_all(catalog)
    tokens = {surface: PAGES[surface](catalog, ANN, "").next_page_token for surface in PAGES}
    for given, token in tokens.items():
        for surface in PAGES:
            if surface != given:
                with pytest.raises(InvalidPageToken):
                    PAGES[surface](catalog, ANN, token)


def test_page_tokens_show_nothing_of_what_others_have(catalog: Catalog) -> None:
    def shown() -> str:
        request = ListRequest(page_size=1)
        return catalog.list(ANN, request).next_page_token

    imported(catalog, written_skill("alloy"), written_skill("bolts"))
    before = shown()
    imported(catalog, *(written_skill(f"own-{n}") for n in range(300)), who=BOB)
    assert shown() == before
    catalog.delete(ANN, DeleteRequest("alloy"))
    imported(catalog, written_skill("alloy", "Says more."), written_skill("bolts"))
    assert len(shown()) == len(before)


def test_a_page_token_of_another_request_is_refused(catalog: Catalog) -> None:
    imported(catalog, *(written_skill(f"kiln-{n}") for n in range(5)))
    token = catalog.search(ANN, SearchRequest("kiln", limit=2)).next_page_token
    for request in (
        SearchRequest("glaze", limit=2, page_token=token),
        SearchRequest("kiln", limit=2, page_token="bm90IGEgdG9rZW4"),
        SearchRequest("kiln", limit=2, page_token="~~~"),
    ):
        with pytest.raises(SkillCatalogError) as refusal:
            catalog.search(ANN, request)
        assert refusal.value.reason == "INVALID_PAGE_TOKEN"


def test_what_is_global_tells_other_tenants_nothing_of_who_wrote_it(catalog: Catalog) -> None:
    imported(catalog, written_skill("kiln-log", "Logs the kiln"), kind=ScopeKind.GLOBAL)
    author = identity(session="session-of-ann", run="run-of-ann")
    catalog.propose(author, ProposeRequest(written_skill("glaze-fix", pack=None)))
    catalog.promote(author, "glaze-fix", ScopeKind.GLOBAL)
    told = catalog.get(BOB, GetRequest(("glaze-fix",))).text
    assert 'source="generated"' in told
    for name in ("kiln-log", "glaze-fix"):
        (written,) = catalog.history(BOB, name).revisions
        assert (written.user, written.session, written.origin_reference) == ("", "", "")
