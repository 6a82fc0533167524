"""How long a search takes: in process, over gRPC, and beside what others use.

    python -m benchmarks.latency --packs DIR [DIR ...] [--queries FILE] [--format json]
    … --mode semantic --model FOLDER [--vectors FILE.npz]

Everything is measured in one run on the same skills and queries; the other engines answer one
any-token query over the skills' raw text (see `benchmarks.other_engines`). An uncached query
is one that this process has not been asked before; a cached one is asked again. Servers run in
processes of their own, with their usual log lines; each process answers the same queries after
the same others.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import quantiles

import grpc
from rich.console import Console
from rich.table import Table

from benchmarks.dataset import read_prompts, read_skills
from benchmarks.echo_server import ECHO
from benchmarks.grpc_processes import ServerProcess, catalog_server, echo_server
from benchmarks.other_engines import other_engines
from benchmarks.resident_memory import resident_megabytes
from catalog.catalog import Catalog
from catalog.identity import Identity, Role
from catalog.search.request import SearchMode, SearchRequest
from catalog.skill import Skill
from importer.importing import import_pack
from skillcatalog.v1 import skillcatalog_pb2 as pb
from skillcatalog.v1 import skillcatalog_pb2_grpc

LIMIT = 10
CONCURRENCY = 32
MOST_QUERIES = 900
WORDS_OF_A_DESCRIPTION = 9
IDENTITY = Identity("benchmark", "operator", "run", roles=frozenset({Role.ADMIN}))
METADATA = tuple(
    (f"x-skillcatalog-{part}", getattr(IDENTITY, part)) for part in ("tenant", "user", "session")
)


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds of a call; CPU of the process that worked; calls in a second; for a server
    what it held in memory after those calls."""

    p50: float
    p99: float
    cpu: float | None
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


def measure_by_meaning(
    packs: Sequence[Path],
    queries_file: Path | None,
    mode: SearchMode,
    model: str,
    vectors: Path | None,
) -> dict[str, Timing]:
    """In process, outside the model: queries are embedded before they are asked."""
    from benchmarks.embedding import embed_catalog, remembering_embedder

    queries = _queries(queries_file, read_skills(packs))
    embedder = remembering_embedder(model, vectors)
    catalog = Catalog.open("memory:", embedder=embedder)
    for pack in packs:
        import_pack(catalog, IDENTITY, pack)
    embed_catalog(catalog, embedder, queries)

    def search(query: str) -> None:
        catalog.search(IDENTITY, SearchRequest(query, limit=LIMIT, mode=mode))

    half = len(queries) // 2
    _timed(search, queries[:half])
    results = {
        "plain FAISS flat": _timed(embedder.flat_search(LIMIT), queries[half:]),
        f"in process, {mode}, uncached": _timed(search, queries[half:]),
        f"in process, {mode}, cached": _timed(search, queries[half:]),
    }
    catalog.close()
    return results


