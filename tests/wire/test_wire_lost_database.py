"""The database crashes under a running server and comes back: no request hangs, lies or halves."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from catalog.catalog import Catalog
from catalog.stores.open import open_store
from skillcatalog.v1 import skillcatalog_pb2 as pb
from tests.databases import MortalServer, execute
from tests.wire.conftest import Start, Wire, archive, caller, refused, skill_text

pytest.importorskip("psycopg")

ANN = caller()
LOST = ("UNAVAILABLE", "STORE_UNAVAILABLE")


@pytest.fixture
def mortal() -> Iterator[MortalServer]:
    with MortalServer.started() as server:
        yield server


@dataclass
class Served:
    """A server on a database that may crash."""

    database: MortalServer
    wire: Wire

    def is_serving(self) -> bool:
        asked = health_pb2_grpc.HealthStub(self.wire.channel).Check(
            health_pb2.HealthCheckRequest(), timeout=5
        )
        return bool(asked.status == health_pb2.HealthCheckResponse.SERVING)

    def import_pack(self, name: str, skills: int) -> Iterator[pb.PackImportResponse]:
        files: dict[str, str | bytes] = {
            f"{name}-{number}/SKILL.md": skill_text(f"{name}-{number}", "Fires the kiln slowly.")
            for number in range(skills)
        }
        parts = [
            pb.PackImportRequest(start=pb.PackImportRequest.Start(pack_name=name)),
            pb.PackImportRequest(chunk=archive(files)),
        ]
        yield from self.wire.stub.PackImport(iter(parts), metadata=ANN, timeout=120)

    def propose(self, name: str) -> str:
        markdown = skill_text(name, "Glazes the pot.")
        request = pb.SkillProposeRequest(markdown=markdown)
        return str(
            self.wire.stub.SkillPropose(request, metadata=ANN, timeout=20).card.qualified_name
        )

    def found(self) -> list[str]:
        request = pb.SkillSearchRequest(query="fires the kiln")
        hits = self.wire.stub.SkillSearch(request, metadata=ANN, timeout=20).hits
        return [hit.card.qualified_name for hit in hits]

    def until(self, serving: bool) -> None:
        deadline = time.monotonic() + 30
        while self.is_serving() is not serving:
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def assert_whole(self) -> None:
        """As the rows say themselves."""
        store = open_store(self.database.url)
        assert store.check() == []
        assert store.verify_audit("acme") is None
        store.close()


@pytest.fixture
def served(mortal: MortalServer, start: Start) -> Served:
    served = Served(mortal, start(Catalog.open(mortal.url)))
    list(served.import_pack("kiln", 3))
    return served


def outcome(call: Callable[[], object]) -> tuple[str, str]:
    try:
        call()
    except grpc.RpcError as error:
        refusal = refused(error)
        return refusal.code, refusal.reason
    return "OK", ""


@contextmanager
def without_a_pause(*calls: Callable[[], object]) -> Iterator[None]:
    """Each of the calls again and again, as long as the block takes."""
    ending = threading.Event()

    def run(call: Callable[[], object]) -> None:
        while not ending.is_set():
            call()

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ending.set()
        for thread in threads:
            thread.join()


def test_searches_are_refused_clearly_and_readiness_follows_the_database_down_and_up(
    served: Served,
) -> None:
    outcomes: Counter[tuple[str, str]] = Counter()

    def search() -> None:
        outcomes[outcome(served.found)] += 1

    assert served.is_serving()
    with without_a_pause(search, search, search):
        served.database.crash()
        served.until(serving=False)
        served.database.start_again()
        served.until(serving=True)
    assert set(outcomes) == {("OK", ""), LOST}
    assert len(served.found()) == 3


def test_a_server_that_nobody_calls_notices_too(served: Served) -> None:
    served.database.crash()
    served.until(serving=False)
    served.database.start_again()
    served.until(serving=True)
    assert len(served.found()) == 3


def test_an_import_that_loses_the_database_is_refused_and_leaves_nothing(served: Served) -> None:
    def import_that_loses_the_database() -> None:
        for event in served.import_pack("glaze", 1_500):
            if event.progress.skills_done:
                served.database.crash()

    before = rows(served)
    assert outcome(import_that_loses_the_database) == LOST
    assert outcome(lambda: list(served.import_pack("glaze", 3))) == LOST
    served.database.start_again()
    served.until(serving=True)
    assert rows(served) == before
    *_, last = served.import_pack("glaze", 3)
    assert last.report.added == 3
    served.assert_whole()


def test_proposals_that_lose_the_database_happened_whole_or_not_and_may_be_sent_again(
    served: Served,
) -> None:
    outcomes: dict[str, tuple[str, str]] = {}

    def proposer(number: int) -> Callable[[], None]:
        def propose() -> None:
            name = f"glaze-{number}-{len(outcomes)}"
            outcomes[name] = outcome(lambda: served.propose(name))

        return propose

    with without_a_pause(*(proposer(number) for number in range(3))):
        while sum(end == ("OK", "") for end in list(outcomes.values())) < 9:
            time.sleep(0.02)
        served.database.crash()
        served.until(serving=False)
        served.database.start_again()
        served.until(serving=True)
    assert set(outcomes.values()) == {("OK", ""), LOST}
    accepted = {name for name, end in outcomes.items() if end == ("OK", "")}
    kept = {str(row[0]) for row in execute("SELECT name FROM entry", served.database.url)}
    assert accepted <= kept
    served.assert_whole()
    for name in sorted(set(outcomes) - accepted)[:5]:
        assert served.propose(name)
    served.assert_whole()


def rows(served: Served) -> list[tuple[object, ...]]:
    tables = ("entry", "entry_tokens", "blob", "revision", "audit", "term_frequency")
    return [execute(f"SELECT count(*) FROM {table}", served.database.url)[0] for table in tables]
