"""Writers beside each other: those of one tenant take turns, others do not wait."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("psycopg")

from catalog.audit import AuditEvent, Outcome
from catalog.catalog import Catalog
from catalog.identity import Identity
from catalog.pack_writing import Change
from catalog.scope import ScopeKind, scope_of
from catalog.search.request import SearchRequest
from catalog.stores.migrations import HEAD
from catalog.stores.postgresql import PostgreSqlStore
from tests.databases import empty_database, execute
from tests.written_skills import identity, written_skill

ANN = identity()
BOB = identity("globex", "bob")


def at_once(*calls: Callable[[], object]) -> list[object]:
    """Run the calls in threads that begin together, and hand back what each gave."""
    barrier = threading.Barrier(len(calls))

    def run(call: Callable[[], object]) -> object:
        barrier.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


@pytest.mark.parametrize("kind", [ScopeKind.TENANT, ScopeKind.GLOBAL])
def test_two_imports_of_one_pack_serialise(
    store: PostgreSqlStore, url: str, kind: ScopeKind
) -> None:
    other = PostgreSqlStore(url)
    importers = (ANN, BOB if kind is ScopeKind.GLOBAL else ANN)

    def import_into(opened: PostgreSqlStore, who: Identity) -> set[Change]:
        with Catalog(opened).pack_writer(who, kind, "tools") as pack:
            return {pack.put(written_skill(f"kiln-{number}"), {}) for number in range(40)}

    changes = at_once(
        lambda: import_into(store, importers[0]), lambda: import_into(other, importers[1])
    )
    assert sorted(changes, key=str) == [{Change.ADDED}, {Change.UNCHANGED}]
    assert store.check() == []
    other.close()


def test_revisions_that_are_written_at_once_get_numbers_without_gaps(
    store: PostgreSqlStore, url: str
) -> None:
    other = PostgreSqlStore(url)
    scope = scope_of(ANN, ScopeKind.GLOBAL)

    def write(opened: PostgreSqlStore, who: Identity) -> None:
        for number in range(10):
            with opened.write(who) as writer:
                writer.put(scope, written_skill("kiln", f"{who.tenant} {number}"), 1, 1.0)

    at_once(lambda: write(store, ANN), lambda: write(other, BOB), lambda: write(other, ANN))
    numbers = execute("SELECT number FROM revision ORDER BY number", url)
    assert numbers == [(number,) for number in range(1, 31)]
    assert store.check() == []
    other.close()


def test_a_tenant_does_not_wait_for_another_ones_import(store: PostgreSqlStore) -> None:
    with store.write(ANN) as importing:
        importing.put(scope_of(ANN, ScopeKind.TENANT), written_skill("kiln"), 1, 1.0)
        with store.write(BOB, timeout_seconds=5) as writer:
            writer.put(scope_of(BOB, ScopeKind.TENANT), written_skill("kiln"), 1, 1.0)
    assert store.check() == []


def test_a_refusal_is_audited_while_the_tenant_imports(store: PostgreSqlStore) -> None:
    with store.write(ANN) as importing:
        importing.append_audit(_event(1))
        importing.put(scope_of(ANN, ScopeKind.TENANT), written_skill("kiln"), 1, 1.0)
        store.append_audit(_event(2))
    assert store.verify_audit(ANN.tenant) is None
    with store.read(ANN) as reader:
        assert len(reader.audit(ANN.tenant, None, 10).events) == 2


def test_the_audit_chain_of_a_tenant_does_not_fork(store: PostgreSqlStore, url: str) -> None:
    other = PostgreSqlStore(url)

    def append(opened: PostgreSqlStore) -> None:
        for number in range(10):
            opened.append_audit(_event(number))

    def write(opened: PostgreSqlStore) -> None:
        for number in range(5):
            with opened.write(ANN) as writer:
                writer.append_audit(_event(number))
                writer.append_audit(_event(number))

    at_once(
        lambda: append(store), lambda: append(other), lambda: write(store), lambda: write(other)
    )
    assert store.verify_audit(ANN.tenant) is None
    assert execute("SELECT count(*), max(sequence) FROM audit", url) == [(40, 40)]
    other.close()


def _event(number: int) -> AuditEvent:
    return AuditEvent.of(ANN, "skill_put", Outcome.DONE, float(number), subject="tools:kiln")


def test_servers_that_start_together_on_an_empty_database_make_one_schema() -> None:
    with empty_database() as url:
        stores = at_once(*[lambda: PostgreSqlStore(url)] * 3)
        assert execute("SELECT version_num FROM alembic_version", url) == [(HEAD,)]
        for store in stores:
            assert isinstance(store, PostgreSqlStore)
            assert store.check() == []
            store.close()


_IMPORT = """
import sys
from catalog.catalog import Catalog
from catalog.scope import ScopeKind
from tests.written_skills import identity, written_skill
catalog = Catalog.open(sys.argv[1])
for line in sys.stdin:
    with catalog.pack_writer(identity(), ScopeKind.TENANT, "tools") as pack:
        pack.put(written_skill(line.strip(), "Fires the kiln slowly"), {})
    print("done", flush=True)
catalog.close()
"""


def test_an_import_of_one_process_is_in_the_next_search_of_another(
    store: PostgreSqlStore, url: str
) -> None:
    catalog = Catalog(store)
    root = Path(__file__).parents[2]
    other = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", _IMPORT, url],
        cwd=root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdin is not None
    assert other.stdout is not None
    found = []
    for name in ("first", "second"):
        found.append(_hits(catalog))
        other.stdin.write(f"{name}\n")
        other.stdin.flush()
        assert other.stdout.readline() == "done\n"
    found.append(_hits(catalog))
    other.stdin.close()
    assert other.wait(20) == 0
    assert found == [set(), {"tools:first"}, {"tools:first", "tools:second"}]


def _hits(catalog: Catalog) -> set[str]:
    answer = catalog.search(ANN, SearchRequest("fires kiln"))
    return {hit.card.qualified_name for hit in answer.hits}


def test_a_large_import_leaves_true_statistics_behind(store: PostgreSqlStore, url: str) -> None:
    def import_skills(count: int) -> object:
        with store.write(ANN) as writer:
            for number in range(count):
                skill = written_skill(f"kiln-{count}-{number}")
                writer.put(scope_of(ANN, ScopeKind.TENANT), skill, 1, 1.0)
        [known] = execute("SELECT reltuples FROM pg_class WHERE relname = 'entry_index'", url)
        return known[0]

    assert import_skills(3) == -1
    assert import_skills(1_000) == 1_003
