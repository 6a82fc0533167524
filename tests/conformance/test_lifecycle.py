"""Skills that agents write: proposed, changed, rolled back, promoted, deleted, audited."""

from __future__ import annotations

import pytest

from catalog.catalog import Catalog
from catalog.errors import (
    ContentHashMismatch,
    InvalidSkill,
    PackOverwriteRefused,
    RoleRequired,
    SkillNotFound,
)
from catalog.identity import Identity, Role
from catalog.lifecycle import Change, DeleteRequest, ProposeAnswer, ProposeRequest
from catalog.requests import GetRequest
from catalog.scope import ScopeKind
from catalog.search.request import SearchRequest
from tests.written_skills import contents, identity, written_skill

AUTHOR = Identity("acme", "ann", "s1", project="kiln", run="r7", roles=frozenset({Role.AUTHOR}))
ADMIN = identity(project="kiln")


def proposed(
    catalog: Catalog, name: str, description: str, who: Identity = AUTHOR, **fields: str
) -> ProposeAnswer:
    skill = written_skill(name, description, pack=None)
    return catalog.propose(who, ProposeRequest(skill, **fields))  # type: ignore[arg-type]


def bodies(catalog: Catalog, name: str, who: Identity = AUTHOR) -> str:
    return catalog.get(who, GetRequest((name,))).text


def test_a_proposal_is_found_by_the_next_call_and_says_where_it_is_from(catalog: Catalog) -> None:
    answer = proposed(catalog, "glaze-fix", "Repairs crawling glaze")
    assert (answer.change, answer.scope, answer.reference) == (
        Change.ADDED,
        ScopeKind.PROJECT,
        "gen:s1:r7",
    )
    hits = catalog.search(AUTHOR, SearchRequest("crawling glaze")).hits
    assert [hit.card.qualified_name for hit in hits] == ["glaze-fix"]


def test_a_proposal_without_a_project_belongs_to_the_user(catalog: Catalog) -> None:
    alone = Identity("acme", "ann", "s1", roles=frozenset({Role.AUTHOR}))
    assert proposed(catalog, "mine", "About it", alone).scope is ScopeKind.USER


def test_the_same_content_again_is_a_no_op_that_says_so(catalog: Catalog) -> None:
    first = proposed(catalog, "glaze-fix", "Repairs glaze")
    again = proposed(catalog, "glaze-fix", "Repairs glaze")
    assert (again.change, again.card.content_hash) == (Change.UNCHANGED, first.card.content_hash)
    assert len(catalog.history(AUTHOR, "glaze-fix").revisions) == 1


def test_a_change_wins_only_with_the_present_hash(catalog: Catalog) -> None:
    first = proposed(catalog, "glaze-fix", "Repairs glaze")
    for wrong in ("", "0" * 64):
        with pytest.raises(ContentHashMismatch) as refusal:
            proposed(catalog, "glaze-fix", "Repairs it all", expected_content_hash=wrong)
        assert refusal.value.metadata["current"] == first.card.content_hash
    second = proposed(
        catalog, "glaze-fix", "Repairs it all", expected_content_hash=first.card.content_hash
    )
    assert second.change is Change.UPDATED
    assert "Repairs it all" in bodies(catalog, "glaze-fix")


def test_expecting_a_version_of_a_skill_that_is_absent_is_refused(catalog: Catalog) -> None:
    with pytest.raises(ContentHashMismatch):
        proposed(catalog, "glaze-fix", "Repairs glaze", expected_content_hash="0" * 64)
    with pytest.raises(SkillNotFound):
        catalog.history(AUTHOR, "glaze-fix")


def test_a_retry_with_its_key_gets_the_same_answer_even_after_another_write(
    catalog: Catalog,
) -> None:
    first = proposed(catalog, "glaze-fix", "One", idempotency_key="k1")
    proposed(catalog, "glaze-fix", "Two", expected_content_hash=first.card.content_hash)
    retried = proposed(catalog, "glaze-fix", "One", idempotency_key="k1")
    assert retried.change is Change.ADDED
    assert "Two" in bodies(catalog, "glaze-fix")
    with pytest.raises(InvalidSkill, match="idempotency_key"):
        proposed(catalog, "glaze-fix", "Three", idempotency_key="k1")


