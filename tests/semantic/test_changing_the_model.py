"""Vectors of two models never meet: a change is noticed, and made at once by a reindex."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from catalog.catalog import Catalog
from catalog.errors import EmbedderUnavailable, EmbeddingsStale
from catalog.scope import ScopeKind
from catalog.search.request import SearchMode, SearchRequest
from tests.semantic.hashing_embedder import HashingEmbedder
from tests.written_skills import identity, written_skill

ANN = identity()
ROOT = Path(__file__).parents[2]
SEMANTIC = SearchRequest("masonry wall", mode=SearchMode.SEMANTIC)
WORDS = {"apple": "orchard fruit", "brick": "masonry wall", "cello": "music strings"}


def imported(catalog: Catalog, names: object = WORDS) -> None:
    with catalog.pack_writer(ANN, ScopeKind.TENANT, "tools") as writing:
        for name in names:  # type: ignore[attr-defined]
            writing.put(written_skill(name, f"About {name} {WORDS.get(name, '')}"), {})


def opened(folder: Path, seed: int, dimension: int = 64) -> Catalog:
    return Catalog.open(
        f"sqlite:///{folder / 'catalog.db'}", embedder=HashingEmbedder(seed, dimension)
    )


@pytest.mark.parametrize(("seed", "dimension"), [(2, 64), (2, 32), (1, 32)])
@pytest.mark.parametrize("mode", [SearchMode.SEMANTIC, SearchMode.HYBRID])
def test_another_model_fails_until_reindexed_and_the_ladder_works(
    tmp_path: Path, seed: int, dimension: int, mode: SearchMode
) -> None:
    first = opened(tmp_path, 1)
    imported(first)
    first.embed_missing()
    first.close()
    second = opened(tmp_path, seed, dimension)
    imported(second)  # unchanged text: nothing of it may be taken for the new model's
    request = SearchRequest("masonry wall", mode=mode)
    with pytest.raises(EmbeddingsStale, match="skillcatalog reindex"):
        second.search(ANN, request)
    with pytest.raises(EmbeddingsStale):
        second.embed_missing()
    assert second.search(ANN, SearchRequest("masonry wall")).hits[0].card.name == "brick"
    second.reindex(HashingEmbedder(seed, dimension))
    assert second.search(ANN, request).hits[0].card.name == "brick"
    assert second.embedding_progress().embedded == len(WORDS)
    second.close()


def test_back_on_the_first_model_nothing_was_lost(tmp_path: Path) -> None:
    first = opened(tmp_path, 1)
    imported(first)
    first.embed_missing()
    answer = first.search(ANN, SEMANTIC)
    first.close()
    second = opened(tmp_path, 2)
    with pytest.raises(EmbeddingsStale):
        second.search(ANN, SEMANTIC)
    second.close()
    third = opened(tmp_path, 1)
    assert third.search(ANN, SEMANTIC) == answer
    third.close()


def test_searches_go_on_with_the_old_vectors_until_the_switch(tmp_path: Path) -> None:
    serving, working = opened(tmp_path, 1), opened(tmp_path, 2)
    imported(serving)
    serving.embed_missing()
    working.close()
    seen = []

    def watch(filled: object) -> None:
        seen.append(serving.search(ANN, SEMANTIC).hits[0].card.name)
        if len(seen) == 1:
            imported(serving, [*WORDS, "drum"])  # written while the reindex runs

    working = opened(tmp_path, 2)
    working.reindex(HashingEmbedder(2), watch)
    assert seen == ["brick", "brick"]
    with pytest.raises(EmbeddingsStale):
        serving.search(ANN, SEMANTIC)
    assert len(working.search(ANN, SEMANTIC).hits) == 4
    serving.close()
    working.close()


def test_a_store_without_vectors_takes_whatever_model_comes(tmp_path: Path) -> None:
    opened(tmp_path, 1).close()
    catalog = opened(tmp_path, 2)
    imported(catalog)
    catalog.embed_missing()
    assert catalog.search(ANN, SEMANTIC).hits[0].card.name == "brick"
    catalog.close()


def test_a_failing_reindex_keeps_what_is_done_and_switches_nothing(tmp_path: Path) -> None:
    catalog = opened(tmp_path, 1)
    imported(catalog, [f"skill-{number}" for number in range(150)])
    catalog.embed_missing()

    class Fails(HashingEmbedder):
        def embed(self, texts):  # type: ignore[no-untyped-def]
            if len(self.asked) > 300:
                raise EmbedderUnavailable("gone")
            return super().embed(texts)

    with pytest.raises(EmbedderUnavailable):
        catalog.reindex(Fails(2))
    assert catalog.search(ANN, SEMANTIC).hits
    resumed = HashingEmbedder(2)
    filled = catalog.reindex(resumed)
    assert 0 < filled.skills < 150
    catalog.close()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
def test_a_killed_reindex_is_gone_on_with(tmp_path: Path) -> None:
    catalog = opened(tmp_path, 1)
    imported(catalog, [f"skill-{number}" for number in range(300)])
    catalog.embed_missing()
    catalog.close()
    program = textwrap.dedent(
        f"""
        import time
        from pathlib import Path
        from tests.semantic.test_changing_the_model import opened
        from tests.semantic.hashing_embedder import HashingEmbedder

        def slow(filled):
            print(filled.skills, flush=True)
            time.sleep(0.3)

        opened(Path({str(tmp_path)!r}), 1).reindex(HashingEmbedder(2), slow)
        """
    )
    running = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'proto'}"},
        cwd=ROOT,
    )
    assert running.stdout is not None
    assert int(running.stdout.readline()) > 0
    time.sleep(0.1)
    running.kill()
    running.wait()
    old = opened(tmp_path, 1)
    assert old.search(ANN, SEMANTIC).hits, "searches go on with the old vectors"
    filled = old.reindex(HashingEmbedder(2))
    assert 0 < filled.skills < 300, "what was done before the kill is not done again"
    old.close()
    new = opened(tmp_path, 2)
    assert new.store.check() == []  # type: ignore[attr-defined]
    assert new.embedding_progress().embedded == 300
    assert new.search(ANN, SEMANTIC).hits
    new.close()
