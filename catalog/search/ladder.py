"""The ladder: rungs run in order until there are enough hits.

Full text answers most questions. Where it finds fewer than min(limit, 3), the regex rung
adds what it missed; where nothing was found at all, the exact rung looks once more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from catalog.card import Entry
from catalog.search.exact import ExactRung
from catalog.search.full_text import FullTextRung
from catalog.search.query import analysed, validated
from catalog.search.regex import RegexRung
from catalog.search.request import Ranked, RungReport, SearchRequest
from catalog.search.rung import LadderRung, Question
from catalog.steps import StepClock
from catalog.stores.store import StoreReader, Visible

__all__ = ["LADDER", "search_ladder", "validated"]

LADDER: Final[tuple[LadderRung, ...]] = (FullTextRung(), RegexRung(), ExactRung())


def search_ladder(
    reader: StoreReader,
    visible: Visible,
    request: SearchRequest,
    admits: Callable[[Entry], bool],
    steps: StepClock,
) -> tuple[list[Ranked], tuple[RungReport, ...]]:
    """The hits of a validated request, best first, and one report for each rung that ran.

    Args:
        admits: whether an entry may show; asked before any limit.
        steps: each rung is a step of its name.
    """
    question = Question(request, analysed(request.query), reader, visible, admits, steps=steps)
    hits: list[Ranked] = []
    reports: list[RungReport] = []
    for rung in LADDER:
        if rung.is_last_resort and hits:
            break
        found, report = rung.answer(question)
        steps.done(report.rung)
        hits += found
        reports.append(report)
        if len(hits) >= question.enough:
            break
        question = replace(
            question,
            found=frozenset(hit.entry_id for hit in hits),
            lowest=hits[-1].score if hits else 1.0,
        )
    return [hit for hit in hits if hit.score >= request.min_score], _explained(reports, question)


def _explained(reports: list[RungReport], question: Question) -> tuple[RungReport, ...]:
    """The reports, each but the last with why the next rung was tried."""
    total = 0
    explained = []
    for report in reports[:-1]:
        total += report.hits
        reason = report.reason or f"{total} of {question.enough} hits wanted"
        explained.append(replace(report, reason=reason))
    return (*explained, *reports[-1:])