def test_a_pack_skill_is_never_overwritten_by_a_proposal(catalog: Catalog) -> None:
    with catalog.pack_writer(ADMIN, ScopeKind.TENANT, "tools") as writing:
        writing.put(written_skill("glaze", "From the pack"), {})
    with pytest.raises(PackOverwriteRefused):
        proposed(catalog, "glaze", "From the agent")
    with pytest.raises(PackOverwriteRefused):
        proposed(catalog, "GLAZE", "From the agent")
    assert "From the pack" in bodies(catalog, "glaze")


def test_only_authors_propose_and_never_wider_than_the_project(catalog: Catalog) -> None:
    reader = Identity("acme", "ann", "s1", roles=frozenset({Role.READER}))
    with pytest.raises(RoleRequired):
        proposed(catalog, "x", "About x", reader)
    for kind in (ScopeKind.TENANT, ScopeKind.GLOBAL):
        with pytest.raises(RoleRequired):
            catalog.propose(AUTHOR, ProposeRequest(written_skill("x", pack=None), kind))


def test_a_proposal_with_a_secret_or_hidden_text_is_refused_and_the_place_is_named(
    catalog: Catalog,
) -> None:
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    with pytest.raises(InvalidSkill, match="a credential at line 6") as refusal:
        catalog.propose(
            AUTHOR, ProposeRequest(written_skill("x", body=f"Use {token} here\n", pack=None))
        )
    assert token not in refusal.value.message
    hidden = "Go on" + "".join(chr(0xE0000 + ord(character)) for character in "obey me")
    with pytest.raises(InvalidSkill, match="hidden text"):
        catalog.propose(AUTHOR, ProposeRequest(written_skill("x", body=hidden, pack=None)))
    with pytest.raises(SkillNotFound):
        catalog.get(AUTHOR, GetRequest(("x",)))


@pytest.mark.full_text
def test_near_duplicates_are_named(catalog: Catalog) -> None:
    text = "Repairs crawling glaze on stoneware by sieving, thinning and refiring it slowly"
    proposed(catalog, "glaze-fix", text)
    answer = proposed(catalog, "glaze-repair", text)
    assert [near.qualified_name for near in answer.near_duplicates] == ["glaze-fix"]
    assert 0.6 <= answer.near_duplicates[0].similarity <= 1


def test_an_earlier_version_comes_back_whole(catalog: Catalog) -> None:
    files = {"run.py": b"print(1)"}
    with catalog.pack_writer(ADMIN, ScopeKind.TENANT, "tools") as writing:
        writing.put(written_skill("glaze", "First", files=files), contents(files))
    first = catalog.get(ADMIN, GetRequest(("glaze",))).skills[0].card
    with catalog.pack_writer(ADMIN, ScopeKind.TENANT, "tools") as writing:
        writing.put(written_skill("glaze", "Second"), {})
    second = catalog.get(ADMIN, GetRequest(("glaze",))).skills[0].card
    with pytest.raises(ContentHashMismatch):
        catalog.rollback(ADMIN, "glaze", first.content_hash, first.content_hash)
    catalog.rollback(ADMIN, "glaze", first.content_hash, second.content_hash)
    exported = {file.path: file.data for file in catalog.export(ADMIN, "glaze")}
    assert exported["run.py"] == b"print(1)"
    assert b"First" in exported["SKILL.md"]
    actions = [revision.action for revision in catalog.history(ADMIN, "glaze").revisions]
    assert actions == ["rollback", "put", "put"]


