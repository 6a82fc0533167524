"""Nothing of a tenant, user or session reaches another on any RPC."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message

from skillcatalog.v1 import skillcatalog_pb2 as pb
from tests.wire.conftest import Refused, Wire, caller, refused, skill_text

ACME = caller("acme", "ann", roles="admin")
GLOBEX = caller("globex", "gus", roles="admin")
WORD = "zirconium"


@pytest.fixture
def shared(wire: Wire) -> Wire:
    """Two tenants with a pack of one name each; the first one's holds a word of its own."""
    ours = skill_text("alloy", f"Weld {WORD} plates", f"# How\n\nHeat the {WORD}.\n")
    wire.import_skills({"a/SKILL.md": ours, "a/scripts/w.sh": f"echo {WORD}"}, ACME)
    wire.import_skills({"b/SKILL.md": skill_text("bolts", "Fasten steel plates")}, GLOBEX)
    wire.stub.SkillPropose(
        pb.SkillProposeRequest(markdown=skill_text("secret-way", f"Cut {WORD}")), metadata=ACME
    )
    return wire


def _artifact(wire: Wire) -> str:
    got = wire.stub.SkillGet(pb.SkillGetRequest(names=["alloy"]), metadata=ACME)
    return got.skills[0].artifacts[0].reference


def _hash(wire: Wire) -> str:
    return wire.search(WORD, ACME).hits[0].card.content_hash


def _answer(call: Callable[[], Any]) -> bytes | Refused:
    """All that a caller sees, without the id of the request."""
    try:
        answer = call()
        messages = list(answer) if isinstance(answer, Iterator) else [answer]
    except grpc.RpcError as error:
        found = refused(error)
        found.request_id = ""
        return found
    return b"".join(_without_request_id(message) for message in messages)


def _without_request_id(message: Message) -> bytes:
    if "request_id" in message.DESCRIPTOR.fields_by_name:
        message.ClearField("request_id")
    return message.SerializeToString()


def test_every_reading_rpc_shows_a_tenant_its_own_only(shared: Wire) -> None:
    stub = shared.stub
    answers = [
        _answer(lambda: stub.SkillSearch(pb.SkillSearchRequest(query=WORD), metadata=GLOBEX)),
        _answer(lambda: stub.SkillSearch(pb.SkillSearchRequest(query="plates"), metadata=GLOBEX)),
        _answer(lambda: stub.SkillList(pb.SkillListRequest(), metadata=GLOBEX)),
        _answer(lambda: stub.SkillDirectory(pb.SkillDirectoryRequest(), metadata=GLOBEX)),
        _answer(lambda: stub.AuditList(pb.AuditListRequest(), metadata=GLOBEX)),
    ]
    for answer in answers:
        assert isinstance(answer, bytes)
        for foreign in (WORD, "alloy", "secret-way", "acme"):
            assert foreign.encode() not in answer
    assert b"bolts" in answers[1]


@pytest.mark.parametrize(
    "call",
    {
        "get": lambda stub, name, _hash: stub.SkillGet(
            pb.SkillGetRequest(names=[name]), metadata=GLOBEX
        ),
        "get by hash": lambda stub, name, content_hash: stub.SkillGet(
            pb.SkillGetRequest(names=[name], content_hash=content_hash), metadata=GLOBEX
        ),
        "export": lambda stub, name, _hash: stub.SkillExport(
            pb.SkillExportRequest(name=name), metadata=GLOBEX
        ),
        "history": lambda stub, name, _hash: stub.SkillHistory(
            pb.SkillHistoryRequest(name=name), metadata=GLOBEX
        ),
        "delete": lambda stub, name, _hash: stub.SkillDelete(
            pb.SkillDeleteRequest(name=name), metadata=GLOBEX
        ),
        "purge": lambda stub, name, _hash: stub.SkillDelete(
            pb.SkillDeleteRequest(name=name, purge=True), metadata=GLOBEX
        ),
        "rollback": lambda stub, name, content_hash: stub.SkillRollback(
            pb.SkillRollbackRequest(
                name=name, content_hash=content_hash, expected_content_hash=content_hash
            ),
            metadata=GLOBEX,
        ),
        "promote": lambda stub, name, content_hash: stub.SkillPromote(
            pb.SkillPromoteRequest(
                name=name, scope=pb.SCOPE_KIND_TENANT, expected_content_hash=content_hash
            ),
            metadata=GLOBEX,
        ),
    }.items(),
    ids=lambda case: case[0],
)
@pytest.mark.parametrize("name", ["tools:alloy", "alloy", "secret-way"])
def test_a_foreign_skill_is_an_absent_one_to_the_byte(shared: Wire, call: Any, name: str) -> None:
    content_hash = _hash(shared)
    foreign = _answer(lambda: call[1](shared.stub, name, content_hash))
    absent = _answer(lambda: call[1](shared.stub, "never-was", "f" * 64))
    assert isinstance(foreign, Refused)
    assert foreign == absent
    assert foreign.code == "NOT_FOUND"
    assert sorted(shared.names_found(WORD, ACME)) == ["secret-way", "tools:alloy"]


