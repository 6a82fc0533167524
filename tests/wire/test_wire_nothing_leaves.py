"""Secrets, names of forbidden tools and foreign skills, looked for in all that every RPC says.

Export and attachments are the author's own files, byte for byte: there a secret stays. They are
asked for by a name or a hash that the caller may see, and a run that may not see the skill gets
neither.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message

from skillcatalog.v1 import skillcatalog_pb2 as pb
from tests.wire.conftest import Wire, archive, caller, skill_text

SECRET = "maria.fischer@net-menders.example"
TOOL = "mcp__vault__drain_account"
NEEDED_TOOL = "mcp__winch__haul_anchor"
FOREIGN = "zirconium"

ANN = caller("acme", "ann", roles="admin")
GUS = caller("globex", "gus", roles="admin")
RUN = pb.Capability(tools=pb.NameList(names=["Read"]))
AUTHORS_FILES = {"SkillExport", "ArtifactGet"}

Call = Callable[[Any], Any]


def secret_skill(version: str = "first") -> str:
    return skill_text(
        "net-mending",
        f"Mend a torn net, ask {SECRET}",
        f"# How\n\nThe {version} way: write to {SECRET}.\n\nThen call `{TOOL}`.\n",
        tags=f"[nets, '{SECRET}']",
        title=f"Nets by {SECRET}",
        metadata=f"{{author: '{SECRET}'}}",
        license=f"Ask {SECRET}",
        **{"allowed-tools": TOOL},
    )


PACK = {
    "nets/SKILL.md": secret_skill(),
    f"nets/scripts/{SECRET}.sh": f"echo {SECRET}\n",
    f"crew {SECRET}/SKILL.md": skill_text(f"ask {SECRET}", "Ask the crew", "Ask.\n"),
    "winch/SKILL.md": skill_text(
        "anchor-hauling", f"Haul nets with {NEEDED_TOOL}", **{"required-tools": NEEDED_TOOL}
    ),
}


def parts(files: dict[str, str], **start: Any) -> Iterator[pb.PackImportRequest]:
    named = pb.PackImportRequest.Start(pack_name="own", scope=pb.SCOPE_KIND_USER, **start)
    yield pb.PackImportRequest(start=named)
    yield pb.PackImportRequest(chunk=archive(files))


def calls(stub: Any) -> dict[str, list[Call]]:
    """Every RPC, in an order in which each finds what it needs; each with a caller's metadata."""
    name = "own:net-mending"
    kept: dict[str, str] = {}

    def content_hash(who: Any) -> str:
        got = stub.SkillGet(pb.SkillGetRequest(names=[name], capability=RUN), metadata=who)
        return str(got.skills[0].card.content_hash)

    def artifact(who: Any) -> Any:
        got = stub.SkillGet(pb.SkillGetRequest(names=[name], capability=RUN), metadata=ANN)
        reference = got.skills[0].artifacts[0].reference
        asked = pb.ArtifactGetRequest(reference=reference, capability=RUN)
        return stub.ArtifactGet(asked, metadata=who)

    def imported_again(who: Any) -> Any:
        kept["first"] = content_hash(who)
        changed = PACK | {"nets/SKILL.md": secret_skill("second")}
        return stub.PackImport(parts(changed), metadata=who)

    def rolled_back(who: Any) -> Any:
        asked = pb.SkillRollbackRequest(
            name=name, content_hash=kept["first"], expected_content_hash=content_hash(who)
        )
        return stub.SkillRollback(asked, metadata=who)

    def promoted(who: Any) -> Any:
        asked = pb.SkillPromoteRequest(
            name=name, scope=pb.SCOPE_KIND_TENANT, expected_content_hash=content_hash(who)
        )
        return stub.SkillPromote(asked, metadata=who)

    def searched(query: str, **fields: Any) -> Call:
        asked = pb.SkillSearchRequest(query=query, capability=RUN, **fields)
        return lambda who: stub.SkillSearch(asked, metadata=who)

    def proposed(markdown: str) -> Call:
        asked = pb.SkillProposeRequest(markdown=markdown)
        return lambda who: stub.SkillPropose(asked, metadata=who)

    def got(*names: str, **fields: Any) -> Call:
        asked = pb.SkillGetRequest(names=names, capability=RUN, **fields)
        return lambda who: stub.SkillGet(asked, metadata=who)

    def exported(skill: str) -> Call:
        asked = pb.SkillExportRequest(name=skill, capability=RUN)
        return lambda who: stub.SkillExport(asked, metadata=who)

    return {
        "PackImport": [
            lambda who: stub.PackImport(parts(PACK, dry_run=True), metadata=who),
            lambda who: stub.PackImport(parts(PACK), metadata=who),
            imported_again,
        ],
        "SkillSearch": [
            searched("mend a torn net", snippets=True),
            searched("haul nets anchor", snippets=True),
            searched(SECRET.partition("@")[0]),
            searched("alloy plates"),
        ],
        "SkillGet": [
            got(name),
            got(name, max_tokens=60),
            got("net-mendin"),
            got("own:ask [REDACTED:EMAIL]"),
            got("own:anchor-hauling"),
            got("alloy"),
        ],
        "SkillList": [
            lambda who: stub.SkillList(pb.SkillListRequest(capability=RUN), metadata=who),
            lambda who: stub.SkillList(
                pb.SkillListRequest(capability=RUN, page_size=1), metadata=who
            ),
        ],
        "SkillDirectory": [
            lambda who: stub.SkillDirectory(pb.SkillDirectoryRequest(capability=RUN), metadata=who),
        ],
        "SkillExport": [exported(name), exported("anchor-hauling"), exported("alloy")],
        "ArtifactGet": [artifact],
        "SkillPropose": [
            proposed(skill_text("knots", "Tie a net", f"Write to {SECRET}.\n")),
            proposed(skill_text("knots", "Tie a net", f"Call `{TOOL}`.\n")),
            proposed(skill_text("net-mending", "Mend a torn net", "Otherwise.\n")),
        ],
        "SkillRollback": [rolled_back],
        "SkillPromote": [promoted],
        "SkillHistory": [
            lambda who: stub.SkillHistory(pb.SkillHistoryRequest(name=name), metadata=who),
        ],
        "SkillDelete": [
            lambda who: stub.SkillDelete(
                pb.SkillDeleteRequest(name=f"alloy {SECRET}"), metadata=who
            ),
            lambda who: stub.SkillDelete(pb.SkillDeleteRequest(name="knots"), metadata=who),
        ],
        "AuditList": [lambda who: stub.AuditList(pb.AuditListRequest(), metadata=who)],
    }


