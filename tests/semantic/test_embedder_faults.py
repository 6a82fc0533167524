"""Missing, slow, failing and nonsensical embedders: loud, in time, and never another answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from catalog.catalog import Catalog
from catalog.embedding.embedder import embedded
from catalog.errors import DeadlineExceeded, EmbedderUnavailable
from catalog.scope import ScopeKind
from catalog.search.request import SearchMode, SearchRequest
from tests.semantic.hashing_embedder import HashingEmbedder
from tests.written_skills import identity, written_skill

ANN = identity()
MODES = (SearchMode.SEMANTIC, SearchMode.HYBRID)


class Within:
    """The checkpoint of a caller with a deadline."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def seconds_left(self) -> float:
        return self._end - time.monotonic()

    def __call__(self) -> None:
        if self.seconds_left <= 0:
            raise DeadlineExceeded("too late")


class FaultyEmbedder(HashingEmbedder):
    """Works until `fault` is set."""

    fault: Callable[[Sequence[str]], object] | None = None

    def embed(self, texts: Sequence[str]):  # type: ignore[no-untyped-def]
        if self.fault is not None:
            return self.fault(texts)
        return super().embed(texts)


def raising(texts: Sequence[str]) -> object:
    raise OSError("the disk of /secret/place is gone")


def vectors_of(value: float) -> Callable[[Sequence[str]], object]:
    return lambda texts: np.full((len(texts), 64), value, np.float32)


FAULTS: dict[str, tuple[Callable[[Sequence[str]], object], str]] = {
    "raises": (raising, "it raised OSError"),
    "gives nothing": (lambda texts: [], "shape"),
    "gives NaN": (vectors_of(float("nan")), "not finite"),
    "gives infinity": (vectors_of(float("inf")), "not finite"),
    "gives zeros": (vectors_of(0.0), "length 0"),
    "gives another length": (vectors_of(1.0), "length 8"),
    "gives another dimension": (lambda texts: np.ones((len(texts), 32), np.float32), "shape"),
    "gives words": (lambda texts: [["a"] * 64 for _ in texts], "no matrix"),
    "says it is away": (
        lambda texts: (_ for _ in ()).throw(EmbedderUnavailable("the model is away")),
        "the model is away",
    ),
}


@pytest.fixture
def faulty() -> FaultyEmbedder:
    return FaultyEmbedder()


@pytest.fixture
def catalog(faulty: FaultyEmbedder) -> Catalog:
    opened = Catalog.open("memory:", embedder=faulty)
    with opened.pack_writer(ANN, ScopeKind.TENANT, "tools") as writing:
        writing.put(written_skill("kiln-log", "Logs the kiln"), {})
    opened.embed_missing(ANN)
    return opened


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_embedder_fails_the_search_with_its_reason(
    catalog: Catalog, faulty: FaultyEmbedder, fault: str, mode: SearchMode
) -> None:
    faulty.fault, reason = FAULTS[fault]
    with pytest.raises(EmbedderUnavailable, match=reason) as refusal:
        catalog.search(ANN, SearchRequest("kiln", mode=mode))
    assert "/secret" not in refusal.value.message
    assert catalog.embedder_failures == {"failed": 1}
    assert [hit.card.name for hit in catalog.search(ANN, SearchRequest("kiln")).hits] == [
        "kiln-log"
    ]


@pytest.mark.parametrize("mode", MODES)
def test_a_slow_embedder_is_given_up_within_the_deadline(
    catalog: Catalog, faulty: FaultyEmbedder, mode: SearchMode
) -> None:
    release = threading.Event()
    faulty.fault = lambda texts: release.wait(5)
    began = time.monotonic()
    with pytest.raises(EmbedderUnavailable, match="has not answered in"):
        catalog.search(ANN, SearchRequest("kiln", mode=mode), Within(1.0))
    assert time.monotonic() - began < 1.0
    assert catalog.embedder_failures == {"slow": 1}
    assert catalog.search(ANN, SearchRequest("kiln"), Within(1.0)).hits
    release.set()


def test_an_embedder_that_recovers_answers_again(catalog: Catalog, faulty: FaultyEmbedder) -> None:
    faulty.fault = raising
    with pytest.raises(EmbedderUnavailable):
        catalog.search(ANN, SearchRequest("kiln", mode=SearchMode.SEMANTIC))
    faulty.fault = None
    assert catalog.search(ANN, SearchRequest("kiln", mode=SearchMode.SEMANTIC)).hits


def test_stuck_threads_do_not_keep_later_callers_waiting_past_their_time(
    catalog: Catalog, faulty: FaultyEmbedder
) -> None:
    release = threading.Event()
    faulty.fault = lambda texts: release.wait(10)
    for query in ("one", "two", "three", "four"):
        began = time.monotonic()
        with pytest.raises(EmbedderUnavailable):
            catalog.search(ANN, SearchRequest(query, mode=SearchMode.SEMANTIC), Within(0.2))
        assert time.monotonic() - began < 0.4
    release.set()


@pytest.mark.parametrize("mode", MODES)
def test_without_an_embedder_the_mode_says_so_and_the_ladder_answers(mode: SearchMode) -> None:
    catalog = Catalog.open("memory:")
    with pytest.raises(EmbedderUnavailable, match="no embedder is configured"):
        catalog.search(ANN, SearchRequest("kiln", mode=mode))
    assert catalog.search(ANN, SearchRequest("kiln")).hits == ()


def test_the_reason_why_there_is_none_reaches_the_caller() -> None:
    catalog = Catalog.open("memory:", embedder=EmbedderUnavailable("there is no model folder"))
    with pytest.raises(EmbedderUnavailable, match="there is no model folder"):
        catalog.search(ANN, SearchRequest("kiln", mode=SearchMode.SEMANTIC))


def test_a_failing_embedder_stores_nothing(catalog: Catalog, faulty: FaultyEmbedder) -> None:
    with catalog.pack_writer(ANN, ScopeKind.TENANT, "more") as writing:
        writing.put(written_skill("easel", pack="more"), {})
    faulty.fault = vectors_of(float("nan"))
    with pytest.raises(EmbedderUnavailable):
        catalog.embed_missing(ANN)
    assert catalog.embedding_progress().embedded == 1
    faulty.fault = None
    catalog.embed_missing(ANN)
    assert catalog.embedding_progress().embedded == 2


def test_vectors_of_other_number_types_are_taken_as_float32() -> None:
    doubles = FaultyEmbedder()
    doubles.fault = lambda texts: np.eye(64, dtype=np.float64)[: len(texts)]
    assert embedded(doubles, ["a", "b"]).dtype == np.float32