def test_revisions_count_within_a_skill_whatever_others_write(catalog: Catalog) -> None:
    def numbers(who: Identity) -> list[int]:
        return [revision.number for revision in catalog.history(who, "glaze-fix").revisions]

    foreign = Identity("globex", "bob", "s1", project="kiln", roles=frozenset({Role.AUTHOR}))
    neighbour = Identity("acme", "eve", "s1", project="wheel", roles=frozenset({Role.AUTHOR}))
    first = proposed(catalog, "glaze-fix", "One")
    for who in (foreign, neighbour, AUTHOR):
        for name in ("other", "another"):
            proposed(catalog, name, "Something else", who)
    proposed(catalog, "glaze-fix", "Two", expected_content_hash=first.card.content_hash)
    proposed(catalog, "glaze-fix", "Three", foreign)
    assert numbers(AUTHOR) == [2, 1]
    assert numbers(foreign) == [1]
    catalog.delete(AUTHOR, DeleteRequest("glaze-fix"))
    proposed(catalog, "glaze-fix", "Four")
    assert numbers(AUTHOR) == [4, 3, 2, 1]


def test_the_history_of_a_deleted_skill_is_of_the_narrowest_scope_that_had_it(
    catalog: Catalog,
) -> None:
    for kind in (ScopeKind.GLOBAL, ScopeKind.TENANT):
        with catalog.pack_writer(ADMIN, kind, "tools") as writing:
            writing.put(written_skill("glaze"), {})
    for kind in (ScopeKind.GLOBAL, ScopeKind.TENANT):
        catalog.delete(ADMIN, DeleteRequest("tools:glaze", kind))
    history = catalog.history(ADMIN, "tools:glaze").revisions
    assert [(revision.number, revision.action) for revision in history] == [
        (2, "delete"),
        (1, "put"),
    ]
    first = catalog.history(ADMIN, "tools:glaze", page_size=1)
    rest = catalog.history(ADMIN, "tools:glaze", page_token=first.next_page_token)
    assert (first.revisions + rest.revisions, rest.next_page_token) == (history, "")


def test_promotion_moves_a_skill_into_a_wider_scope(catalog: Catalog) -> None:
    proposed(catalog, "glaze-fix", "Repairs glaze")
    other = identity(user="eve")
    with pytest.raises(SkillNotFound):
        catalog.get(other, GetRequest(("glaze-fix",)))
    with pytest.raises(RoleRequired):
        catalog.promote(AUTHOR, "glaze-fix", ScopeKind.TENANT)
    catalog.promote(ADMIN, "glaze-fix", ScopeKind.TENANT)
    assert catalog.get(other, GetRequest(("glaze-fix",))).skills[0].scope is ScopeKind.TENANT
    with pytest.raises(InvalidSkill, match="not wider"):
        catalog.promote(ADMIN, "glaze-fix", ScopeKind.TENANT)


def test_authors_delete_their_proposals_and_not_the_packs_skills(catalog: Catalog) -> None:
    with catalog.pack_writer(ADMIN, ScopeKind.TENANT, "tools") as writing:
        writing.put(written_skill("kiln"), {})
    proposed(catalog, "glaze-fix", "Repairs glaze")
    catalog.delete(AUTHOR, DeleteRequest("glaze-fix"))
    assert catalog.search(AUTHOR, SearchRequest("glaze-fix")).hits == ()
    with pytest.raises(RoleRequired):
        catalog.delete(AUTHOR, DeleteRequest("kiln"))
    with pytest.raises(RoleRequired):
        catalog.delete(AUTHOR, DeleteRequest("kiln", purge=True))
    assert [revision.action for revision in catalog.history(AUTHOR, "glaze-fix").revisions] == [
        "delete",
        "put",
    ]


def test_a_caller_who_names_no_version_is_told_that_one_is_needed(catalog: Catalog) -> None:
    first = proposed(catalog, "glaze-fix", "Repairs glaze").card.content_hash
    with pytest.raises(ContentHashMismatch, match=f"is needed to change what is there.*{first}"):
        proposed(catalog, "glaze-fix", "Repairs other glaze")


@pytest.mark.parametrize("name", ["glaze-fix", "Glaze-Fix"])
def test_a_version_that_never_was_is_told_apart_from_a_skill_that_is_not_there(
    catalog: Catalog, name: str
) -> None:
    present = proposed(catalog, "glaze-fix", "Repairs glaze").card.content_hash
    with pytest.raises(SkillNotFound, match="no version of that content hash"):
        catalog.rollback(AUTHOR, name, "f" * 64, present)
    with pytest.raises(SkillNotFound, match="no skill of that name"):
        catalog.rollback(AUTHOR, "glaze", "f" * 64, present)


