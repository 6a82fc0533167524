"""Calls from many callers at once, spread over several servers of one store."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle

import grpc

from benchmarks.grpc_processes import ServerProcess
from skillcatalog.v1 import skillcatalog_pb2 as pb
from skillcatalog.v1 import skillcatalog_pb2_grpc


@dataclass(frozen=True, slots=True)
class Load:
    """The time of each call, of all, and the CPU time of all servers' processes, in seconds."""

    calls: Sequence[float]
    elapsed: float
    cpu: float


def search_load(
    servers: Sequence[ServerProcess],
    metadata: Sequence[tuple[str, str]],
    queries: Sequence[str],
    concurrency: int,
) -> Load:
    return asyncio.run(_load(servers, metadata, queries, concurrency))


async def _load(
    servers: Sequence[ServerProcess],
    metadata: Sequence[tuple[str, str]],
    queries: Sequence[str],
    concurrency: int,
) -> Load:
    channels = [grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") for server in servers]
    stubs = [skillcatalog_pb2_grpc.SkillCatalogStub(channel) for channel in channels]

    async def ask(queries: Sequence[str]) -> list[float]:
        seconds: list[float] = []
        waiting = iter(queries)

        async def caller(stub: skillcatalog_pb2_grpc.SkillCatalogStub) -> None:
            for query in waiting:
                at = time.perf_counter()
                request = pb.SkillSearchRequest(query=query)
                await stub.SkillSearch(request, metadata=tuple(metadata))
                seconds.append(time.perf_counter() - at)

        callers = zip(range(concurrency), cycle(stubs), strict=False)
        await asyncio.gather(*(caller(stub) for _, stub in callers))
        return seconds

    cpu, began = _cpu(servers), time.perf_counter()
    calls = await ask(queries)
    load = Load(calls, time.perf_counter() - began, _cpu(servers) - cpu)
    for channel in channels:
        await channel.close(None)
    return load


def _cpu(servers: Sequence[ServerProcess]) -> float:
    return sum(server.cpu_seconds() for server in servers)
