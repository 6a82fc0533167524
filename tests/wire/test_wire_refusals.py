"""Every refusal has its code, its reason, its facts and a request id."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from catalog.catalog import Catalog
from server.settings import Limits
from skillcatalog.v1 import skillcatalog_pb2 as pb
from tests.wire.conftest import Start, Wire, archive, caller, refusal, skill_text

ANN = caller()
ADMIN = caller(roles="admin")
DEPLOY = {"deploy/SKILL.md": skill_text("deploy", "Roll a service out")}
HASH = "0" * 64


def _two_packs(wire: Wire) -> None:
    wire.import_skills(DEPLOY, ANN, name="one")
    other = {"deploy/SKILL.md": skill_text("deploy", "Roll a service out elsewhere")}
    wire.import_skills(other, ANN, name="two")


def _propose(wire: Wire, text: str, **fields: object) -> None:
    wire.stub.SkillPropose(pb.SkillProposeRequest(markdown=text, **fields), metadata=ANN)


def _overwrite(wire: Wire) -> None:
    wire.import_skills(DEPLOY, ANN)
    _propose(wire, DEPLOY["deploy/SKILL.md"])


def _get(wire: Wire, *names: str, **fields: object) -> None:
    wire.stub.SkillGet(pb.SkillGetRequest(names=names, **fields), metadata=ANN)


def _ambiguous(wire: Wire) -> None:
    _two_packs(wire)
    _get(wire, "deploy")


def _too_large(wire: Wire) -> None:
    wire.import_skills(DEPLOY, ANN)
    _get(wire, "deploy", max_tokens=1)


def _artifact(wire: Wire, reference: str) -> None:
    list(wire.stub.ArtifactGet(pb.ArtifactGetRequest(reference=reference), metadata=ANN))


def _changed_in_between(wire: Wire) -> None:
    _propose(wire, skill_text("flush", "Flush it"))
    _propose(wire, skill_text("flush", "Flush it twice"), expected_content_hash=HASH)


def _promote_onto_another(wire: Wire) -> None:
    for body in ("one", "two"):
        _propose(wire, skill_text("flush", f"Flush {body}"))
        request = pb.SkillPromoteRequest(name="flush", scope=pb.SCOPE_KIND_TENANT)
        wire.stub.SkillPromote(request, metadata=ANN)


REFUSALS: dict[str, tuple[Callable[[Wire], object], str, str]] = {
    "a caller without a tenant": (
        lambda wire: wire.search("x", ANN[1:]),
        "UNAUTHENTICATED",
        "IDENTITY_REQUIRED",
    ),
    "a reader who imports": (
        lambda wire: wire.import_skills(DEPLOY, caller(roles="reader")),
        "PERMISSION_DENIED",
        "ROLE_REQUIRED",
    ),
    "an importer who writes for everybody": (
        lambda wire: wire.import_skills(DEPLOY, ANN, scope=pb.SCOPE_KIND_GLOBAL),
        "PERMISSION_DENIED",
        "ROLE_REQUIRED",
    ),
    "an author who proposes for the whole tenant": (
        lambda wire: _propose(wire, skill_text("flush", "x"), scope=pb.SCOPE_KIND_TENANT),
        "PERMISSION_DENIED",
        "ROLE_REQUIRED",
    ),
    "a proposal without a name": (
        lambda wire: _propose(wire, "---\ndescription: Flush it\n---\nDo it."),
        "INVALID_ARGUMENT",
        "INVALID_SKILL",
    ),
    "a proposal that is only text": (
        lambda wire: _propose(wire, "Flush it, then go on."),
        "INVALID_ARGUMENT",
        "INVALID_SKILL",
    ),
    "a proposal in the name of a pack": (
        lambda wire: _propose(wire, skill_text("'tools:flush'", "Flush it")),
        "INVALID_ARGUMENT",
        "INVALID_SKILL",
    ),
    "a promotion onto another skill": (
        _promote_onto_another,
        "FAILED_PRECONDITION",
        "SKILL_EXISTS",
    ),
    "an unknown skill": (lambda wire: _get(wire, "absent"), "NOT_FOUND", "SKILL_NOT_FOUND"),
    "the history of an unknown skill": (
        lambda wire: wire.stub.SkillHistory(pb.SkillHistoryRequest(name="absent"), metadata=ANN),
        "NOT_FOUND",
        "SKILL_NOT_FOUND",
    ),
    "an unknown artifact": (
        lambda wire: _artifact(wire, f"artifact://sha256/{HASH}"),
        "NOT_FOUND",
        "ARTIFACT_NOT_FOUND",
    ),
    "a path for an artifact": (
        lambda wire: _artifact(wire, "../../etc/passwd"),
        "NOT_FOUND",
        "ARTIFACT_NOT_FOUND",
    ),
    "an empty query": (lambda wire: wire.search("", ANN), "INVALID_ARGUMENT", "INVALID_QUERY"),
    "a query without a word": (
        lambda wire: wire.search(" \t!? ", ANN),
        "INVALID_ARGUMENT",
        "INVALID_QUERY",
    ),
    "a query that is too long": (
        lambda wire: wire.search("word " * 2_000, ANN),
        "INVALID_ARGUMENT",
        "INVALID_QUERY",
    ),
    "a page token of nobody": (
        lambda wire: wire.search("x", ANN, page_token="zzz"),
        "INVALID_ARGUMENT",
        "INVALID_PAGE_TOKEN",
    ),
    "a page token of the audit trail that somebody made up": (
        lambda wire: wire.stub.AuditList(pb.AuditListRequest(page_token="12"), metadata=ADMIN),
        "INVALID_ARGUMENT",
        "INVALID_PAGE_TOKEN",
    ),
    "a name that two packs carry": (_ambiguous, "INVALID_ARGUMENT", "AMBIGUOUS_NAME"),
    "a proposal that is empty": (
        lambda wire: _propose(wire, " "),
        "INVALID_ARGUMENT",
        "INVALID_SKILL",
    ),
    "a proposal in both forms": (
        lambda wire: _propose(wire, "x", structured=pb.StructuredSkill(name="x")),
        "INVALID_ARGUMENT",
        "INVALID_SKILL",
    ),
    "a proposal with a key": (
        lambda wire: _propose(
            wire, skill_text("leak", "Leaks", "Use AKIAQ3EGVLX4N7TPWZ2M to log in.\n")
        ),
        "INVALID_ARGUMENT",
        "INVALID_SKILL",
    ),
    "a corrupt archive": (
        lambda wire: wire.import_pack(archive(DEPLOY)[:-40], ANN),
        "INVALID_ARGUMENT",
        "INVALID_PACK",
    ),
    "an archive without skills": (
        lambda wire: wire.import_skills({"notes.txt": "nothing here"}, ANN),
        "INVALID_ARGUMENT",
        "INVALID_PACK",
    ),
    "an archive without bytes": (
        lambda wire: wire.import_pack(b"", ANN),
        "INVALID_ARGUMENT",
        "INVALID_PACK",
    ),
    "an import that begins with a chunk": (
        lambda wire: list(
            wire.stub.PackImport(iter([pb.PackImportRequest(chunk=b"x")]), metadata=ANN)
        ),
        "INVALID_ARGUMENT",
        "INVALID_PACK",
    ),
    "an import of nothing": (
        lambda wire: list(wire.stub.PackImport(iter([]), metadata=ANN)),
        "INVALID_ARGUMENT",
        "INVALID_PACK",
    ),
    "a proposal under a pack skill's name": (
        _overwrite,
        "FAILED_PRECONDITION",
        "PACK_OVERWRITE_REFUSED",
    ),
    "a search by meaning without an embedder": (
        lambda wire: wire.search("x", ANN, mode=pb.SEARCH_MODE_SEMANTIC),
        "FAILED_PRECONDITION",
        "EMBEDDER_UNAVAILABLE",
    ),
    "a change of a version that is gone": (_changed_in_between, "ABORTED", "CONTENT_HASH_MISMATCH"),
    "a budget that nothing fits": (_too_large, "RESOURCE_EXHAUSTED", "SKILL_TOO_LARGE"),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_is_refused(wire: Wire, what: str) -> None:
    call, code, reason = REFUSALS[what]
    with refusal() as gave:
        call(wire)
    found = gave()
    assert (found.code, found.reason, found.domain) == (code, reason, "skillcatalog")
    assert len(found.request_id) == 32
    assert found.message


@pytest.mark.parametrize(
    ("rpc", "request_of"),
    [
        ("SkillSearch", lambda n: pb.SkillSearchRequest(query="x", limit=n)),
        ("SkillList", lambda n: pb.SkillListRequest(page_size=n)),
        ("SkillDirectory", lambda n: pb.SkillDirectoryRequest(max_entries=n)),
        ("SkillHistory", lambda n: pb.SkillHistoryRequest(name="x", page_size=n)),
        ("AuditList", lambda n: pb.AuditListRequest(page_size=n)),
    ],
)
@pytest.mark.parametrize("number", [-1, 0, 10_000])
def test_a_limit_out_of_range_is_refused_by_name(
    wire: Wire, rpc: str, request_of: Callable[[int], object], number: int
) -> None:
    with refusal() as gave:
        getattr(wire.stub, rpc)(request_of(number), metadata=ADMIN)
    assert gave().reason == "INVALID_QUERY"
    assert str(number) in gave().message
    assert gave().metadata["field"] in gave().message


@pytest.mark.parametrize(
    ("field", "fields"),
    [
        ("mode", {"mode": 77}),
        ("filters.scopes", {"filters": pb.Filters(scopes=[99])}),
        ("filters.origins", {"filters": pb.Filters(origins=[0])}),
        ("min_score", {"min_score": float("nan")}),
        ("min_score", {"min_score": 1.5}),
        ("max_tokens", {"max_tokens": -5}),
        ("filters.tags", {"filters": pb.Filters(tags=["x"] * 1_001)}),
    ],
)
def test_a_field_that_no_catalog_could_answer_is_named(
    wire: Wire, field: str, fields: dict[str, object]
) -> None:
    with refusal() as gave:
        wire.search("x", ANN, **fields)
    assert gave().code == "INVALID_ARGUMENT"
    assert gave().metadata["field"] == field


def test_names_to_choose_from_come_with_an_ambiguous_one(wire: Wire) -> None:
    with refusal() as gave:
        _ambiguous(wire)
    assert gave().metadata["candidates"] == "one:deploy, two:deploy"


def test_an_error_full_of_long_words_still_arrives(wire: Wire) -> None:
    long = "長" * 900
    for pack in ("one", "two", "three", "four"):
        wire.import_skills(
            {f"{pack}/SKILL.md": skill_text(long[:200], f"Long {pack}")}, ANN, name=pack
        )
    with refusal() as gave:
        _get(wire, long[:200])
    assert gave().reason == "AMBIGUOUS_NAME"


def test_an_archive_over_the_cap_is_refused_while_it_comes(start: Start) -> None:
    wire = start(limits=Limits(archive_bytes=100_000))
    with refusal() as gave:
        wire.import_pack(b"x" * 200_000, ANN)
    assert (gave().code, gave().reason) == ("RESOURCE_EXHAUSTED", "PACK_TOO_LARGE")
    assert gave().metadata["limit"] == "100000"


def test_a_client_that_stops_sending_loses_its_place(start: Start) -> None:
    wire = start(limits=Limits(upload_idle_seconds=0.2))
    never = threading.Event()

    def parts():
        yield pb.PackImportRequest(start=pb.PackImportRequest.Start(pack_name="slow"))
        never.wait(10)

    with refusal() as gave:
        list(wire.stub.PackImport(parts(), metadata=ANN))
    never.set()
    assert gave().reason == "DEADLINE_EXCEEDED"


def test_a_refused_import_writes_nothing(wire: Wire) -> None:
    with refusal():
        wire.import_pack(archive(DEPLOY)[:-40], ANN)
    assert not wire.stub.SkillList(pb.SkillListRequest(), metadata=ANN).cards


def test_a_failing_store_says_so_without_its_secrets(start: Start, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    wire = start(Catalog.open(f"sqlite:///{folder / 'skills.db'}"))
    wire.catalog.store.close()
    shutil.rmtree(folder)
    with refusal() as gave:
        wire.search("deploy", ANN)
    assert (gave().code, gave().reason) == ("UNAVAILABLE", "STORE_UNAVAILABLE")
    assert "SELECT" not in gave().message
    assert str(tmp_path) not in gave().message


def test_a_fault_of_ours_gives_an_id_and_nothing_else(start: Start) -> None:
    class Faulty(Catalog):
        def list(self, *_: object) -> object:
            raise KeyError("SELECT secret FROM /home/operator")

    wire = start(Faulty(Catalog.open("memory:").store))
    with refusal() as gave:
        wire.stub.SkillList(pb.SkillListRequest(), metadata=ANN)
    assert gave().code == "INTERNAL"
    assert "secret" not in gave().message
    assert "KeyError" not in gave().message
    assert gave().request_id in gave().message
