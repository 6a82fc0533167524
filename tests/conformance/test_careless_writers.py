"""Writers that retry, repeat keys, promote over others and come all at once."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from catalog.catalog import Catalog
from catalog.errors import (
    ContentHashMismatch,
    InvalidSkill,
    SkillExists,
    SkillNotFound,
)
from catalog.identity import Identity, Role
from catalog.lifecycle import Change, DeleteRequest, ProposeAnswer, ProposeRequest
from catalog.requests import GetRequest
from catalog.scope import ScopeKind
from catalog.search.request import SearchRequest
from tests.written_skills import identity, written_skill

AUTHOR = Identity("acme", "ann", "s1", project="kiln", roles=frozenset({Role.AUTHOR}))
ADMIN = identity(project="kiln")


def proposed(
    catalog: Catalog, name: str, text: str, who: Identity = AUTHOR, **fields: str
) -> ProposeAnswer:
    request = ProposeRequest(written_skill(name, text, pack=None), **fields)  # type: ignore[arg-type]
    return catalog.propose(who, request)


@pytest.mark.parametrize("purge", [False, True])
def test_a_retry_behind_a_delete_gets_its_answer_and_brings_nothing_back(
    catalog: Catalog, purge: bool
) -> None:
    first = proposed(catalog, "glaze-fix", "One", idempotency_key="k1")
    catalog.delete(ADMIN, DeleteRequest("glaze-fix", purge=purge))
    assert proposed(catalog, "glaze-fix", "One", idempotency_key="k1") == first
    with pytest.raises(SkillNotFound):
        catalog.get(AUTHOR, GetRequest(("glaze-fix",)))


def test_a_retry_tells_of_the_version_that_it_proposed(catalog: Catalog) -> None:
    first = proposed(catalog, "glaze-fix", "One", idempotency_key="k1")
    proposed(catalog, "glaze-fix", "Two", expected_content_hash=first.card.content_hash)
    assert proposed(catalog, "glaze-fix", "One", idempotency_key="k1") == first


@pytest.mark.parametrize("other", [{"tenant": "globex"}, {"user": "bob"}, {"session": "s2"}])
def test_a_key_belongs_to_its_session(catalog: Catalog, other: dict[str, str]) -> None:
    proposed(catalog, "glaze-fix", "One", idempotency_key="k1")
    who = replace(AUTHOR, **other)
    assert proposed(catalog, "wheel-fix", "Two", who, idempotency_key="k1").change is Change.ADDED


def test_a_key_that_was_used_in_one_project_is_not_an_answer_in_another(catalog: Catalog) -> None:
    proposed(catalog, "glaze-fix", "One", idempotency_key="k1")
    with pytest.raises(InvalidSkill, match="idempotency_key"):
        proposed(catalog, "glaze-fix", "One", replace(AUTHOR, project="b"), idempotency_key="k1")


def test_a_refused_proposal_leaves_its_key_free(catalog: Catalog) -> None:
    with pytest.raises(ContentHashMismatch):
        proposed(catalog, "fix", "One", expected_content_hash="0" * 64, idempotency_key="k1")
    assert proposed(catalog, "fix", "One", idempotency_key="k1").change is Change.ADDED


@pytest.mark.parametrize("key", [" ", "clé 🗝", "a'b\"c%_\\", "a\0b", "k" * 128])
def test_any_text_is_a_key(catalog: Catalog, key: str) -> None:
    first = proposed(catalog, "fix", "One", idempotency_key=key)
    assert proposed(catalog, "fix", "One", idempotency_key=key) == first
    with pytest.raises(InvalidSkill, match="idempotency_key"):
        proposed(catalog, "other", "Two", idempotency_key=key)


def test_a_key_that_is_too_long_is_refused_with_the_limit(catalog: Catalog) -> None:
    with pytest.raises(InvalidSkill) as refusal:
        proposed(catalog, "fix", "One", idempotency_key="k" * 129)
    assert refusal.value.metadata["limit"] == "128"


def test_a_proposal_reaches_wider_scopes_by_promotion_only_whoever_asks(catalog: Catalog) -> None:
    for kind in (ScopeKind.TENANT, ScopeKind.GLOBAL):
        with pytest.raises(InvalidSkill, match="promotion") as refusal:
            catalog.propose(ADMIN, ProposeRequest(written_skill("x", pack=None), kind))
        assert refusal.value.metadata["field"] == "scope"
    assert catalog.audit(ADMIN).events[0].reason == "INVALID_SKILL"


@pytest.mark.parametrize("name", ["tools:glaze", "glaze/fix", ":", "tools:"])
def test_a_proposal_cannot_pass_for_a_skill_of_a_pack(catalog: Catalog, name: str) -> None:
    with pytest.raises(InvalidSkill) as refusal:
        proposed(catalog, name, "From the agent")
    assert refusal.value.metadata["field"] == "name"


@pytest.mark.parametrize("description", ["?!", "…", "   x   ", "🗝🗝🗝", "的"])
def test_a_description_without_a_word_is_proposed_like_any_other(
    catalog: Catalog, description: str
) -> None:
    assert proposed(catalog, "fix", description).change is Change.ADDED


def test_a_content_hash_may_be_given_as_the_block_shows_it(catalog: Catalog) -> None:
    first = proposed(catalog, "fix", "One").card.content_hash
    shown = catalog.get(AUTHOR, GetRequest(("fix",))).text.split('sha256="')[1].split('"')[0]
    assert shown == first[:32]
    second = proposed(catalog, "fix", "Two", expected_content_hash=shown).card.content_hash
    assert "One" in catalog.get(AUTHOR, GetRequest(("fix",), content_hash=shown)).text
    assert "Two" in catalog.get(AUTHOR, GetRequest(("fix",), content_hash=second[:40])).text
    catalog.rollback(AUTHOR, "fix", shown, second[:32])
    assert "One" in catalog.get(AUTHOR, GetRequest(("fix",))).text
    catalog.delete(AUTHOR, DeleteRequest("fix", expected_content_hash=shown))
    assert catalog.rollback(AUTHOR, "fix", second[:32], "").card.content_hash == second


@pytest.mark.parametrize("cut", [0, 1, 31])
def test_less_than_half_a_content_hash_names_nothing(catalog: Catalog, cut: int) -> None:
    first = proposed(catalog, "fix", "One").card.content_hash
    second = proposed(catalog, "fix", "Two", expected_content_hash=first).card.content_hash
    with pytest.raises(ContentHashMismatch):
        proposed(catalog, "fix", "Three", expected_content_hash=second[:cut])
    with pytest.raises(ContentHashMismatch):
        catalog.rollback(AUTHOR, "fix", first, second[:cut])
    for wrong in (first[:cut] or "-", first.upper(), f"sha256:{first}", f"{first}0", "\0" * 40):
        with pytest.raises(SkillNotFound):
            catalog.get(AUTHOR, GetRequest(("fix",), content_hash=wrong))
        with pytest.raises(SkillNotFound):
            catalog.rollback(AUTHOR, "fix", wrong, second)


def test_promotion_never_replaces_another_skill(catalog: Catalog) -> None:
    theirs = proposed(catalog, "glaze-fix", "Theirs")
    catalog.promote(ADMIN, "glaze-fix", ScopeKind.TENANT)
    ours = proposed(catalog, "glaze-fix", "Ours")
    with pytest.raises(SkillExists) as refusal:
        catalog.promote(ADMIN, "glaze-fix", ScopeKind.TENANT, ours.card.content_hash)
    assert refusal.value.metadata["current"] == theirs.card.content_hash
    assert "Theirs" in catalog.get(identity(user="eve"), GetRequest(("glaze-fix",))).text
    assert "Ours" in catalog.get(AUTHOR, GetRequest(("glaze-fix",))).text
    catalog.delete(ADMIN, DeleteRequest("glaze-fix", ScopeKind.TENANT))
    catalog.promote(ADMIN, "glaze-fix", ScopeKind.TENANT)
    assert "Ours" in catalog.get(identity(user="eve"), GetRequest(("glaze-fix",))).text


def test_promoting_what_is_there_already_only_takes_the_narrow_one_away(catalog: Catalog) -> None:
    for _ in range(2):
        proposed(catalog, "glaze-fix", "Same")
        assert catalog.promote(ADMIN, "glaze-fix", ScopeKind.TENANT).scope is ScopeKind.TENANT
    got = catalog.get(ADMIN, GetRequest(("glaze-fix",))).skills[0]
    assert got.scope is ScopeKind.TENANT
    assert len(catalog.history(identity(user="eve"), "glaze-fix").revisions) == 1


def at_once(work: Callable[[int], object], threads: int = 8) -> list[object]:
    """What each thread's work returned or raised, all begun together."""
    barrier = threading.Barrier(threads)

    def begin(number: int) -> object:
        barrier.wait()
        try:
            return work(number)
        except (ContentHashMismatch, SkillExists, SkillNotFound) as error:
            return error

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(begin, range(threads)))


