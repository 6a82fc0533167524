"""A thousand clients at once: each sees all that is its own, nothing else, and no error.

Every skill carries the mark of the tenant or the user that alone may see it, and every answer
is searched, to the byte, for the marks of others.

`SKILLCATALOG_TEST_LOAD_SECONDS` says how long the clients go on.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import grpc
import pytest
from google.protobuf.message import Message

from skillcatalog.v1 import skillcatalog_pb2 as pb
from skillcatalog.v1.skillcatalog_pb2_grpc import SkillCatalogStub
from tests.wire.conftest import (
    Metadata,
    Refused,
    Serve,
    archive,
    caller,
    port_of,
    refused,
    skill_text,
)

SECONDS = float(os.environ.get("SKILLCATALOG_TEST_LOAD_SECONDS", "5"))
CLIENTS = 1_000
TENANTS = 25
TASKS = ("mend a net", "sharpen a blade", "bake a loaf", "bind a book")
A_MARK = re.compile(rb"(?:tenant|user)mark\d+x")
CALL_SECONDS = 120
ALONE = (("grpc.use_local_subchannel_pool", 1),)  # a connection that nobody shares

pytestmark = pytest.mark.timeout(120 + 4 * SECONDS)


@dataclass
class Client:
    """One user on a connection of its own, who checks every answer."""

    number: int
    stub: SkillCatalogStub
    proposed: list[str] = field(default_factory=list)
    calls: Counter[str] = field(default_factory=Counter)

    @property
    def tenant_mark(self) -> str:
        return tenant_mark(self.number % TENANTS)

    @property
    def user_mark(self) -> str:
        return f"usermark{self.number}x"

    @property
    def metadata(self) -> Metadata:
        return caller(
            tenant=f"tenant-{self.number % TENANTS}",
            user=f"user-{self.number}",
            session=f"session-{self.number}",
            roles="reader,author",
        )

    async def ask(self, rpc: str, request: Message) -> Message:
        answer: Message = await getattr(self.stub, rpc)(
            request, metadata=self.metadata, timeout=CALL_SECONDS
        )
        self.calls[rpc] += 1
        seen = {mark.decode() for mark in A_MARK.findall(answer.SerializeToString())}
        foreign = seen - {self.tenant_mark, self.user_mark}
        assert not foreign, f"{rpc} showed client {self.number} marks of others: {foreign}"
        return answer

    async def search(self) -> None:
        request = pb.SkillSearchRequest(query=TASKS[self.calls.total() % len(TASKS)])
        answer = await self.ask("SkillSearch", request)
        assert f"the mark {self.tenant_mark}" in answer.hits[0].card.description

    async def get(self) -> None:
        name = f"tools:{skill_name(TASKS[self.calls.total() % len(TASKS)])}"
        answer = await self.ask("SkillGet", pb.SkillGetRequest(names=[name]))
        assert self.tenant_mark in answer.text

    async def list(self) -> None:
        names = {card.qualified_name for card in (await self._listed()).cards}
        assert names == {*(f"tools:{skill_name(task)}" for task in TASKS), *self.proposed}

    async def directory(self) -> None:
        answer = await self.ask("SkillDirectory", pb.SkillDirectoryRequest(max_entries=100))
        assert len(answer.cards) == len(TASKS) + len(self.proposed)

    async def propose(self) -> None:
        """Write a skill that this user alone may see, and find it in the next calls."""
        number = len(self.proposed)
        description = f"Use to weigh parcel {number}, {self.user_mark} of {self.tenant_mark}."
        markdown = skill_text(f"parcel-{number}", description)
        answer = await self.ask("SkillPropose", pb.SkillProposeRequest(markdown=markdown))
        name = answer.card.qualified_name
        self.proposed.append(name)
        found = await self.ask("SkillSearch", pb.SkillSearchRequest(query=f"weigh parcel {number}"))
        assert name in [hit.card.qualified_name for hit in found.hits]
        got = await self.ask("SkillGet", pb.SkillGetRequest(names=[name]))
        assert self.user_mark in got.text

    async def _listed(self) -> pb.SkillListResponse:
        answer = await self.ask("SkillList", pb.SkillListRequest(page_size=1_000))
        assert isinstance(answer, pb.SkillListResponse)
        return answer


def tenant_mark(tenant: int) -> str:
    return f"tenantmark{tenant}x"


def skill_name(task: str) -> str:
    return task.replace(" ", "-")


def test_a_thousand_clients_read_and_write_at_once_without_an_error(serve: Serve) -> None:
    port = port_of(serve("--port", "0", "--log-level", "error"))

    async def load() -> Counter[str]:
        async with clients(port) as everybody:
            ends = time.monotonic() + SECONDS
            await asyncio.gather(*(until(ends, client) for client in everybody))
            # Nothing that was accepted is lost.
            await asyncio.gather(*(client.list() for client in everybody if client.proposed))
            return sum((client.calls for client in everybody), Counter())

    began = time.monotonic()
    calls = asyncio.run(load())
    print(f"{calls.total()} calls in {time.monotonic() - began:.1f} s: {dict(calls)}")
    assert min(calls[rpc] for rpc in RPCS) >= CLIENTS // 10


RPCS = ("SkillSearch", "SkillGet", "SkillList", "SkillDirectory", "SkillPropose")


async def until(ends: float, client: Client) -> None:
    """Every tenth client writes, the others read; each does all of its kind at least once."""
    reads = (client.search, client.get, client.list, client.directory)
    steps: tuple[Callable[[], Awaitable[None]], ...] = (
        (client.propose, client.search) if client.number % 10 == 0 else reads
    )
    done = 0
    while done < len(steps) or time.monotonic() < ends:
        await steps[(client.number + done) % len(steps)]()
        done += 1


def test_past_its_limits_a_server_refuses_cleanly_and_serves_on(
    serve: Serve, tmp_path: Path
) -> None:
    limits = {"threads": 2, "threads_per_tenant": 1, "queue": 20, "queue_per_tenant": 2}
    settings = "".join(f"{name} = {value}\n" for name, value in limits.items())
    (tmp_path / "skillcatalog.toml").write_text(settings)
    port = port_of(serve("--port", "0", "--log-level", "error"))

    async def flood() -> list[Refused | None]:
        async with clients(port) as everybody:
            outcomes = await asyncio.gather(*(outcome(client) for client in everybody * 3))
            for client in everybody[:TENANTS]:
                await client.get()
            return outcomes

    outcomes = asyncio.run(flood())
    refusals = [found for found in outcomes if found is not None]
    print(f"{len(outcomes) - len(refusals)} answered, {len(refusals)} refused")
    assert 0 < len(refusals) < len(outcomes)
    for found in refusals:
        assert (found.code, found.reason) == ("RESOURCE_EXHAUSTED", "OVERLOADED")
        assert found.metadata == {"queue": "20", "queue_per_tenant": "2"}


async def outcome(client: Client) -> Refused | None:
    """How the call was refused; None where it was answered, and rightly."""
    try:
        await client.search()
    except grpc.aio.AioRpcError as error:
        return refused(error)
    return None


@asynccontextmanager
async def clients(port: int) -> AsyncIterator[list[Client]]:
    """Everybody on a connection of their own, on a catalog with one pack a tenant."""
    async with AsyncExitStack() as stack:
        channels = [
            await stack.enter_async_context(
                grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=ALONE)
            )
            for _ in range(CLIENTS)
        ]
        await asyncio.gather(*(channel.channel_ready() for channel in channels))
        stubs = [SkillCatalogStub(channel) for channel in channels]
        for tenant in range(TENANTS):
            await import_pack(stubs[tenant], tenant)
        yield [Client(number, stub) for number, stub in enumerate(stubs)]


async def import_pack(stub: SkillCatalogStub, tenant: int) -> None:
    """The same skills for every tenant, but for the mark."""
    mark = tenant_mark(tenant)
    pack = archive(
        {
            f"{skill_name(task)}/SKILL.md": skill_text(
                skill_name(task), f"Use to {task}. It has the mark {mark}.", f"# How\n\n{mark}\n"
            )
            for task in TASKS
        }
    )
    parts = [
        pb.PackImportRequest(start=pb.PackImportRequest.Start(pack_name="tools")),
        pb.PackImportRequest(chunk=pack),
    ]
    who = caller(tenant=f"tenant-{tenant}", roles="importer")
    events = [event async for event in stub.PackImport(iter(parts), metadata=who)]
    assert events[-1].report.added == len(TASKS)
