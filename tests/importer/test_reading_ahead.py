"""A large pack read by several processes: the same outcome, and nothing when one of them dies."""

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.catalog import Catalog
from catalog.errors import InvalidPack
from catalog.identity import Identity, Role
from catalog.requests import ListRequest
from catalog.search.request import SearchRequest
from importer.importing import import_pack
from importer.reading_ahead import WORTH_PROCESSES

SKILLS = WORTH_PROCESSES + 20
IDENTITY = Identity("acme", "ada", "s1", roles=frozenset({Role.IMPORTER, Role.READER}))


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("packs") / "pottery"
    for number in range(SKILLS):
        folder = root / f"glaze-{number:03}"
        (folder / "scripts").mkdir(parents=True)
        header = (
            f"name: glaze-{number:03}\ndescription: Mixes glaze number {number}: cone {number}\n"
        )
        if number % 7 == 0:
            header += f"name: glaze-{number:03}\nallowed-tools:\n"
        (folder / "SKILL.md").write_text(f"---\n{header}---\n## Steps\n1. Weigh {number} grams.\n")
        (folder / "scripts" / "weigh.sh").write_text(f"weigh {number}\n")
    (root / "glaze-005" / "SKILL.md").write_bytes(b"\xff\xfe")
    return root


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    opened = Catalog.open(f"sqlite:///{tmp_path / 'catalog.db'}")
    yield opened
    opened.close()


def children() -> list[int]:
    me = os.getpid()
    return [int(pid) for pid in Path(f"/proc/{me}/task/{me}/children").read_text().split()]


def test_the_outcome_does_not_depend_on_how_many_processes_read(
    catalog: Catalog, pack: Path, tmp_path: Path
) -> None:
    alone = Catalog.open(f"sqlite:///{tmp_path / 'alone.db'}")
    expected = import_pack(alone, IDENTITY, pack)
    seen: list[tuple[int, int]] = []
    report = import_pack(
        catalog, IDENTITY, pack, processes=2, progress=lambda *done: seen.append(done)
    )
    assert report == expected
    assert report.total(lambda one: one.added) == SKILLS - 1
    assert seen == [(done, SKILLS) for done in range(1, SKILLS + 1)]
    for query in ("glaze number 17", "weigh 250 grams"):
        request = SearchRequest(query)
        found, wanted = catalog.search(IDENTITY, request), alone.search(IDENTITY, request)
        assert [(hit.card, hit.score) for hit in found.hits] == [
            (hit.card, hit.score) for hit in wanted.hits
        ]
    alone.close()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds processes in /proc")
def test_when_a_reading_process_is_killed_nothing_is_written_and_it_is_said(
    catalog: Catalog, pack: Path
) -> None:
    before = set(children())

    def kill_one(done: int, _: int) -> None:
        if done == SKILLS // 4:
            os.kill(max(set(children()) - before), signal.SIGKILL)

    with pytest.raises(InvalidPack, match=r"ended before its work was done \(exit code -9\)"):
        import_pack(catalog, IDENTITY, pack, processes=2, progress=kill_one)
    assert catalog.list(IDENTITY, ListRequest()).cards == ()
    assert set(children()) <= before


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds processes in /proc")
def test_no_process_is_started_for_what_one_reads_faster(
    catalog: Catalog, pack: Path, tmp_path: Path
) -> None:
    few = tmp_path / "few"
    shutil.copytree(pack / "glaze-001", few / "glaze-001")
    before = children()

    def look(*_: int) -> None:
        assert children() == before

    import_pack(catalog, IDENTITY, few, processes=4, progress=look)
    import_pack(catalog, IDENTITY, pack)
    again = import_pack(catalog, IDENTITY, pack, processes=4, progress=look)
    assert again.total(lambda one: one.unchanged) == SKILLS - 1
