"""Which ranking a request asked for. A mode never answers for another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from catalog.card import Entry
from catalog.search.hybrid import ranked_by_both
from catalog.search.ladder import search_ladder
from catalog.search.query import AnalysedQuery
from catalog.search.request import Ranked, Rung, RungReport, SearchMode, SearchRequest
from catalog.search.rung import Question
from catalog.search.semantic import Meaning, ranked_by_meaning
from catalog.steps import StepClock
from catalog.stores.store import StoreReader, Visible


def ranked_by_mode(
    reader: StoreReader,
    visible: Visible,
    request: SearchRequest,
    admits: Callable[[Entry], bool],
    meaning: Meaning | None,
    steps: StepClock,
) -> tuple[list[Ranked], tuple[RungReport, ...]]:
    """The hits of a validated request, best first, and one report for each rung that ran.

    Args:
        meaning: of the query, in every mode but LADDER.
        steps: each rung is a step of its name.

    Raises:
        EmbeddingsStale: the vectors of the store belong to another model.
    """
    if meaning is None:
        return search_ladder(reader, visible, request, admits, steps)
    question = Question(request, _NO_WORDS, reader, visible, admits, steps=steps)
    if request.mode is SearchMode.HYBRID:
        hits, reports = ranked_by_both(question, meaning)
    else:
        hits, report = ranked_by_meaning(question, meaning)
        reports = (report,)
    steps.done(Rung.SEMANTIC)
    return [hit for hit in hits if hit.score >= request.min_score], reports


# Vectors are asked without words; the ladder takes its own look at them.
_NO_WORDS: Final = AnalysedQuery("", (), (), "", "")
