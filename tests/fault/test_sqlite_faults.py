"""Full disks, locks and damage: nothing is lost and the error is clear."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from catalog.catalog import Catalog
from catalog.errors import StoreUnavailable
from catalog.identity import Identity
from catalog.lifecycle import DeleteRequest
from catalog.requests import GetRequest, ListRequest
from catalog.scope import ScopeKind
from catalog.search.request import SearchRequest
from catalog.stores import sqlite as sqlite_store
from catalog.stores.relational import RelationalStore
from tests.written_skills import identity, written_skill

ANN = identity()


def put(catalog: Catalog, *names: str, who: Identity = ANN, body: str = "") -> None:
    with catalog.pack_writer(who, ScopeKind.TENANT, "tools") as writing:
        for name in names:
            writing.put(written_skill(name, body=body), {})


def checked(catalog: Catalog) -> None:
    assert isinstance(catalog.store, RelationalStore)
    assert catalog.store.check() == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 3 MB, where this user may mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip("this user may not mount a small file system")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_refuses_the_import_and_keeps_what_was_there(small_disk: Path) -> None:
    catalog = Catalog.open(f"sqlite:///{small_disk / 'catalog.db'}")
    put(catalog, "kept")
    with pytest.raises(StoreUnavailable, match="full"):
        put(catalog, *(f"big-{n}" for n in range(30)), body="many words " * 20_000)
    assert [hit.card.name for hit in catalog.search(ANN, SearchRequest("kept")).hits] == ["kept"]
    assert len(catalog.list(ANN, ListRequest()).cards) == 1
    put(catalog, "small")
    assert len(catalog.list(ANN, ListRequest()).cards) == 2
    checked(catalog)
    catalog.close()


def test_a_store_on_a_read_only_disk_is_refused_at_once_and_loses_nothing(
    small_disk: Path,
) -> None:
    url = f"sqlite:///{small_disk / 'catalog.db'}"
    catalog = Catalog.open(url)
    put(catalog, "kept")
    catalog.close()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(StoreUnavailable, match="cannot be opened") as refusal:
        Catalog.open(url)
    assert str(small_disk) not in refusal.value.message
    subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)
    catalog = Catalog.open(url)
    assert [card.card.name for card in catalog.list(ANN, ListRequest()).cards] == ["kept"]
    catalog.close()


@contextmanager
def without_privileges() -> Iterator[None]:
    """Root may write what nobody may; so as root, be nobody inside the block."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65_534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_file_that_may_only_be_read_is_searched_and_refuses_writes() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        path = Path(folder) / "catalog.db"
        catalog = Catalog.open(f"sqlite:///{path}")
        put(catalog, "kept")
        catalog.close()
        path.chmod(0o444)
        with without_privileges():
            catalog = Catalog.open(f"sqlite:///{path}")
            assert len(catalog.search(ANN, SearchRequest("kept")).hits) == 1
            with pytest.raises(StoreUnavailable, match="readonly"):
                put(catalog, "more")
            assert len(catalog.list(ANN, ListRequest()).cards) == 1
            catalog.close()


def test_a_store_locked_by_another_process_is_unavailable_and_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_store, "BUSY_TIMEOUT_MILLISECONDS", 200)
    path = tmp_path / "catalog.db"
    catalog = Catalog.open(f"sqlite:///{path}")
    put(catalog, "kept")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable, match="locked"):
        put(catalog, "waiting")
    assert len(catalog.search(ANN, SearchRequest("kept")).hits) == 1
    other.execute("ROLLBACK")
    put(catalog, "waiting")
    assert len(catalog.list(ANN, ListRequest()).cards) == 2
    catalog.close()


def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    path.write_bytes(b"this is not a database, it is a letter" * 100)
    before = path.read_bytes()
    with pytest.raises(StoreUnavailable) as refusal:
        Catalog.open(f"sqlite:///{path}")
    assert str(tmp_path) not in refusal.value.message
    assert path.read_bytes() == before


def test_a_folder_that_does_not_exist_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="cannot be opened"):
        Catalog.open(f"sqlite:///{tmp_path / 'absent' / 'catalog.db'}")


def test_a_damaged_index_is_found_and_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    catalog = Catalog.open(f"sqlite:///{path}")
    put(catalog, "kiln", "glaze", "wheel")
    catalog.close()
    damage = sqlite3.connect(path)
    damage.execute("DELETE FROM entry_index WHERE entry_id = 1")
    damage.execute("UPDATE term_frequency SET documents = documents + 5")
    damage.execute("UPDATE scope SET documents = 9")
    damage.commit()
    damage.close()
    catalog = Catalog.open(f"sqlite:///{path}")
    assert isinstance(catalog.store, RelationalStore)
    found = {finding.what for finding in catalog.store.check()}
    assert {"profile", "statistics", "count"} <= found
    catalog.store.repair()
    checked(catalog)
    assert [hit.card.name for hit in catalog.search(ANN, SearchRequest("kiln")).hits] == ["kiln"]
    catalog.close()


