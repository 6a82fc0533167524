"""How long a search takes: in process, over gRPC, and beside what others use.

    python -m benchmarks.latency --packs DIR [DIR ...] [--queries FILE] [--format json]
    … --mode semantic --model FOLDER [--vectors FILE.npz]

Everything is measured in one run on the same skills and queries; the other engines answer one
any-token query over the skills' raw text (see `benchmarks.other_engines`). An uncached query
is one that this process has not been asked before; a cached one is asked again. Servers run in
processes of their own, with their usual log lines; all answer the same queries after the same
others, by turns, so that each row shares with its baseline what else the machine does.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import grpc
from rich.console import Console
from rich.table import Table

from benchmarks.dataset import read_prompts, read_skills
from benchmarks.echo_server import ECHO
from benchmarks.grpc_processes import ServerProcess, catalog_server, echo_server
from benchmarks.other_engines import other_engines
from benchmarks.timing import Round, Timing, timed, timed_calls, timing_of
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
QUERIES_A_ROUND = 50
Call = Callable[[str], Awaitable[None]]
IDENTITY = Identity("benchmark", "operator", "run", roles=frozenset({Role.ADMIN}))
METADATA = tuple(
    (f"x-skillcatalog-{part}", getattr(IDENTITY, part)) for part in ("tenant", "user", "session")
)


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
    timed(search, queries[:half])
    rounds = {
        "plain FAISS flat": timed(embedder.flat_search(LIMIT), queries[half:]),
        f"in process, {mode}, uncached": timed(search, queries[half:]),
        f"in process, {mode}, cached": timed(search, queries[half:]),
    }
    catalog.close()
    return {name: timing_of([part]) for name, part in rounds.items()}


def measure(packs: Sequence[Path], queries_file: Path | None) -> dict[str, Timing]:
    """Every timing by its name."""
    skills = read_skills(packs)
    queries = _queries(queries_file, skills)
    # Other queries warm what is built on first use, the same ones in each process.
    warming, asked = queries[len(queries) // 3 :], queries[: len(queries) // 3]
    engines = {name: timed(engine, asked) for name, engine in other_engines(skills).items()}
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/skills.db"
        catalog = Catalog.open(url)
        for pack in packs:
            import_pack(catalog, IDENTITY, pack)
        rounds = asyncio.run(_side_by_side(catalog, url, warming, asked))
        catalog.close()
    return {name: timing_of([part]) for name, part in engines.items()} | {
        name: timing_of(parts) for name, parts in rounds.items()
    }


async def _side_by_side(
    catalog: Catalog, url: str, warming: Sequence[str], asked: Sequence[str]
) -> dict[str, list[Round]]:
    """The catalog in this process, a server for each number of callers, and an empty one, by
    turns: a few queries each, all uncached, then all cached."""

    def search(query: str) -> None:
        catalog.search(IDENTITY, SearchRequest(query, limit=LIMIT))

    rounds: dict[str, list[Round]] = defaultdict(list)
    async with AsyncExitStack() as stack:
        echo, empty = await _echo(stack)
        servers = {count: await _catalog(stack, url) for count in (1, CONCURRENCY)}
        timed(search, warming)
        await timed_calls(echo, empty, warming, CONCURRENCY)
        for server, call in servers.values():
            await timed_calls(server, call, warming, CONCURRENCY)
        for state in ("uncached", "cached"):
            for start in range(0, len(asked), QUERIES_A_ROUND):
                some = asked[start : start + QUERIES_A_ROUND]
                rounds[f"in process, {state}"].append(timed(search, some))
                for count, (server, call) in servers.items():
                    answered = await timed_calls(server, call, some, count)
                    rounds[f"gRPC at {count}, {state}"].append(answered)
                for count in servers:
                    answered = await timed_calls(echo, empty, some, count)
                    rounds[f"empty echo at {count}"].append(answered)
    return rounds


async def _catalog(stack: AsyncExitStack, url: str) -> tuple[ServerProcess, Call]:
    server = stack.enter_context(catalog_server(url))
    stub = skillcatalog_pb2_grpc.SkillCatalogStub(await _channel(stack, server))

    async def search(query: str) -> None:
        await stub.SkillSearch(pb.SkillSearchRequest(query=query, limit=LIMIT), metadata=METADATA)

    return server, search


async def _echo(stack: AsyncExitStack) -> tuple[ServerProcess, Call]:
    server = stack.enter_context(echo_server())
    call = (await _channel(stack, server)).unary_unary(ECHO)

    async def echo(_: str) -> None:
        await call(b"")

    return server, echo


async def _channel(stack: AsyncExitStack, server: ServerProcess) -> grpc.aio.Channel:
    return await stack.enter_async_context(grpc.aio.insecure_channel(f"127.0.0.1:{server.port}"))


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
