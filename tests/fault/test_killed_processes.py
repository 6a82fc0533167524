"""Processes killed at random moments: what was accepted is there, what was not is not.

`SKILLCATALOG_TEST_KILLS` says how often each kind of work is killed.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest

from catalog.catalog import Catalog
from catalog.errors import EmbeddingsStale
from catalog.requests import ListRequest
from catalog.scope import ScopeKind
from catalog.search.request import SearchMode, SearchRequest
from catalog.stores.relational import RelationalStore
from tests.fault import endless_work
from tests.semantic.hashing_embedder import HashingEmbedder
from tests.written_skills import identity, written_skill

KILLS = int(os.environ.get("SKILLCATALOG_TEST_KILLS", "10"))
ANN = identity()

pytestmark = pytest.mark.timeout(120 + 5 * KILLS)

Killed = Callable[..., list[object]]


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    """Children with everything imported, so that a kill hits the work and not its start."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([endless_work.__name__])
    return context


@pytest.fixture
def killed(processes: ForkServerContext) -> Killed:
    """Lets work run for a random time, kills it, and gives what it had said by then."""
    chance = random.Random(7)

    def killed(work: Callable[..., None], *arguments: object, within: float) -> list[object]:
        ours, theirs = processes.Pipe(duplex=False)
        process = processes.Process(target=work, args=(theirs, *arguments), daemon=True)
        process.start()
        theirs.close()
        assert ours.recv() == endless_work.BEGUN
        time.sleep(chance.uniform(0, within))
        process.kill()
        process.join()
        said = []
        try:
            while True:
                said.append(ours.recv())
        except EOFError:
            return said

    return killed


def assert_sound(catalog: Catalog) -> None:
    """Rows, index and vectors agree, and the audit trail is whole."""
    assert isinstance(catalog.store, RelationalStore)
    assert catalog.store.check() == []
    assert catalog.verify_audit(ANN) is None


def pack_folder(folder: Path, version: str, names: list[str]) -> Path:
    for name in names:
        (folder / name).mkdir(parents=True)
        (folder / name / "SKILL.md").write_text(
            f"---\nname: {name}\ndescription: Says {version}\n---\n# {name}\n\n{version}\n"
        )
    return folder


def test_an_import_killed_at_any_moment_leaves_one_whole_version(
    killed: Killed, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'catalog.db'}"
    names = {
        "first": [f"skill-{n}" for n in range(40)],
        "second": [f"skill-{n}" for n in range(20, 60)],
    }
    folders = [pack_folder(tmp_path / version, version, names[version]) for version in names]
    for _ in range(KILLS):
        killed(endless_work.import_packs, url, *folders, within=0.4)
        catalog = Catalog.open(url)
        assert_sound(catalog)
        cards = [card.card for card in catalog.list(ANN, ListRequest(page_size=200)).cards]
        versions = {card.description for card in cards}
        assert len(versions) <= 1, "an import was half written"
        if versions:
            version = versions.pop().removeprefix("Says ")
            assert sorted(card.name for card in cards) == sorted(names[version])
        catalog.close()


def test_proposals_accepted_before_a_kill_are_there_and_no_other_is_but_the_last(
    killed: Killed, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'catalog.db'}"
    writes: dict[str, int] = {}
    for kill in range(KILLS):
        said = killed(endless_work.propose, url, f"task-{kill}", within=0.3)
        assert said == list(range(len(said)))
        catalog = Catalog.open(url)
        assert_sound(catalog)
        now = writes_of_tasks(catalog)
        assert now.get(f"task-{kill}", 0) - len(said) in (0, 1)
        assert {task: now[task] for task in writes} == writes
        writes = now
        catalog.close()


def writes_of_tasks(catalog: Catalog) -> dict[str, int]:
    """The revisions of all skills of each task."""
    writes: Counter[str] = Counter()
    request = ListRequest(page_size=1_000)
    while True:
        page = catalog.list(ANN, request)
        for listed in page.cards:
            task = listed.card.name.rpartition("-")[0]
            writes[task] += len(catalog.history(ANN, listed.card.qualified_name).revisions)
        if not page.next_page_token:
            return dict(writes)
        request = replace(request, page_token=page.next_page_token)


def test_a_reindex_killed_at_any_moment_leaves_the_vectors_of_one_model_and_goes_on(
    killed: Killed, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'catalog.db'}"
    catalog = Catalog.open(url, embedder=HashingEmbedder(1))
    with catalog.pack_writer(ANN, ScopeKind.TENANT, "tools") as writing:
        for number in range(150):
            writing.put(written_skill(f"skill-{number}", f"Weigh parcel {number}"), {})
    catalog.embed_missing()
    catalog.close()
    for _ in range(KILLS):
        killed(endless_work.reindex, url, within=0.8)
        assert len([seed for seed in (1, 2) if finds_by_meaning(url, seed)]) == 1
    catalog = Catalog.open(url, embedder=HashingEmbedder(2))
    catalog.reindex(HashingEmbedder(2))
    catalog.close()
    assert finds_by_meaning(url, 2)


def finds_by_meaning(url: str, seed: int) -> bool:
    """Whether the vectors are those of that model; all of them are then, and true."""
    catalog = Catalog.open(url, embedder=HashingEmbedder(seed))
    assert_sound(catalog)
    request = SearchRequest("Weigh parcel 77", mode=SearchMode.SEMANTIC)
    try:
        found = catalog.search(ANN, request)
    except EmbeddingsStale:
        return False
    finally:
        catalog.close()
    assert found.hits[0].card.name == "skill-77"
    return True
