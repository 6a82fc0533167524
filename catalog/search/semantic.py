"""The semantic rung: entries whose texts mean what the query means, by their vectors.

It runs alone in mode SEMANTIC and beside the ladder in mode HYBRID.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from catalog.card import Entry
from catalog.search.request import Ranked, Rung, RungReport
from catalog.search.rung import MAX_RANKED, Question

if TYPE_CHECKING:
    from catalog.embedding.embedder import Vectors
    from catalog.embedding.scope_vectors import ScopeVectors
    from catalog.embedding.stored_vectors import StoredVectors
    from catalog.embedding.vector_memory import VectorMemory
    from catalog.stores.vectors import VectorSpace

EXACT_NAME_SCORE: Final = 1.0
_BEST_SCORE: Final = 0.99
_UNDECIDED: Final = 0.4
_STEEPNESS: Final = 8.0
_ROOM_FOR_COPIES: Final = 10


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a query means: its vector, the space it lies in, and the vectors to compare.

    `scripts` are those that the embedder makes sense of; `lacking` is told of a tenant that
    has skills without vectors, which another process may have written.
    """

    vector: Vectors
    space: VectorSpace
    memory: VectorMemory
    scripts: frozenset[str]
    lacking: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Similar:
    """Entries that may show with how near they are, nearest first.

    `scopes` are the vectors that were looked at; `without` counts visible entries that have
    none yet.
    """

    found: Sequence[tuple[Entry, float]]
    scopes: Sequence[ScopeVectors | StoredVectors]
    without: int

    def report(self) -> RungReport:
        passes = ("vectors",)
        reason = f"{self.without} visible skills have no vectors yet" if self.without else ""
        return RungReport(Rung.SEMANTIC, True, len(self.found), passes, reason)


def ranked_by_meaning(question: Question, meaning: Meaning) -> tuple[list[Ranked], RungReport]:
    """Hits of mode SEMANTIC: an exact name, then by similarity.

    Raises:
        EmbeddingsStale: as `similar`.
    """
    depth = question.request.limit + _ROOM_FOR_COPIES
    near = similar(question, meaning, MAX_RANKED if question.request.page_token else depth)
    named = exactly_named(question)
    ordered = [(-score_of(value), *question.tie(entry), entry) for entry, value in near.found]
    ordered.sort(key=lambda item: item[:3])
    hits = [Ranked(entry.entry_id, EXACT_NAME_SCORE, Rung.SEMANTIC) for entry in named]
    ids = {entry.entry_id for entry in named}
    hits += [
        Ranked(entry.entry_id, -negative, Rung.SEMANTIC)
        for negative, _, _, entry in ordered
        if entry.entry_id not in ids
    ]
    return hits, near.report()


def similar(question: Question, meaning: Meaning, fewest: int) -> Similar:
    """At least `fewest` entries that may show, or all that there are.

    Visibility, capability and filters are asked inside the search: it passes over entries that
    are hidden or known to be refused to such a caller, and where it meets more of them, goes on
    to rows that are less near until enough entries passed.

    Raises:
        EmbeddingsStale: the vectors of the store belong to another model.
    """
    checked_active(question, meaning)
    versions = dict(question.visible.version)
    scopes = [
        meaning.memory.of_scope(question.reader, scope_id, versions[scope_id])
        for scope_id in question.visible.scopes
    ]
    found: list[tuple[Entry, float]] = []
    caller = (question.request.capability, question.request.filters)
    for vectors in scopes:
        found += vectors.allowed(
            meaning.vector, fewest, question.allowed, caller, question.visible.hidden
        )
    found.sort(key=lambda item: -item[1])
    visible = sum(question.visible.documents.values())
    without = visible - sum(vectors.entries for vectors in scopes)
    if without:
        for tenant in {scope.tenant for scope in question.visible.scopes.values()}:
            meaning.lacking(tenant)
    return Similar(found, scopes, without)


def checked_active(question: Question, meaning: Meaning) -> None:
    """Asked once for each version of the visible scopes: a switch gives all scopes a new one.

    Raises:
        EmbeddingsStale: the vectors of the store belong to another model.
    """
    version = question.visible.version
    if version and meaning.memory.checked.get(version):
        return
    meaning.space.check_active(question.reader.active_vectors())
    meaning.memory.checked.put(version, True)


def exactly_named(question: Question) -> list[Entry]:
    """Entries of exactly that name: they come first in every mode."""
    found = question.reader.named(list(question.visible.scopes), question.request.query)
    return sorted(question.allowed([entry.entry_id for entry in found]).values(), key=question.tie)


def score_of(nearness: float) -> float:
    """Any nearness as a score in (0, 0.99), higher for higher: half of it at a cosine of 0.4,
    where texts begin to be about the same thing."""
    return _BEST_SCORE / (1 + math.exp((_UNDECIDED - nearness) * _STEEPNESS))
