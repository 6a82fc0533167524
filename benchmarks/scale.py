"""How a catalog grows: import rate, search time at each size, tenants, worker processes.

    python -m benchmarks.scale --store URL [--store URL] [--sizes 3000,30000,300000]
        [--tenants 1000] [--packs DIR ...] [--format json]

Every store is measured in the same run with the same synthetic skills and queries. Use empty
stores: the rows stay. Per store:

- `tenant alone` and `among N tenants`: a tenant's search before and after others came, who
  bring the largest size together;
- `N visible`: one tenant grows to each size and sees all of it; `import` is the rate of the
  step to that size, parsing left out; `plain FTS5` is one any-token query with porter stems
  over the same skills, in BM25 order, ten rows;
- `workers`: gRPC searches of the smallest size at concurrency 32, one and two servers, with
  the CPU time of the servers' processes for each request.

A query is asked once, so no answer is a remembered one.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import quantiles

from rich.console import Console
from rich.table import Table

from benchmarks.grpc_processes import catalog_server
from benchmarks.other_engines import PlainFts5
from benchmarks.synthetic import SyntheticSkills
from benchmarks.worker_load import search_load
from catalog.catalog import Catalog
from catalog.identity import Identity, Role
from catalog.scope import ScopeKind
from catalog.search.request import SearchRequest

STARTER_PACK = Path(__file__).parents[1] / "server" / "starter_pack"
SKILLS_A_PACK = 1_000
QUERIES = 200
WARMING_QUERIES = 40
CONCURRENCY = 32
CALLS = 1_500


@dataclass(frozen=True, slots=True)
class Measurement:
    """One line: milliseconds, and calls or skills in a second; None where it says nothing."""

    store: str
    what: str
    p50_ms: float | None = None
    p99_ms: float | None = None
    per_second: float | None = None
    cpu_ms: float | None = None


def measure(
    store_url: str, sizes: Sequence[int], tenants: int, packs: Sequence[Path]
) -> Iterator[Measurement]:
    """The lines of one store, each as soon as it is measured."""
    store = store_url.partition(":")[0]
    catalog = Catalog.open(store_url)
    yield from _among_tenants(store, catalog, sizes, tenants, SyntheticSkills(packs, seed=1))
    yield from _everything_visible(store, catalog, sizes, SyntheticSkills(packs, seed=2))
    catalog.close()
    if store != "memory":
        yield from _workers(store, store_url, SyntheticSkills(packs, seed=3))


def _among_tenants(
    store: str, catalog: Catalog, sizes: Sequence[int], tenants: int, synthetic: SyntheticSkills
) -> Iterator[Measurement]:
    ours = _identity("tenant-0")
    _import(catalog, ours, synthetic, sizes[0])
    _timed(catalog, ours, synthetic.queries(WARMING_QUERIES))
    yield _searches(store, "tenant alone", catalog, ours, synthetic)
    each = max(1, (sizes[-1] - sizes[0]) // tenants)
    began = time.perf_counter()
    for number in range(1, tenants + 1):
        _import(catalog, _identity(f"tenant-{number}"), synthetic, each)
    rate = each * tenants / (time.perf_counter() - began)
    yield Measurement(store, f"import of {tenants} tenants, {each} skills each", per_second=rate)
    yield _searches(store, f"among {tenants} tenants", catalog, ours, synthetic)


def _everything_visible(
    store: str, catalog: Catalog, sizes: Sequence[int], synthetic: SyntheticSkills
) -> Iterator[Measurement]:
    everyone = _identity("everything")
    imported = 0
    with _plain_fts5() as plain:
        for size in sizes:
            rate = _import(catalog, everyone, synthetic, size - imported, plain)
            imported = size
            yield Measurement(store, f"import to {size:,}", per_second=rate)
            _timed(catalog, everyone, synthetic.queries(WARMING_QUERIES))
            yield _searches(store, f"{size:,} visible", catalog, everyone, synthetic)
            queries = synthetic.queries(QUERIES)
            yield _line("sqlite", f"{size:,}, plain FTS5", _seconds(plain.search, queries))


def _import(
    catalog: Catalog,
    identity: Identity,
    synthetic: SyntheticSkills,
    count: int,
    plain: PlainFts5 | None = None,
) -> float:
    """Skills a second, the time to make them up left out."""
    seconds = 0.0
    for first in range(0, count, SKILLS_A_PACK):
        pack_name = f"pack-{time.time_ns()}"
        skills = list(synthetic.skills(pack_name, min(SKILLS_A_PACK, count - first)))
        began = time.perf_counter()
        with catalog.pack_writer(identity, ScopeKind.TENANT, pack_name) as pack:
            for skill in skills:
                pack.put(skill, {})
        seconds += time.perf_counter() - began
        if plain is not None:
            plain.add(skills)
    return count / seconds if seconds else 0.0


def _searches(
    store: str, what: str, catalog: Catalog, identity: Identity, synthetic: SyntheticSkills
) -> Measurement:
    return _line(store, what, _timed(catalog, identity, synthetic.queries(QUERIES)))


def _timed(catalog: Catalog, identity: Identity, queries: Sequence[str]) -> list[float]:
    return _seconds(lambda query: catalog.search(identity, SearchRequest(query)), queries)


def _seconds(call: Callable[[str], object], queries: Sequence[str]) -> list[float]:
    seconds = []
    for query in queries:
        at = time.perf_counter()
        call(query)
        seconds.append(time.perf_counter() - at)
    return seconds


def _line(
    store: str,
    what: str,
    seconds: Sequence[float],
    per_second: float | None = None,
    cpu_ms: float | None = None,
) -> Measurement:
    cuts = quantiles(seconds, n=100, method="inclusive")
    return Measurement(store, what, cuts[49] * 1000, cuts[98] * 1000, per_second, cpu_ms)


@contextmanager
def _plain_fts5() -> Iterator[PlainFts5]:
    with tempfile.TemporaryDirectory() as folder:
        database = sqlite3.connect(Path(folder) / "plain.db")
        yield PlainFts5(database)
        database.close()


def _workers(store: str, store_url: str, synthetic: SyntheticSkills) -> Iterator[Measurement]:
    metadata = [
        (f"x-skillcatalog-{part}", getattr(_identity("tenant-0"), part))
        for part in ("tenant", "user", "session")
    ]
    for workers in (1, 2):
        warming, queries = synthetic.queries(CALLS // 2), synthetic.queries(CALLS)
        with ExitStack() as stack:
            servers = [stack.enter_context(catalog_server(store_url)) for _ in range(workers)]
            load = search_load(servers, metadata, warming, queries, CONCURRENCY)
        yield _line(
            store,
            f"{workers} worker{'s' * (workers > 1)} at {CONCURRENCY}",
            load.calls,
            CALLS / load.elapsed,
            load.cpu / CALLS * 1000,
        )


def _identity(tenant: str) -> Identity:
    return Identity(tenant, "operator", "run", roles=frozenset({Role.ADMIN}))


def _sizes(text: str) -> list[int]:
    sizes = [int(part) for part in text.split(",")]
    if sizes != sorted(set(sizes)) or sizes[0] < 1:
        raise argparse.ArgumentTypeError("sizes are numbers from 1 on that grow")
    return sizes


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--store", action="append", required=True, metavar="URL")
    parser.add_argument("--sizes", type=_sizes, default=[3_000, 30_000, 300_000])
    parser.add_argument("--tenants", type=int, default=1_000)
    parser.add_argument("--packs", type=Path, nargs="+", default=[STARTER_PACK])
    parser.add_argument("--format", choices=("table", "json"), default="table")
    arguments = parser.parse_args()
    table = Table("store", "", "p50 ms", "p99 ms", "a second", "CPU ms a call")
    for url in arguments.store:
        for line in measure(url, arguments.sizes, arguments.tenants, arguments.packs):
            if arguments.format == "json":
                print(json.dumps(asdict(line)), flush=True)
            numbers = (line.p50_ms, line.p99_ms, line.per_second, line.cpu_ms)
            shown = ["" if number is None else f"{number:,.2f}" for number in numbers]
            table.add_row(line.store, line.what, *shown)
    if arguments.format == "table":
        Console().print(table)


if __name__ == "__main__":
    main()
