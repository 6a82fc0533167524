"""Every way to find near rows agrees with comparing all of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from catalog.embedding import graph, scope_vectors
from catalog.embedding.graph import Graph, GraphRows
from catalog.embedding.nearest import CodedRows
from catalog.embedding.scope_vectors import ScopeVectors
from catalog.stores.vectors import VectorSpace

Matrix = NDArray[np.float32]
SPACE = VectorSpace("rows", 48, 1)


def unit_rows(count: int, seed: int = 7) -> Matrix:
    found = np.random.default_rng(seed).standard_normal((count, SPACE.dimension))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


class Scope:
    """Stands where a store's reader does: entries with two rows each."""

    def __init__(self, entries: Iterable[int]) -> None:
        self.ids = sorted(entries)
        self.read: list[int] = []

    def embedded_entries(self, scope_id: int, space: VectorSpace) -> list[int]:
        return self.ids

    def vectors(
        self, scope_id: int, space: VectorSpace, ids: Sequence[int]
    ) -> Iterator[tuple[int, bytes]]:
        for entry_id in ids:
            self.read.append(entry_id)
            for row in unit_rows(2, entry_id):
                yield entry_id, row.tobytes()


def loaded(
    scope: Scope, before: ScopeVectors | None = None, folder: Path | None = None
) -> ScopeVectors:
    found = scope_vectors.scope_vectors(scope, 1, SPACE, before, folder)  # type: ignore[arg-type]
    if isinstance(found.nearest, GraphRows):
        found.nearest._graph.thread.join()
    return found


class Asked:
    """Says which entries may show, and remembers about which it was asked."""

    def __init__(self, allowed: Iterable[int] = range(10_000)) -> None:
        self._allowed = set(allowed)
        self.ids: list[int] = []

    def __call__(self, entry_ids: list[int]) -> dict[int, Any]:
        self.ids += entry_ids
        return {entry_id: entry_id for entry_id in entry_ids if entry_id in self._allowed}


def found(
    vectors: ScopeVectors,
    query: Matrix,
    fewest: int,
    asked: Asked | None = None,
    hidden: Iterable[int] = (),
) -> list[int]:
    near = vectors.allowed(query, fewest, asked or Asked(), "caller", frozenset(hidden))
    return [entry for entry, _ in near]  # type: ignore[misc]


def nearest_entry(vectors: ScopeVectors, entry_id: int) -> int:
    return found(vectors, unit_rows(2, entry_id)[1], 7)[0]


def by_comparing_all(entries: Iterable[int], query: Matrix) -> list[int]:
    nearness = scope_vectors.scope_vectors(Scope(entries), 1, SPACE, None).nearness  # type: ignore[arg-type]
    values = nearness(query, entries)
    return sorted(values, key=lambda entry: -values[entry])


@pytest.fixture(params=["all", "coded", "graph"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each way, on matrices that a test can make."""
    monkeypatch.setattr(scope_vectors, "FEW_ROWS", 10_000 if request.param == "all" else 10)
    monkeypatch.setattr(scope_vectors, "MANY_ROWS", 20 if request.param == "graph" else 10_000)
    return str(request.param)


def test_an_entry_is_the_nearest_to_its_own_vector_whatever_is_added_and_removed(kind: str) -> None:
    vectors = loaded(Scope(range(300)))
    assert all(nearest_entry(vectors, entry_id) == entry_id for entry_id in range(0, 300, 7))
    changed = Scope([*range(5, 300), 900, 901])
    after = loaded(changed, vectors)
    assert changed.read == [900, 901], "only what is new is read"
    for entry_id in (5, 6, 150, 299, 900, 901):
        assert nearest_entry(after, entry_id) == entry_id
    assert set(found(after, unit_rows(2, 0)[0], 10_000)) == set(changed.ids)
    assert nearest_entry(vectors, 0) == 0, "an older snapshot keeps its own"


def test_an_empty_scope_has_nothing_near(kind: str) -> None:
    vectors = loaded(Scope([]), loaded(Scope(range(50))))
    assert found(vectors, unit_rows(1)[0], 40) == []


@pytest.mark.parametrize("share", [2, 30])
def test_a_search_among_few_allowed_entries_finds_the_nearest_of_them(
    kind: str, share: int
) -> None:
    vectors = loaded(Scope(range(5, 600)), loaded(Scope(range(580))))
    allowed = set(range(0, 600, share))
    present = [entry for entry in range(5, 600) if entry in allowed]
    for seed in range(5):
        query = unit_rows(1, 5_000 + seed)[0]
        for hidden in ((), present[:3], range(0, 600, 4)):
            left = [entry for entry in present if entry not in hidden]
            expected = by_comparing_all(left, query)[:6]
            assert found(vectors, query, 6, Asked(allowed), hidden) == expected


def test_who_was_refused_once_is_passed_over_inside_the_next_search(kind: str) -> None:
    vectors = loaded(Scope(range(300)))
    asked = Asked(range(0, 300, 10))
    query = unit_rows(1, 4_000)[0]
    first = found(vectors, query, 30, asked)
    assert len(asked.ids) > len(first) == 30
    asked.ids = []
    assert found(vectors, query, 30, asked) == first
    assert sorted(asked.ids) == sorted(first)
    others = vectors.allowed(query, 3, Asked(), "another caller", frozenset())
    assert [entry for entry, _ in others] == by_comparing_all(range(300), query)[:3]


def test_coded_rows_hold_the_best_of_all() -> None:
    matrix = unit_rows(9_000)
    query = matrix[4_500]
    near = CodedRows(matrix).rows(query, 400, None)
    assert near is not None
    assert set(np.argsort(-(matrix @ query))[:50].tolist()) <= set(near.tolist())


def test_a_graph_is_carried_over_few_changes_and_built_anew_after_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scope_vectors, "FEW_ROWS", 10)
    monkeypatch.setattr(scope_vectors, "MANY_ROWS", 20)
    first = loaded(Scope(range(300)))
    few = loaded(Scope(range(3, 303)), first)
    many = loaded(Scope(range(200, 500)), few)
    graphs = [vectors.nearest._graph for vectors in (first, few, many)]  # type: ignore[attr-defined]
    assert graphs[0] is graphs[1]
    assert graphs[1] is not graphs[2]


@pytest.mark.parametrize("damage", [False, True])
def test_a_graph_is_kept_in_a_file_and_read_only_when_its_hash_holds(
    tmp_path: Path, damage: bool, caplog: pytest.LogCaptureFixture
) -> None:
    matrix, folder = unit_rows(500), tmp_path / "vectors"
    Graph(matrix, folder / "1").thread.join()
    (kept,) = folder.glob("1-*.hnsw")
    data = kept.read_bytes()
    assert hashlib.sha256(data[32:]).digest() == data[:32]
    if damage:
        kept.write_bytes(data[:-5] + b"wrong")
    again = Graph(matrix, folder / "1")
    again.thread.join()
    assert again.index.ntotal == 500
    assert ("damaged" in caplog.text) is damage
    other = Graph(unit_rows(500, seed=8), folder / "1")
    other.thread.join()
    assert len(list(folder.glob("1-*.hnsw"))) == 1, "files of earlier rows are dropped"
    assert kept not in folder.iterdir()


def test_rows_are_scanned_while_the_graph_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph.Graph, "_build", lambda *_: None)
    matrix = unit_rows(3_000)
    rows = GraphRows(matrix, Graph(matrix, None), np.arange(3_000))
    near = rows.rows(matrix[77], 100, None)
    assert near is not None
    assert 77 in near
