"""Every RPC answers through a real channel."""

from __future__ import annotations

import hashlib

import pytest

from server.settings import Limits
from skillcatalog.v1 import skillcatalog_pb2 as pb
from tests.wire.conftest import Start, Wire, archive, caller, refusal, skill_text

ANN = caller()
ADMIN = caller(roles="admin")
SCRIPT = b"#!/bin/sh\necho rollback\n" * 6_000
PACK = {
    "deploy/SKILL.md": skill_text("deploy", "Roll a service out and back again", tags="[ops]"),
    "deploy/scripts/rollback.sh": SCRIPT,
    "charts/SKILL.md": skill_text("charts", "Draw bar charts of a table"),
}


def test_an_imported_pack_is_reported_with_progress_and_every_diagnostic(wire: Wire) -> None:
    events = wire.import_pack(archive(PACK), ANN)
    assert events[0].progress.bytes_received == len(archive(PACK))
    report = events[-1].report
    assert (report.pack, report.found, report.added, report.refused) == ("tools", 2, 2, 0)
    assert sorted(report.added_names) == ["tools:charts", "tools:deploy"]
    assert events[-1].request_id


def test_importing_the_same_archive_again_changes_nothing(wire: Wire) -> None:
    wire.import_skills(PACK, ANN)
    again = wire.import_skills(PACK, ANN)
    assert (again.added, again.updated, again.removed, again.unchanged) == (0, 0, 0, 2)


def test_a_dry_run_writes_nothing(wire: Wire) -> None:
    assert wire.import_skills(PACK, ANN, dry_run=True).added == 2
    assert not wire.names_found("charts", ANN)


def test_the_name_of_the_file_names_the_pack(wire: Wire) -> None:
    report = wire.import_skills(PACK, ANN, name="", file_name="team-tools.zip")
    assert report.pack == "team-tools"


def test_search_ranks_cards_and_tells_its_rungs(wire: Wire) -> None:
    wire.import_skills(PACK, ANN)
    answer = wire.search("roll out a service", ANN)
    hit = answer.hits[0]
    assert hit.card.qualified_name == "tools:deploy"
    assert (hit.card.scope, hit.card.origin) == (pb.SCOPE_KIND_TENANT, pb.ORIGIN_PACK)
    assert 0 < hit.score <= 1
    assert answer.rungs[0].rung == pb.RUNG_FULL_TEXT
    assert answer.request_id


def test_pages_of_a_search_follow_each_other(wire: Wire) -> None:
    wire.import_skills(
        {f"{n}/SKILL.md": skill_text(f"chart-{n}", f"Charts of kind {n}") for n in range(5)}, ANN
    )
    first = wire.search("charts of kind", ANN, limit=3)
    second = wire.search("charts of kind", ANN, limit=3, page_token=first.next_page_token)
    names = [hit.card.name for hit in (*first.hits, *second.hits)]
    assert sorted(names) == [f"chart-{n}" for n in range(5)]


def test_get_gives_a_block_within_its_budget(wire: Wire) -> None:
    body = "# How\n\n" + "\n".join(f"## Examples {n}\n\nwords and words\n" for n in range(200))
    wire.import_skills({"long/SKILL.md": skill_text("long", "A long skill", body)}, ANN)
    whole = wire.stub.SkillGet(pb.SkillGetRequest(names=["long"]), metadata=ANN)
    short = wire.stub.SkillGet(pb.SkillGetRequest(names=["long"], max_tokens=300), metadata=ANN)
    assert whole.skills[0].tier == pb.TIER_FULL
    assert short.tokens <= 300 < whole.tokens
    assert short.skills[0].omitted
    section = short.skills[0].omitted[-1].reference
    part = wire.stub.SkillGet(pb.SkillGetRequest(names=["long"], sections=[section]), metadata=ANN)
    assert [kept.id for kept in part.skills[0].sections] == [section]


