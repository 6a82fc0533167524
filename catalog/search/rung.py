"""The seam of a rung: one stage of the ladder behind one method."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from catalog.card import Entry
from catalog.search.query import AnalysedQuery
from catalog.search.request import Ranked, RungReport, SearchRequest
from catalog.search.scope_memory import ScopeMemory
from catalog.steps import StepClock
from catalog.stores.store import StoreReader, Visible

MAX_RANKED = 1_000
"""Hits that a search ranks at most; pages end there."""


@dataclass(frozen=True, slots=True)
class Question:
    """One search: what is asked, of whom, and which entries may answer.

    Args:
        admits: capability and filters; asked of every entry before any limit.
        found: entry ids that earlier rungs gave.
        lowest: the lowest score that earlier rungs gave, or 1.0; hits of a later rung rank
            below it.
        steps: is told how long admission takes, apart from the rung around it.
    """

    request: SearchRequest
    query: AnalysedQuery
    reader: StoreReader
    visible: Visible
    admits: Callable[[Entry], bool]
    found: frozenset[int] = frozenset()
    lowest: float = 1.0
    steps: StepClock = field(default_factory=StepClock)

    @property
    def enough(self) -> int:
        """With fewer hits than this the next rung is tried."""
        return min(self.request.limit, 3)

    def memory(self, scope_id: int) -> ScopeMemory:
        return self.reader.scope_memory(scope_id, dict(self.visible.version)[scope_id])

    def allowed(self, entry_ids: list[int]) -> dict[int, Entry]:
        """Those of the entries that are neither hidden, found before, nor refused."""
        closed = self.visible.hidden | self.found
        if closed:
            entry_ids = [entry_id for entry_id in entry_ids if entry_id not in closed]
        admits, entries = self.admits, self.reader.entries(entry_ids)
        began = time.perf_counter()
        admitted = {entry_id: entry for entry_id, entry in entries.items() if admits(entry)}
        self.steps.apart("filter", began)
        return admitted

    def tie(self, entry: Entry) -> tuple[int, str]:
        """Narrower scope first, then the qualified name."""
        return self.visible.scopes[entry.scope_id].kind.breadth, entry.card.qualified_name


class LadderRung(Protocol):
    """`is_last_resort`: tried only where nothing was found."""

    is_last_resort: bool

    def answer(self, question: Question) -> tuple[list[Ranked], RungReport]:
        """Hits best first, and what the rung did for them."""
