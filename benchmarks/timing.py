"""Times of calls, gathered in rounds so that all rows share what the machine does meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from statistics import quantiles

from benchmarks.grpc_processes import ServerProcess
from benchmarks.resident_memory import resident_megabytes


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds of a call; CPU of the process that worked; calls in a second; for a server
    what it held in memory after those calls."""

    p50: float
    p99: float
    cpu: float
    throughput: float
    resident_megabytes: float | None = None

    def as_json(self) -> dict[str, float | None]:
        return {
            "p50_ms": self.p50,
            "p99_ms": self.p99,
            "cpu_ms": self.cpu,
            "per_second": self.throughput,
            "resident_megabytes": self.resident_megabytes,
        }


@dataclass(frozen=True, slots=True)
class Round:
    """Seconds of each call of one round, of the CPU for all, and until all were done."""

    calls: Sequence[float]
    cpu: float
    elapsed: float
    resident_megabytes: float | None = None


def timing_of(rounds: Sequence[Round]) -> Timing:
    calls = [seconds for part in rounds for seconds in part.calls]
    cuts = quantiles(calls, n=100, method="inclusive")
    return Timing(
        cuts[49] * 1000,
        cuts[98] * 1000,
        sum(part.cpu for part in rounds) / len(calls) * 1000,
        len(calls) / sum(part.elapsed for part in rounds),
        rounds[-1].resident_megabytes,
    )


def timed(search: Callable[[str], object], queries: Sequence[str]) -> Round:
    """Calls in this process, one after the other."""
    calls = []
    cpu, began = time.process_time(), time.perf_counter()
    for query in queries:
        at = time.perf_counter()
        search(query)
        calls.append(time.perf_counter() - at)
    return Round(calls, time.process_time() - cpu, time.perf_counter() - began)


async def timed_calls(
    server: ServerProcess,
    call: Callable[[str], Awaitable[None]],
    queries: Sequence[str],
    concurrency: int,
) -> Round:
    """Calls of a server, as many at once."""
    calls: list[float] = []
    waiting = iter(queries)

    async def caller() -> None:
        for query in waiting:
            at = time.perf_counter()
            await call(query)
            calls.append(time.perf_counter() - at)

    cpu, began = server.cpu_seconds(), time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(concurrency)))
    elapsed = time.perf_counter() - began
    return Round(calls, server.cpu_seconds() - cpu, elapsed, resident_megabytes(server.process_id))