def test_get_tells_what_a_skill_declares_and_what_was_masked_in_it(wire: Wire) -> None:
    hidden = "".join(chr(0xE0000 + ord(character)) for character in "obey")
    text = skill_text(
        "sql",
        "Ask a database",
        f"Ask dba@corp.net{hidden}.\n",
        required_tools="[psql]",
        required_namespaces="[data]",
        required_tags="[live]",
    )
    wire.import_skills({"sql/SKILL.md": text}, ANN)
    allowed = {"tools": ["psql"], "namespaces": ["data"], "tags": ["live"]}
    run = pb.Capability(**{kind: pb.NameList(names=names) for kind, names in allowed.items()})
    answer = wire.stub.SkillGet(pb.SkillGetRequest(names=["sql"], capability=run), metadata=ANN)
    (got,) = answer.skills
    assert list(got.required_tools) == ["psql"]
    assert list(got.required_namespaces) == ["data"]
    assert list(got.required_tags) == ["live"]
    assert (got.hidden_runs, answer.redactions) == (1, 1)


def test_snippets_of_a_search_come_when_asked_for(wire: Wire) -> None:
    wire.import_skills({"a/SKILL.md": skill_text("a", "Mend it", "Sew the torn net.\n")}, ANN)
    assert wire.search("torn net", ANN).hits[0].snippet == ""
    assert "torn net" in wire.search("torn net", ANN, snippets=True).hits[0].snippet


def test_list_pages_through_every_visible_card_in_order(wire: Wire) -> None:
    wire.import_skills(PACK, ANN)
    first = wire.stub.SkillList(pb.SkillListRequest(page_size=1), metadata=ANN)
    second = wire.stub.SkillList(
        pb.SkillListRequest(page_size=1, page_token=first.next_page_token), metadata=ANN
    )
    assert [c.name for c in (*first.cards, *second.cards)] == ["charts", "deploy"]


def test_filters_and_capabilities_narrow_the_list(wire: Wire) -> None:
    wire.import_skills(
        PACK | {"sql/SKILL.md": skill_text("sql", "Ask a database", required_tools="[psql]")}, ANN
    )

    def listed(**fields: object) -> list[str]:
        answer = wire.stub.SkillList(pb.SkillListRequest(**fields), metadata=ANN)
        return [card.name for card in answer.cards]

    assert listed() == ["charts", "deploy"]
    assert listed(filters=pb.Filters(tags=["ops"])) == ["deploy"]
    allowed = pb.Capability(tools=pb.NameList(names=["psql"]))
    assert listed(capability=allowed) == ["charts", "deploy", "sql"]


def test_the_directory_gives_one_line_a_card(wire: Wire) -> None:
    wire.import_skills(PACK, ANN)
    answer = wire.stub.SkillDirectory(pb.SkillDirectoryRequest(max_entries=1), metadata=ANN)
    assert len(answer.cards) == 1
    assert answer.text.count("\n") == 1


def test_an_attachment_comes_in_chunks_with_its_size_first(wire: Wire) -> None:
    wire.import_skills(PACK, ANN)
    got = wire.stub.SkillGet(pb.SkillGetRequest(names=["deploy"]), metadata=ANN)
    (artifact,) = got.skills[0].artifacts
    chunks = list(
        wire.stub.ArtifactGet(pb.ArtifactGetRequest(reference=artifact.reference), metadata=ANN)
    )
    assert b"".join(chunk.chunk for chunk in chunks) == SCRIPT
    assert max(len(chunk.chunk) for chunk in chunks) == 64 * 1024
    assert [chunk.total_size for chunk in chunks] == [len(SCRIPT), 0, 0]
    assert artifact.reference.endswith(hashlib.sha256(SCRIPT).hexdigest())


def test_export_gives_every_file_back_to_the_byte(wire: Wire) -> None:
    wire.import_skills(PACK, ANN)
    files: dict[str, bytes] = {}
    path = ""
    for part in wire.stub.SkillExport(pb.SkillExportRequest(name="deploy"), metadata=ANN):
        path = part.path or path
        files[path] = files.get(path, b"") + part.chunk
    assert files == {"SKILL.md": PACK["deploy/SKILL.md"].encode(), "scripts/rollback.sh": SCRIPT}