def measure(packs: Sequence[Path], queries_file: Path | None) -> dict[str, Timing]:
    """Every timing by its name, in the order in which it was measured."""
    skills = read_skills(packs)
    queries = _queries(queries_file, skills)
    # Other queries warm what is built on first use, the same ones in each process.
    warming, timed = queries[len(queries) // 3 :], queries[: len(queries) // 3]
    results = {name: _timed(engine, timed) for name, engine in other_engines(skills).items()}
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/skills.db"
        catalog = Catalog.open(url)
        for pack in packs:
            import_pack(catalog, IDENTITY, pack)

        def search(query: str) -> None:
            catalog.search(IDENTITY, SearchRequest(query, limit=LIMIT))

        _timed(search, warming)
        results["in process, uncached"] = _timed(search, timed)
        results["in process, cached"] = _timed(search, timed)
        catalog.close()
        for concurrency in (1, CONCURRENCY):
            with catalog_server(url) as server:
                results |= asyncio.run(_over_grpc(server, warming, timed, concurrency))
    with echo_server() as server:
        results |= asyncio.run(_echo(server, len(timed)))
    return results


def _queries(file: Path | None, skills: Sequence[Skill]) -> list[str]:
    if file is not None:
        found = [prompt.query for prompt in read_prompts(file)]
    else:
        found = [
            " ".join(skill.description.split()[:WORDS_OF_A_DESCRIPTION])
            for skill in skills
            if skill.description
        ]
    distinct = [query for query in dict.fromkeys(found) if re.search(r"\w", query)]
    step = max(1, len(distinct) // MOST_QUERIES)
    return distinct[::step][:MOST_QUERIES]


def _timed(search: Callable[[str], object], queries: Sequence[str]) -> Timing:
    seconds = []
    cpu, began = time.process_time(), time.perf_counter()
    for query in queries:
        at = time.perf_counter()
        search(query)
        seconds.append(time.perf_counter() - at)
    return _timing(seconds, time.process_time() - cpu, time.perf_counter() - began)


async def _over_grpc(
    server: ServerProcess, warming: Sequence[str], timed: Sequence[str], concurrency: int
) -> dict[str, Timing]:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        stub = skillcatalog_pb2_grpc.SkillCatalogStub(channel)

        async def search(query: str) -> None:
            await stub.SkillSearch(
                pb.SkillSearchRequest(query=query, limit=LIMIT), metadata=METADATA
            )

        await _timed_calls(server, search, warming, CONCURRENCY)
        return {
            f"gRPC at {concurrency}, {state}": await _timed_calls(
                server, search, timed, concurrency
            )
            for state in ("uncached", "cached")
        }


async def _echo(server: ServerProcess, calls: int) -> dict[str, Timing]:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        call = channel.unary_unary(ECHO)

        async def echo(_: str) -> None:
            await call(b"")

        await _timed_calls(server, echo, [""] * calls, CONCURRENCY)
        return {
            f"empty echo at {concurrency}": await _timed_calls(
                server, echo, [""] * calls, concurrency
            )
            for concurrency in (1, CONCURRENCY)
        }


async def _timed_calls(
    server: ServerProcess,
    call: Callable[[str], Awaitable[None]],
    queries: Sequence[str],
    concurrency: int,
) -> Timing:
    seconds: list[float] = []
    waiting = iter(queries)

    async def caller() -> None:
        for query in waiting:
            at = time.perf_counter()
            await call(query)
            seconds.append(time.perf_counter() - at)

    cpu, began = server.cpu_seconds(), time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(concurrency)))
    timing = _timing(seconds, server.cpu_seconds() - cpu, time.perf_counter() - began)
    return replace(timing, resident_megabytes=resident_megabytes(server.process_id))


def _timing(seconds: Sequence[float], cpu: float, elapsed: float) -> Timing:
    cuts = quantiles(seconds, n=100, method="inclusive")
    calls = len(seconds)
    return Timing(cuts[49] * 1000, cuts[98] * 1000, cpu / calls * 1000, calls / elapsed)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--packs", type=Path, nargs="+", required=True)
    parser.add_argument("--queries", type=Path, help="lines of JSON with `query`")
    parser.add_argument("--mode", type=SearchMode, default=SearchMode.LADDER)
    parser.add_argument("--model", default="", help="model of the modes semantic and hybrid")
    parser.add_argument("--vectors", type=Path, help="file that keeps what the model gave")
    parser.add_argument("--format", choices=("table", "json"), default="table")
    arguments = parser.parse_args()
    if arguments.mode is SearchMode.LADDER:
        results = measure(arguments.packs, arguments.queries)
    else:
        results = measure_by_meaning(
            arguments.packs,
            arguments.queries,
            arguments.mode,
            arguments.model,
            arguments.vectors,
        )
    if arguments.format == "json":
        print(json.dumps({name: timing.as_json() for name, timing in results.items()}))
        return
    table = Table("", "p50 ms", "p99 ms", "CPU ms a call", "calls a second", "resident MB")
    for name, timing in results.items():
        held = timing.resident_megabytes
        table.add_row(
            name,
            f"{timing.p50:.3f}",
            f"{timing.p99:.3f}",
            f"{timing.cpu:.3f}",
            f"{timing.throughput:,.0f}",
            "" if held is None else f"{held:.0f}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