def test_a_search_whose_index_is_gone_says_that_the_store_fails(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    catalog = Catalog.open(f"sqlite:///{path}")
    put(catalog, "kiln")
    with sqlite3.connect(path) as damage:
        damage.execute("DROP TABLE entry_tokens_fts5")
    damage.close()
    with pytest.raises(StoreUnavailable, match="the store failed"):
        catalog.search(ANN, SearchRequest("kiln"))
    catalog.close()


def test_many_threads_that_read_and_write_lose_nothing_and_never_fail(tmp_path: Path) -> None:
    catalog = Catalog.open(f"sqlite:///{tmp_path / 'catalog.db'}")
    tenants = [identity(f"tenant-{n}") for n in range(4)]
    done = threading.Barrier(8)

    def work(worker: int) -> None:
        who = tenants[worker % 4]
        done.wait()
        for round_ in range(25):
            pack = f"pack-{worker}"
            with catalog.pack_writer(who, ScopeKind.TENANT, pack) as writing:
                writing.put(written_skill(f"kiln-{round_}", f"Of {pack}", pack=pack), {})
            answer = catalog.search(who, SearchRequest("kiln", limit=100))
            assert all(hit.card.qualified_name.startswith("pack-") for hit in answer.hits)
            assert len(answer.hits) >= round_ + 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    for number, who in enumerate(tenants):
        cards = catalog.list(who, ListRequest(page_size=500)).cards
        packs = {card.card.qualified_name.split(":")[0] for card in cards}
        assert packs == {f"pack-{number}", f"pack-{number + 4}"}
        assert len(cards) == 50
    checked(catalog)
    catalog.close()


def test_a_purge_leaves_its_words_in_no_file(tmp_path: Path) -> None:
    catalog = Catalog.open(f"sqlite:///{tmp_path / 'catalog.db'}")
    put(catalog, "other")
    put(catalog, "doomed", body="The giraffewren58 sings.\n")
    files = lambda: b"".join(path.read_bytes() for path in tmp_path.iterdir())  # noqa: E731
    assert b"giraffewren58" in files()
    catalog.delete(ANN, DeleteRequest("doomed", purge=True))
    assert b"giraffewren58" not in files()
    assert catalog.search(ANN, SearchRequest("giraffewren58")).hits == ()
    assert catalog.get(ANN, GetRequest(("other",))).skills
    checked(catalog)
    catalog.close()


def test_a_clock_that_goes_backwards_breaks_neither_the_trail_nor_the_history(
    tmp_path: Path,
) -> None:
    ticks = iter([5_000.0, 4_000.0, 3_000.0, 2_000.0, 1_000.0, *([500.0] * 50)])
    url = f"sqlite:///{tmp_path / 'catalog.db'}"
    catalog = Catalog.open(url, clock=lambda: next(ticks))
    for body in ("one\n", "two\n", "three\n"):
        put(catalog, "glaze", body=body)
    text = catalog.get(ANN, GetRequest(("glaze",))).text
    assert "three" in text
    assert len(catalog.history(ANN, "glaze").revisions) == 3
    assert catalog.verify_audit(ANN) is None
    catalog.close()


def test_a_line_taken_from_the_trail_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    catalog = Catalog.open(f"sqlite:///{path}")
    put(catalog, "one")
    put(catalog, "two")
    tamper = sqlite3.connect(path)
    for statement in ("DELETE FROM audit", "UPDATE audit SET user_name = 'eve'"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            tamper.execute(statement)
    tamper.execute("DROP TRIGGER audit_refuses_delete")
    tamper.execute("DELETE FROM audit WHERE sequence = (SELECT MAX(sequence) FROM audit)")
    tamper.commit()
    tamper.close()
    assert catalog.verify_audit(ANN) == 4
    catalog.close()


@pytest.mark.parametrize("part", ["entry_by_folded_name", "revision", "archived_skill"])
def test_the_check_finds_a_damaged_page_that_no_search_reads(tmp_path: Path, part: str) -> None:
    path = tmp_path / "catalog.db"
    catalog = Catalog.open(f"sqlite:///{path}")
    put(catalog, "kept")
    catalog.close()
    with closing(sqlite3.connect(path)) as connection:
        root = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = ?", (part,)
        ).fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    with path.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xa5" * size)
    catalog = Catalog.open(f"sqlite:///{path}")
    assert len(catalog.search(ANN, SearchRequest("kept")).hits) == 1
    assert isinstance(catalog.store, RelationalStore)
    assert {finding.what for finding in catalog.store.check()} == {"file"}
    catalog.close()


def test_the_database_of_another_program_is_refused_and_gets_no_tables(tmp_path: Path) -> None:
    path = tmp_path / "accounts.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE account (name TEXT)")
    with pytest.raises(StoreUnavailable, match="another program"):
        Catalog.open(f"sqlite:///{path}")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name FROM sqlite_schema").fetchall() == [("account",)]