def test_of_many_proposals_of_one_name_at_once_one_wins(catalog: Catalog) -> None:
    answers = at_once(lambda number: proposed(catalog, "glaze-fix", f"By {number}"))
    won = [answer for answer in answers if isinstance(answer, ProposeAnswer)]
    lost = [answer for answer in answers if isinstance(answer, ContentHashMismatch)]
    assert (len(won), len(lost)) == (1, 7)
    assert {error.metadata["current"] for error in lost} == {won[0].card.content_hash}
    assert len(catalog.history(AUTHOR, "glaze-fix").revisions) == 1


def test_of_many_promotions_of_one_name_to_everybody_one_wins(catalog: Catalog) -> None:
    admins = [identity(f"tenant-{number}") for number in range(4)]
    for number, admin in enumerate(admins):
        proposed(catalog, "glaze-fix", f"By {number}", admin)
    answers = at_once(
        lambda number: catalog.promote(admins[number], "glaze-fix", ScopeKind.GLOBAL), 4
    )
    lost = [answer for answer in answers if isinstance(answer, SkillExists)]
    assert len(lost) == 3
    who = identity("somebody-else")
    assert len(catalog.history(who, "glaze-fix").revisions) == 1


def test_of_many_equal_proposals_at_once_one_is_added(catalog: Catalog) -> None:
    answers = at_once(lambda _: proposed(catalog, "fix", "Same", idempotency_key="k").change)
    assert Counter(answers) == {Change.ADDED: 8}
    answers = at_once(lambda _: proposed(catalog, "fix", "Same").change)
    assert Counter(answers) == {Change.UNCHANGED: 8}
    assert len(catalog.history(AUTHOR, "fix").revisions) == 1


