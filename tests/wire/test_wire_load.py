"""A server with more callers than it can serve: deadlines, queues, turns, and health."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent import futures
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from catalog.catalog import Catalog
from catalog.errors import DeadlineExceeded, Overloaded
from catalog.requests import ListAnswer
from server.settings import Limits
from server.token_bucket import TokenBuckets
from server.work_lane import WorkLane
from skillcatalog.v1 import skillcatalog_pb2 as pb
from tests.wire.conftest import Start, Wire, caller, refusal

ANN, GUS = caller("acme"), caller("globex")


class SlowCatalog(Catalog):
    """Lists in small steps until it is let go; everything else is as fast as ever."""

    def __init__(self) -> None:
        super().__init__(Catalog.open("memory:").store)
        self.begun: list[str] = []
        self.stopped: list[str] = []
        self.let_go = threading.Event()

    def list(self, identity: Any, request: Any, checkpoint: Any = None) -> ListAnswer:
        self.begun.append(identity.tenant)
        try:
            while not self.let_go.wait(0.01):
                checkpoint()
        except DeadlineExceeded:
            self.stopped.append(identity.tenant)
            raise
        return ListAnswer(())


def listing(wire: Wire, metadata: Any, timeout: float | None = None) -> Any:
    return wire.stub.SkillList.future(pb.SkillListRequest(), metadata=metadata, timeout=timeout)


def until(true: Any) -> None:
    ends = time.monotonic() + 10
    while not true():
        assert time.monotonic() < ends, "it never came"
        time.sleep(0.005)


def test_work_stops_at_its_next_step_when_the_deadline_has_passed(start: Start) -> None:
    catalog = SlowCatalog()
    wire = start(catalog)
    with refusal() as gave:
        wire.stub.SkillList(pb.SkillListRequest(), metadata=ANN, timeout=0.2)
    assert gave().code == "DEADLINE_EXCEEDED"
    until(lambda: catalog.stopped == ["acme"])


def test_work_stops_when_the_caller_has_gone(start: Start) -> None:
    catalog = SlowCatalog()
    wire = start(catalog)
    call = listing(wire, ANN)
    until(lambda: catalog.begun)
    call.cancel()
    until(lambda: catalog.stopped == ["acme"])


def test_abandoned_calls_hold_up_nobody(start: Start) -> None:
    catalog = SlowCatalog()
    wire = start(catalog, limits=Limits(threads=2, threads_per_tenant=2))
    calls = [listing(wire, ANN, timeout=0.2) for _ in range(6)]
    for call in calls:
        assert call.exception().code() is grpc.StatusCode.DEADLINE_EXCEEDED
    began = time.monotonic()
    wire.stub.SkillSearch(pb.SkillSearchRequest(query="x"), metadata=ANN, timeout=5)
    assert time.monotonic() - began < 2
    assert len(catalog.begun) <= 6


def test_health_answers_while_every_thread_is_taken(start: Start) -> None:
    catalog = SlowCatalog()
    wire = start(catalog, limits=Limits(threads=2, threads_per_tenant=2))
    calls = [listing(wire, ANN) for _ in range(20)]
    until(lambda: len(catalog.begun) == 2)
    health = health_pb2_grpc.HealthStub(wire.channel)
    answer = health.Check(health_pb2.HealthCheckRequest(), timeout=2)
    assert answer.status == health_pb2.HealthCheckResponse.SERVING
    catalog.let_go.set()
    assert all(call.result() for call in calls)


def test_calls_past_the_queue_are_refused_at_once(start: Start) -> None:
    catalog = SlowCatalog()
    limits = Limits(threads=1, threads_per_tenant=1, queue=2, queue_per_tenant=2)
    wire = start(catalog, limits=limits)
    calls = [listing(wire, ANN) for _ in range(3)]
    until(lambda: wire.server._work.waiting == 2)
    with refusal() as gave:
        wire.stub.SkillList(pb.SkillListRequest(), metadata=ANN)
    assert (gave().code, gave().reason) == ("RESOURCE_EXHAUSTED", "OVERLOADED")
    assert gave().metadata == {"queue": "2", "queue_per_tenant": "2"}
    catalog.let_go.set()
    assert all(call.result() for call in calls)


def test_a_slow_tenant_does_not_starve_another(start: Start) -> None:
    catalog = SlowCatalog()
    wire = start(catalog, limits=Limits(threads=3, threads_per_tenant=2))
    slow = [listing(wire, ANN) for _ in range(30)]
    until(lambda: len(catalog.begun) == 2)
    for _ in range(5):
        wire.stub.SkillSearch(pb.SkillSearchRequest(query="x"), metadata=GUS, timeout=5)
    catalog.let_go.set()
    assert all(call.result() for call in slow)


def test_a_tenant_that_calls_too_often_is_told_its_rate(start: Start) -> None:
    wire = start(limits=Limits(rate_per_tenant=0.01, burst_per_tenant=3))
    for _ in range(3):
        wire.search("x", ANN)
    with refusal() as gave:
        wire.search("x", ANN)
    assert gave().reason == "OVERLOADED"
    assert gave().metadata["burst_per_tenant"] == "3"
    wire.search("x", GUS)


def test_a_bucket_fills_at_its_rate_and_no_further_than_its_burst() -> None:
    now = [0.0]
    buckets = TokenBuckets(2.0, 2, lambda: now[0])
    assert [buckets.take("a") for _ in range(3)] == [True, True, False]
    now[0] = 0.5
    assert [buckets.take("a") for _ in range(2)] == [True, False]
    now[0] = 100
    assert [buckets.take("a") for _ in range(3)] == [True, True, False]


class TestWorkLane:
    def lane(self, **limits: int) -> WorkLane:
        usual = {"threads": 1, "threads_per_tenant": 1, "queue": 100, "queue_per_tenant": 100}
        return WorkLane("test", **(usual | limits))

    def test_waiting_tenants_take_turns(self) -> None:
        async def run() -> list[str]:
            lane, order = self.lane(), []
            gate = threading.Event()
            first = asyncio.ensure_future(lane.run("a", gate.wait))
            await asyncio.sleep(0)
            calls = [
                lane.run(tenant, lambda tenant=tenant: order.append(tenant))
                for tenant in ("a", "a", "a", "b", "b", "c")
            ]
            waiting = asyncio.gather(*calls)
            await asyncio.sleep(0)
            gate.set()
            await asyncio.gather(first, waiting)
            return order

        assert asyncio.run(run()) == ["a", "b", "c", "a", "b", "a"]

    def test_what_is_cancelled_while_it_waits_never_starts_and_leaves_its_place(self) -> None:
        async def run() -> tuple[list[str], int, int]:
            lane, ran = self.lane(queue=1), []
            gate = threading.Event()
            first = asyncio.ensure_future(lane.run("a", gate.wait))
            await asyncio.sleep(0)
            second = asyncio.ensure_future(lane.run("a", lambda: ran.append("second")))
            await asyncio.sleep(0)
            with pytest.raises(Overloaded):
                await lane.run("b", lambda: None)
            second.cancel()
            await asyncio.wait({second})
            third = asyncio.ensure_future(lane.run("b", lambda: ran.append("third")))
            await asyncio.sleep(0)
            gate.set()
            await asyncio.gather(first, third)
            return ran, lane.running, lane.waiting

        assert asyncio.run(run()) == (["third"], 0, 0)

    def test_a_thread_stays_taken_until_cancelled_work_ends(self) -> None:
        async def run() -> None:
            lane = self.lane()
            gate = threading.Event()
            first = asyncio.ensure_future(lane.run("a", gate.wait))
            await asyncio.sleep(0.01)
            first.cancel()
            await asyncio.wait({first})
            assert lane.running == 1
            second = asyncio.ensure_future(lane.run("b", lambda: "done"))
            gate.set()
            assert await second == "done"

        asyncio.run(run())

    def test_an_error_of_the_work_is_the_caller_s(self) -> None:
        async def run() -> None:
            with pytest.raises(Overloaded):
                await self.lane().run("a", lambda: _raise(Overloaded("no")))

        asyncio.run(run())


def _raise(error: Exception) -> None:
    raise error


def test_many_clients_at_once_each_get_their_own_answer(start: Start) -> None:
    from tests.wire.conftest import skill_text

    wire = start()
    tenants = [caller(f"t{n}", roles="admin") for n in range(6)]
    for n, who in enumerate(tenants):
        wire.import_skills({"s/SKILL.md": skill_text(f"way-{n}", "Mend a net")}, who)

    def ask(n: int) -> bool:
        return wire.names_found("mend a net", tenants[n % 6]) == [f"tools:way-{n % 6}"]

    with futures.ThreadPoolExecutor(32) as pool:
        assert all(pool.map(ask, range(600)))