def test_a_foreign_artifact_is_an_absent_one(shared: Wire) -> None:
    def get(reference: str) -> Any:
        return shared.stub.ArtifactGet(pb.ArtifactGetRequest(reference=reference), metadata=GLOBEX)

    reference = _artifact(shared)
    absent = f"artifact://sha256/{'0' * 64}"
    assert _answer(lambda: get(reference)) == _answer(lambda: get(absent))


def test_a_page_token_of_another_tenant_is_refused(shared: Wire) -> None:
    page = shared.stub.SkillList(pb.SkillListRequest(page_size=1), metadata=ACME)
    assert page.next_page_token
    found = _answer(
        lambda: shared.stub.SkillList(
            pb.SkillListRequest(page_size=1, page_token=page.next_page_token), metadata=GLOBEX
        )
    )
    assert isinstance(found, Refused)
    assert found.reason == "INVALID_PAGE_TOKEN"


def test_answers_stay_apart_when_tenants_ask_the_same_in_turns(shared: Wire) -> None:
    for _ in range(3):
        assert "bolts" not in " ".join(shared.names_found("plates", ACME))
        assert shared.names_found("plates", GLOBEX) == ["tools:bolts"]


def test_what_another_tenant_holds_changes_no_score(wire: Wire) -> None:
    mine = {"c/SKILL.md": skill_text("charts", "Draw bar charts of a table")}
    wire.import_skills(mine, GLOBEX)
    before = wire.search("draw bar charts", GLOBEX)
    many = {f"{n}/SKILL.md": skill_text(f"c{n}", "Draw bar charts daily") for n in range(30)}
    wire.import_skills(many, ACME)
    other = caller("globex", "gus", session="s2", roles="admin")
    after = wire.search("draw bar charts", other)
    assert [hit.score for hit in before.hits] == [hit.score for hit in after.hits]


def test_a_private_skill_shows_on_no_surface_of_a_colleague(wire: Wire) -> None:
    ann, bob = caller(user="ann", roles="admin"), caller(user="bob", roles="admin")
    later = caller(user="ann", session="s2", roles="admin")
    for name, scope in (
        ("for-all", pb.SCOPE_KIND_TENANT),
        ("for-ann", pb.SCOPE_KIND_USER),
        ("for-now", pb.SCOPE_KIND_SESSION),
    ):
        skill = {"s/SKILL.md": skill_text(name, f"Polish {name} lenses")}
        wire.import_skills(skill, ann, name=name, scope=scope)

    def seen(who: Any) -> set[str]:
        listed = wire.stub.SkillList(pb.SkillListRequest(), metadata=who).cards
        cards = wire.stub.SkillDirectory(pb.SkillDirectoryRequest(), metadata=who).cards
        found = {hit.card.name for hit in wire.search("polish lenses", who).hits}
        assert {card.name for card in listed} == {card.name for card in cards} == found
        return found

    assert seen(ann) == {"for-all", "for-ann", "for-now"}
    assert seen(later) == {"for-all", "for-ann"}
    assert seen(bob) == {"for-all"}
    for name in ("for-ann", "for-now"):
        hidden = _answer(
            lambda name=name: wire.stub.SkillGet(pb.SkillGetRequest(names=[name]), metadata=bob)
        )
        assert isinstance(hidden, Refused)