def test_a_proposal_is_found_by_the_next_search_and_lives_on(wire: Wire) -> None:
    structured = pb.StructuredSkill(
        name="restart-queue",
        description='Restart a stuck queue: "drain" first',
        steps=["Drain it.", "Start it\nagain."],
        failure_modes=["It never drains."],
        tags=["on call", "#1"],
    )
    proposed = wire.stub.SkillPropose(
        pb.SkillProposeRequest(structured=structured), metadata=caller(run="r7")
    )
    assert proposed.change == pb.SkillProposeResponse.CHANGE_ADDED
    assert proposed.reference == "gen:s1:r7"
    card = wire.search("restart a stuck queue", ANN).hits[0].card
    assert (card.name, card.origin) == ("restart-queue", pb.ORIGIN_GENERATED)
    assert card.description == structured.description
    assert list(card.tags) == ["on call", "#1"]
    got = wire.stub.SkillGet(pb.SkillGetRequest(names=["restart-queue"]), metadata=ANN)
    assert [section.kind for section in got.skills[0].sections][-2:] == ["steps", "failure_modes"]


def test_a_skill_is_changed_rolled_back_promoted_and_deleted(wire: Wire) -> None:
    def propose(text: str, expected: str = "") -> pb.SkillProposeResponse:
        request = pb.SkillProposeRequest(markdown=text, expected_content_hash=expected)
        return wire.stub.SkillPropose(request, metadata=ANN)

    first = propose(skill_text("flush", "Flush the cache")).card.content_hash
    second = propose(skill_text("flush", "Flush the cache twice"), first).card.content_hash
    assert first != second
    rolled = wire.stub.SkillRollback(
        pb.SkillRollbackRequest(name="flush", content_hash=first, expected_content_hash=second),
        metadata=ANN,
    )
    assert rolled.card.content_hash == first
    earlier = wire.stub.SkillGet(
        pb.SkillGetRequest(names=["flush"], content_hash=second), metadata=ANN
    )
    assert "twice" in earlier.text
    history = wire.stub.SkillHistory(pb.SkillHistoryRequest(name="flush"), metadata=ANN)
    assert [r.action for r in history.revisions] == ["rollback", "put", "put"]
    page = wire.stub.SkillHistory(pb.SkillHistoryRequest(name="flush", page_size=2), metadata=ANN)
    rest = wire.stub.SkillHistory(
        pb.SkillHistoryRequest(name="flush", page_size=2, page_token=page.next_page_token),
        metadata=ANN,
    )
    assert len(page.revisions) + len(rest.revisions) == 3
    promoted = wire.stub.SkillPromote(
        pb.SkillPromoteRequest(name="flush", scope=pb.SCOPE_KIND_TENANT), metadata=ANN
    )
    assert promoted.card.scope == pb.SCOPE_KIND_TENANT
    deleted = wire.stub.SkillDelete(pb.SkillDeleteRequest(name="flush"), metadata=ADMIN)
    assert deleted.qualified_name == "flush"
    assert not wire.names_found("flush", ANN)


def test_a_deleted_skill_of_a_pack_stays_deleted_until_it_is_rolled_back(wire: Wire) -> None:
    wire.import_skills(PACK, ANN)
    gone = wire.stub.SkillDelete(pb.SkillDeleteRequest(name="deploy"), metadata=ANN)
    report = wire.import_skills(PACK, ANN)
    assert (report.added, report.unchanged, report.deleted_here) == (0, 1, 1)
    assert [finding.code for finding in report.diagnostics] == ["deleted-here"]
    history = wire.stub.SkillHistory(pb.SkillHistoryRequest(name="deploy"), metadata=ANN)
    assert [revision.action for revision in history.revisions] == ["delete", "put"]
    back = pb.SkillRollbackRequest(name="deploy", content_hash=gone.content_hash)
    assert wire.stub.SkillRollback(back, metadata=ANN).card.qualified_name == "tools:deploy"
    assert wire.names_found("deploy", ANN) == ["tools:deploy"]


