"""How a catalog grows: import rate, search time at each size, tenants, worker processes.

    python -m benchmarks.scale --store URL [--store URL] [--sizes 3000,30000,300000]
        [--tenants 1000] [--packs DIR ...] [--format json]

All stores get the same synthetic skills and answer the same queries by turns, so that each row
shares with its neighbours what else the machine does. Use empty stores: the rows stay.

- `tenant alone` and `among N tenants`: a tenant's search before and after others came, who
  bring the largest size together. All tenants carry some of the same skills;
- `N visible`: one tenant grows to each size, no skill like another, and sees all of it; `plain
  FTS5` is one any-token query with porter stems over the same skills, in BM25 order, ten rows;
- `import`: skills that the store writes in a second, a pack or a tenant to a transaction. To
  make skills up and to analyse them is left out: it is the same for every store, and
  `benchmarks.importing` measures it;
- `workers`: gRPC searches of the smallest size at concurrency 32, of one server and of two by
  turns.

CPU is that of this process, or of the servers'; a database's own is not in it. A query is asked
once, so no answer is a remembered one.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import quantiles

from rich.console import Console
from rich.table import Table

from benchmarks.grpc_processes import catalog_server
from benchmarks.other_engines import PlainFts5
from benchmarks.synthetic import SyntheticSkills
from benchmarks.timing import timed, timing_of
from benchmarks.worker_load import search_load
from catalog.catalog import Catalog
from catalog.identity import Identity, Role
from catalog.scope import ScopeKind
from catalog.search.document import IndexedDocument, index_document
from catalog.search.request import SearchRequest
from catalog.skill import Skill

STARTER_PACK = Path(__file__).parents[1] / "server" / "starter_pack"
SKILLS_A_PACK = 1_000
QUERIES = 200
QUERIES_A_ROUND = 50
WARMING_QUERIES = 40
CONCURRENCY = 32
CALLS = 1_500
CALL_ROUNDS = 5
_OURS = "tenant-0"
_Prepared = tuple[Skill, IndexedDocument]


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
    store_urls: Sequence[str], sizes: Sequence[int], tenants: int, packs: Sequence[Path]
) -> Iterator[Measurement]:
    """The lines of all stores, each as soon as it is measured."""
    catalogs = {url: Catalog.open(url) for url in store_urls}
    yield from _among_tenants(catalogs, sizes, tenants, SyntheticSkills(packs, seed=1))
    yield from _everything_visible(catalogs, sizes, SyntheticSkills(packs, seed=2))
    for catalog in catalogs.values():
        catalog.close()
    for url in store_urls:
        if _name(url) != "memory":
            yield from _workers(url, SyntheticSkills(packs, seed=3))


def _among_tenants(
    catalogs: Mapping[str, Catalog], sizes: Sequence[int], tenants: int, synthetic: SyntheticSkills
) -> Iterator[Measurement]:
    each = max(1, (sizes[-1] - sizes[0]) // tenants)
    prepared = _prepared(synthetic.skills("pack", max(sizes[0], each)))
    searches = {
        _name(url): partial(_search, catalog, _identity(_OURS)) for url, catalog in catalogs.items()
    }
    for catalog in catalogs.values():
        _import(catalog, _identity(_OURS), "pack", prepared[: sizes[0]])
    yield from _in_turns("tenant alone", searches, synthetic)
    for url, catalog in catalogs.items():
        seconds = 0.0
        for number in range(1, tenants + 1):
            some = [prepared[(number * each + place) % len(prepared)] for place in range(each)]
            seconds += _import(catalog, _identity(f"tenant-{number}"), "pack", some)
        what = f"import of {tenants} tenants, {each} skills each"
        yield Measurement(_name(url), what, per_second=each * tenants / seconds)
    yield from _in_turns(f"among {tenants} tenants", searches, synthetic)


def _everything_visible(
    catalogs: Mapping[str, Catalog], sizes: Sequence[int], synthetic: SyntheticSkills
) -> Iterator[Measurement]:
    everyone = _identity("everything")
    imported = 0
    with _plain_fts5() as plain:
        searches = {
            **{
                _name(url): partial(_search, catalog, everyone) for url, catalog in catalogs.items()
            },
            "plain FTS5": plain.search,
        }
        for size in sizes:
            seconds = dict.fromkeys(catalogs, 0.0)
            for first in range(imported, size, SKILLS_A_PACK):
                pack = f"pack-{first}"
                prepared = _prepared(synthetic.skills(pack, min(SKILLS_A_PACK, size - first)))
                for url, catalog in catalogs.items():
                    seconds[url] += _import(catalog, everyone, pack, prepared)
                plain.add(skill for skill, _ in prepared)
            for url in catalogs:
                rate = (size - imported) / seconds[url]
                yield Measurement(_name(url), f"import to {size:,}", per_second=rate)
            imported = size
            yield from _in_turns(f"{size:,} visible", searches, synthetic)


def _prepared(skills: Iterable[Skill]) -> list[_Prepared]:
    return [(skill, index_document(skill)) for skill in skills]


def _import(
    catalog: Catalog, identity: Identity, pack_name: str, prepared: Sequence[_Prepared]
) -> float:
    """Seconds of one transaction."""
    began = time.perf_counter()
    with catalog.pack_writer(identity, ScopeKind.TENANT, pack_name) as pack:
        for skill, document in prepared:
            pack.put(skill, {}, document)
    return time.perf_counter() - began


def _search(catalog: Catalog, identity: Identity, query: str) -> object:
    return catalog.search(identity, SearchRequest(query))


def _in_turns(
    what: str, searches: Mapping[str, Callable[[str], object]], synthetic: SyntheticSkills
) -> Iterator[Measurement]:
    rounds = defaultdict(list)
    warming = synthetic.queries(WARMING_QUERIES)
    for search in searches.values():
        timed(search, warming)
    for _ in range(0, QUERIES, QUERIES_A_ROUND):
        queries = synthetic.queries(QUERIES_A_ROUND)
        for name, search in searches.items():
            rounds[name].append(timed(search, queries))
    for name in searches:
        found = timing_of(rounds[name])
        yield Measurement(name, what, found.p50, found.p99, cpu_ms=found.cpu)


@contextmanager
def _plain_fts5() -> Iterator[PlainFts5]:
    with tempfile.TemporaryDirectory() as folder:
        database = sqlite3.connect(Path(folder) / "plain.db")
        yield PlainFts5(database)
        database.close()


def _workers(store_url: str, synthetic: SyntheticSkills) -> Iterator[Measurement]:
    ours = _identity(_OURS)
    metadata = [
        (f"x-skillcatalog-{part}", getattr(ours, part)) for part in ("tenant", "user", "session")
    ]
    with ExitStack() as stack:
        servers = [stack.enter_context(catalog_server(store_url)) for _ in range(3)]
        fleets = {1: servers[:1], 2: servers[1:]}
        loads = defaultdict(list)
        for fleet in fleets.values():
            # Each server remembers as much, whatever share of the calls it gets.
            search_load(fleet, metadata, synthetic.queries(CALLS * len(fleet)), CONCURRENCY)
        for _ in range(CALL_ROUNDS):
            queries = synthetic.queries(CALLS // CALL_ROUNDS)
            for workers, fleet in fleets.items():
                loads[workers].append(search_load(fleet, metadata, queries, CONCURRENCY))
    for workers, rounds in loads.items():
        calls = [seconds for load in rounds for seconds in load.calls]
        cuts = quantiles(calls, n=100, method="inclusive")
        yield Measurement(
            _name(store_url),
            f"{workers} worker{'s' * (workers > 1)} at {CONCURRENCY}",
            cuts[49] * 1000,
            cuts[98] * 1000,
            len(calls) / sum(load.elapsed for load in rounds),
            sum(load.cpu for load in rounds) / len(calls) * 1000,
        )


def _name(store_url: str) -> str:
    return store_url.partition(":")[0]


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
    for line in measure(arguments.store, arguments.sizes, arguments.tenants, arguments.packs):
        if arguments.format == "json":
            print(json.dumps(asdict(line)), flush=True)
        numbers = (line.p50_ms, line.p99_ms, line.per_second, line.cpu_ms)
        shown = ["" if number is None else f"{number:,.2f}" for number in numbers]
        table.add_row(line.store, line.what, *shown)
    if arguments.format == "table":
        Console().print(table)


if __name__ == "__main__":
    main()