def said(call: Call, who: Any) -> bytes:
    """All that the caller receives: messages, or the status with its details."""
    try:
        answer = call(who)
        messages = [answer] if isinstance(answer, Message) else list(answer)
    except grpc.RpcError as error:
        trailing = [bytes(str(value), "utf-8") for _, value in error.trailing_metadata()]
        return b" ".join([str(error.details()).encode(), *trailing])
    return b" ".join(message.SerializeToString() for message in messages)


@pytest.fixture
def answers(wire: Wire) -> dict[str, list[bytes]]:
    """What every RPC says to the owner of the planted skills."""
    foreign = skill_text("alloy", f"Weld {FOREIGN} plates and nets", f"Heat the {FOREIGN}.\n")
    wire.import_skills({"a/SKILL.md": foreign, "a/scripts/w.sh": f"echo {FOREIGN}"}, GUS)
    return {rpc: [said(call, ANN) for call in made] for rpc, made in calls(wire.stub).items()}


def test_every_rpc_of_the_service_is_walked(wire: Wire) -> None:
    service = pb.DESCRIPTOR.services_by_name["SkillCatalog"]
    assert set(calls(wire.stub)) == {method.name for method in service.methods}


def test_no_rpc_lets_a_secret_out(answers: dict[str, list[bytes]]) -> None:
    for rpc in set(answers) - AUTHORS_FILES:
        for said_by_one in answers[rpc]:
            assert SECRET.encode() not in said_by_one, rpc


def test_what_was_planted_is_there_and_masked(answers: dict[str, list[bytes]]) -> None:
    for rpc in ("SkillSearch", "SkillGet", "SkillList", "SkillDirectory", "SkillPromote"):
        assert b"[REDACTED:EMAIL]" in answers[rpc][0], rpc


def test_a_skill_is_got_by_the_masked_name_that_it_is_listed_under(
    answers: dict[str, list[bytes]],
) -> None:
    got = pb.SkillGetResponse.FromString(answers["SkillGet"][3])
    assert [skill.card.name for skill in got.skills] == ["ask [REDACTED:EMAIL]"]
    report = answers["PackImport"][0]
    assert b"own:ask [REDACTED:EMAIL]" in report
    assert b"crew [REDACTED:EMAIL]/SKILL.md" in report


def test_the_author_s_files_leave_as_they_came(answers: dict[str, list[bytes]]) -> None:
    assert secret_skill("second").encode() in answers["SkillExport"][0]
    assert f"echo {SECRET}\n".encode() in answers["ArtifactGet"][0]


def test_no_rpc_names_a_tool_that_the_run_may_not_use(answers: dict[str, list[bytes]]) -> None:
    for rpc in set(answers) - AUTHORS_FILES:
        for said_by_one in answers[rpc]:
            assert TOOL.encode() not in said_by_one, rpc
            assert NEEDED_TOOL.encode() not in said_by_one, rpc
    assert NEEDED_TOOL.encode() not in b"".join(answers["SkillExport"])


def test_no_rpc_shows_anything_of_another_tenant(answers: dict[str, list[bytes]]) -> None:
    for rpc, all_said in answers.items():
        for said_by_one in all_said:
            assert FOREIGN.encode() not in said_by_one, rpc
            assert b"globex" not in said_by_one, rpc
            assert b"gus" not in said_by_one, rpc


def test_another_tenant_reads_nothing_of_the_owner_on_any_rpc(wire: Wire) -> None:
    wire.import_pack(archive(PACK), ANN, name="own", scope=pb.SCOPE_KIND_USER)
    reading = {
        "SkillSearch", "SkillGet", "SkillList", "SkillDirectory", "SkillExport", "ArtifactGet",
        "SkillHistory", "AuditList",
    }  # fmt: skip
    for rpc, made in calls(wire.stub).items():
        if rpc in reading:
            for call in made:
                heard = said(call, GUS)
                for planted in (b"maria", b"vault", b"torn", b"acme"):
                    assert planted not in heard, rpc