def test_what_is_read_while_others_delete_and_purge_is_whole_or_absent(catalog: Catalog) -> None:
    def work(number: int) -> object:
        for turn in range(6):
            if number == 0:
                gone = f"Glaze {turn}"
                proposed(catalog, "glaze-fix", gone)
                catalog.delete(ADMIN, DeleteRequest("glaze-fix", purge=bool(turn % 2)))
            else:
                for hit in catalog.search(AUTHOR, SearchRequest("glaze")).hits:
                    assert hit.card.name == "glaze-fix"
                try:
                    text = catalog.get(AUTHOR, GetRequest(("glaze-fix",))).text
                except SkillNotFound:
                    continue
                assert "How to glaze-fix." in text
        return None

    assert at_once(work, 4) == [None] * 4


def test_the_trail_holds_whoever_writes_at_once(catalog: Catalog) -> None:
    def work(number: int) -> object:
        who = replace(AUTHOR, tenant=("acme", "globex")[number % 2], user=f"user-{number}")
        for turn in range(3):
            proposed(catalog, f"fix-{number}-{turn}", "About it", who)
            with pytest.raises(InvalidSkill):
                proposed(catalog, "fix", "About it", who, idempotency_key="k" * 129)
        return None

    assert at_once(work) == [None] * 8
    for tenant in ("acme", "globex"):
        assert catalog.verify_audit(identity(tenant)) is None
        assert len(catalog.audit(identity(tenant)).events) == 24