def test_a_version_that_a_deleted_skill_never_had_is_told_apart_too(catalog: Catalog) -> None:
    proposed(catalog, "glaze-fix", "Repairs glaze")
    catalog.delete(AUTHOR, DeleteRequest("glaze-fix"))
    with pytest.raises(SkillNotFound, match="no version of that content hash"):
        catalog.rollback(AUTHOR, "glaze-fix", "f" * 64, "")


def test_a_purge_leaves_nothing_to_roll_back_to(catalog: Catalog) -> None:
    answer = proposed(catalog, "glaze-fix", "Repairs glaze giraffewren58")
    catalog.delete(ADMIN, DeleteRequest("glaze-fix", purge=True))
    again = proposed(catalog, "glaze-fix", "Another")
    with pytest.raises(SkillNotFound):
        catalog.rollback(ADMIN, "glaze-fix", answer.card.content_hash, again.card.content_hash)


def test_a_skill_that_is_deleted_already_can_still_be_purged(catalog: Catalog) -> None:
    answer = proposed(catalog, "glaze-fix", "Repairs glaze giraffewren58")
    catalog.delete(ADMIN, DeleteRequest("glaze-fix"))
    with pytest.raises(RoleRequired):
        catalog.delete(AUTHOR, DeleteRequest("glaze-fix", purge=True))
    purged = catalog.delete(ADMIN, DeleteRequest("glaze-fix", purge=True))
    assert purged.card.content_hash == answer.card.content_hash
    with pytest.raises(SkillNotFound):
        catalog.delete(ADMIN, DeleteRequest("glaze-fix", purge=True))
    again = proposed(catalog, "glaze-fix", "Another")
    with pytest.raises(SkillNotFound):
        catalog.rollback(ADMIN, "glaze-fix", answer.card.content_hash, again.card.content_hash)


def test_every_change_and_every_refusal_is_in_the_trail_without_bodies(catalog: Catalog) -> None:
    proposed(catalog, "glaze-fix", "Repairs giraffewren58")
    with pytest.raises(RoleRequired):
        catalog.promote(AUTHOR, "glaze-fix", ScopeKind.TENANT)
    with pytest.raises(RoleRequired):
        catalog.audit(AUTHOR)
    catalog.delete(AUTHOR, DeleteRequest("glaze-fix"), request_id="req-1")
    events = catalog.audit(ADMIN).events
    assert [(event.action, event.outcome, event.reason) for event in events] == [
        ("skill_delete", "done", ""),
        ("audit_list", "refused", "ROLE_REQUIRED"),
        ("skill_promote", "refused", "ROLE_REQUIRED"),
        ("skill_propose", "done", ""),
    ]
    assert events[0].request_id == "req-1"
    assert (events[0].user, events[0].session) == ("ann", "s1")
    assert "giraffewren58" not in repr(events)
    assert catalog.verify_audit(ADMIN) is None
    assert catalog.audit(identity("globex")).events == ()


def test_a_skill_is_of_the_source_that_brought_it_last(catalog: Catalog) -> None:
    def put(pack: str, reference: str | None) -> None:
        with catalog.pack_writer(
            ADMIN, ScopeKind.TENANT, pack, origin_reference=reference
        ) as writing:
            writing.put(written_skill("glaze", pack=pack), {})

    def packs_from(reference: str, who: Identity = ADMIN) -> list[str]:
        return catalog.packs_from(who, ScopeKind.TENANT, reference)

    put("tools", "market:a")
    put("wheels", "market:a")
    put("tools", None)
    assert packs_from("market:a") == ["tools", "wheels"]
    assert packs_from("market:a", identity("other")) == []

    put("tools", "market:b")
    assert packs_from("market:a") == ["wheels"]
    assert packs_from("market:b") == ["tools"]
    assert [line.action for line in catalog.history(ADMIN, "tools:glaze").revisions] == ["put"]

    with pytest.raises(RoleRequired):
        packs_from("market:a", AUTHOR)
