"""What operators and callers see of an embedder at work, slow or failing, over the wire."""

from __future__ import annotations

import re
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from catalog.catalog import Catalog
from skillcatalog.v1 import skillcatalog_pb2 as pb
from tests.wire.conftest import Start, Wire, caller, refusal, skill_text

pytest.importorskip("faiss")

from tests.semantic.hashing_embedder import HashingEmbedder

ANN = caller("acme")
SKILLS = 70
"""More than are embedded in one batch."""


class HeldEmbedder(HashingEmbedder):
    """Embeds until it is held, and then no more until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.going = threading.Event()
        self.going.set()

    def embed(self, texts: Sequence[str]) -> Any:
        self.going.wait(30)
        return super().embed(texts)


@pytest.fixture
def embedder() -> Iterator[HeldEmbedder]:
    held = HeldEmbedder()
    yield held
    held.going.set()


@pytest.fixture
def wire(start: Start, embedder: HeldEmbedder) -> Wire:
    return start(catalog=Catalog.open("memory:", embedder=embedder), metrics_port=0)


def metric(wire: Wire, name: str) -> float:
    url = f"http://127.0.0.1:{wire.server.metrics.port}/metrics"
    with urllib.request.urlopen(url) as answer:
        found = re.search(rf"^skillcatalog_{name} (\S+)$", answer.read().decode(), re.MULTILINE)
    assert found is not None
    return float(found[1])


def imported(wire: Wire) -> None:
    files = {f"s{n}/SKILL.md": skill_text(f"s{n}", f"Weigh parcel {n}") for n in range(SKILLS)}
    assert wire.import_skills(files, ANN).added == SKILLS


def embedded(wire: Wire) -> None:
    deadline = time.monotonic() + 20
    while metric(wire, "embedded_skills") < SKILLS and time.monotonic() < deadline:
        time.sleep(0.02)


def test_metrics_show_how_far_embedding_is(wire: Wire, embedder: HeldEmbedder) -> None:
    embedder.going.clear()
    imported(wire)
    assert metric(wire, "embeddable_skills") == SKILLS
    assert metric(wire, "embedded_skills") == 0
    embedder.going.set()
    embedded(wire)
    assert metric(wire, "embedded_skills") == SKILLS


@pytest.mark.parametrize("mode", [pb.SEARCH_MODE_SEMANTIC, pb.SEARCH_MODE_HYBRID])
def test_a_slow_embedder_gives_its_reason_before_the_caller_gives_up(
    wire: Wire, embedder: HeldEmbedder, mode: pb.SearchMode.ValueType
) -> None:
    imported(wire)
    embedded(wire)
    embedder.going.clear()
    request = pb.SkillSearchRequest(query="weigh parcel 7", mode=mode)
    with refusal() as answer:
        wire.stub.SkillSearch(request, metadata=ANN, timeout=1.5)
    assert answer().code == "FAILED_PRECONDITION", "no DEADLINE_EXCEEDED"
    assert answer().reason == "EMBEDDER_UNAVAILABLE"
    assert "has not answered in" in answer().message
    assert metric(wire, "embedder_failures") == 1
    assert wire.names_found("weigh parcel 7", ANN), "the ladder asks no embedder"
    embedder.going.set()
    assert wire.stub.SkillSearch(request, metadata=ANN, timeout=20).hits
