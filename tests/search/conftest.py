"""A catalog in memory and one question: which names does the ladder give?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from catalog.card import Entry
from catalog.identity import Identity
from catalog.scope import ScopeKind, scope_of, visible_scopes
from catalog.search.ladder import search_ladder, validated
from catalog.search.request import Ranked, RungReport, SearchRequest
from catalog.skill import Skill
from catalog.steps import StepClock
from catalog.stores.open import open_store
from catalog.stores.store import SkillStore
from tests.written_skills import identity


@dataclass(frozen=True)
class Answer:
    names: list[str]
    hits: list[Ranked]
    rungs: tuple[RungReport, ...]

    @property
    def scores(self) -> list[float]:
        return [hit.score for hit in self.hits]


class Shelf:
    """Skills of one or several identities, searched as the facade would."""

    def __init__(self, store: SkillStore) -> None:
        self.store = store

    def put(
        self, *skills: Skill, kind: ScopeKind = ScopeKind.TENANT, who: Identity | None = None
    ) -> list[int]:
        who = who or identity()
        with self.store.write(who) as writer:
            return [writer.put(scope_of(who, kind), skill, 100, 0.0) for skill in skills]

    def remove(self, entry_id: int) -> None:
        with self.store.write(identity()) as writer:
            writer.remove(entry_id, 1.0)

    def ask(
        self,
        query: str,
        admits: Callable[[Entry], bool] = lambda entry: True,
        who: Identity | None = None,
        **asked: object,
    ) -> Answer:
        request = SearchRequest(query, **asked)  # type: ignore[arg-type]
        validated(request)
        who = who or identity()
        with self.store.read(who) as reader:
            visible = reader.visible(visible_scopes(who))
            hits, rungs = search_ladder(reader, visible, request, admits, StepClock())
            entries = reader.entries([hit.entry_id for hit in hits])
        return Answer([entries[hit.entry_id].card.name for hit in hits], hits, rungs)


@pytest.fixture
def shelf() -> Iterator[Shelf]:
    store = open_store("memory:")
    yield Shelf(store)
    store.close()