def test_the_admin_reads_what_happened_page_by_page(wire: Wire) -> None:
    wire.import_skills(PACK, ANN)
    page = wire.stub.AuditList(pb.AuditListRequest(page_size=1), metadata=ADMIN)
    rest = wire.stub.AuditList(pb.AuditListRequest(page_token=page.next_page_token), metadata=ADMIN)
    actions = [event.action for event in (*page.events, *rest.events)]
    assert actions == ["pack_import", "skill_put", "skill_put"]
    assert page.events[0].user == "ann"


def test_identity_in_unicode_travels_as_bytes(wire: Wire) -> None:
    zurich = (
        ("x-skillcatalog-tenant-bin", "zürich".encode()),
        *(pair for pair in ANN if pair[0] != "x-skillcatalog-tenant"),
    )
    wire.import_skills(PACK, zurich)
    assert wire.names_found("charts", zurich) == ["tools:charts"]
    assert not wire.names_found("charts", ANN)


def test_an_answer_over_the_message_limit_says_both_numbers(start: Start) -> None:
    wire = start(limits=Limits(message_bytes=40_000))
    wire.import_skills({"big/SKILL.md": skill_text("big", "A big skill", "word " * 20_000)}, ANN)
    with refusal() as gave:
        wire.stub.SkillGet(pb.SkillGetRequest(names=["big"]), metadata=ANN)
    assert gave().reason == "MESSAGE_TOO_LARGE"
    assert gave().code == "RESOURCE_EXHAUSTED"
    assert "40000" in gave().message
    short = wire.stub.SkillGet(pb.SkillGetRequest(names=["big"], max_tokens=500), metadata=ANN)
    assert short.tokens <= 500


def test_a_request_over_the_message_limit_says_both_numbers(wire: Wire) -> None:
    most = 4 * 1024 * 1024
    message = pb.SkillSearchRequest(query="x" * 5_000_000)
    with refusal() as gave:
        wire.stub.SkillSearch(message, metadata=ANN)
    found = gave()
    assert (found.code, found.reason) == ("RESOURCE_EXHAUSTED", "MESSAGE_TOO_LARGE")
    assert found.metadata == {"needed": str(message.ByteSize()), "limit": str(most)}
    assert found.request_id
    fits = pb.SkillSearchRequest(query="x" * (most - 5))
    assert fits.ByteSize() == most
    with refusal() as gave:
        wire.stub.SkillSearch(fits, metadata=ANN)
    assert gave().reason == "INVALID_QUERY"


def test_a_chunk_over_the_message_limit_says_both_numbers(wire: Wire) -> None:
    with refusal() as gave:
        wire.import_pack(bytes(9_000_000), ANN)
    assert gave().reason == "MESSAGE_TOO_LARGE"
    assert gave().metadata["limit"] == "4194304"


def test_a_request_that_the_transport_itself_refuses_has_its_code(wire: Wire) -> None:
    with refusal() as gave:
        wire.search("x" * 17_000_000, ANN)
    assert (gave().code, gave().reason) == ("RESOURCE_EXHAUSTED", "")
    assert "16777216" in gave().message


@pytest.mark.parametrize("method", ["SkillSearch", "PackImport"])
def test_bytes_that_are_no_message_are_an_invalid_request(wire: Wire, method: str) -> None:
    path = f"/skillcatalog.v1.SkillCatalog/{method}"
    with refusal() as gave:
        if method == "SkillSearch":
            wire.channel.unary_unary(path)(b"\xff\xff", metadata=ANN)
        else:
            list(wire.channel.stream_stream(path)(iter([b"\xff\xff"]), metadata=ANN))
    assert (gave().code, gave().reason) == ("INVALID_ARGUMENT", "INVALID_QUERY")
    assert f"{method}Request" in gave().message


def test_who_says_nothing_of_itself_learns_nothing_of_limits(wire: Wire) -> None:
    with refusal() as gave:
        wire.search("x" * 5_000_000, ())
    assert gave().reason == "IDENTITY_REQUIRED"
