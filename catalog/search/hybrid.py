"""Mode HYBRID: the ladder and the vectors, each asked in full, ranked as one list.

The ladder looks at a few hundred entries that hold rare words of the query. The nearest ones
join them: their words are read in full too, as one of them may have all but the rare word.

The evidence of both is added: the ladder's score as log-odds, and how near the entry is,
times weights that were chosen by prompts of left-out repositories. How near an entry is counts
only for queries in scripts that the embedder understands, which is tried when it is opened.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from catalog.embedding.understood_scripts import is_understood
from catalog.search.full_text import JOINED_NAME_SCORE, evidence_of_query, read_in_full
from catalog.search.ladder import search_ladder
from catalog.search.query import analysed
from catalog.search.request import Ranked, Rung, RungReport
from catalog.search.rung import MAX_RANKED, Question
from catalog.search.scores import log_odds_of, of_log_odds
from catalog.search.semantic import Meaning, Similar, similar

DEPTH: Final = 100
"""Entries that either side brings at least."""
READ: Final = 30
"""The nearest entries whose words are read in full. 20 to 50 rank alike."""
_NOT_FOUND: Final = -2.25
"""Log-odds for the ladder of an entry that it does not find, before those of the query."""
_FAR: Final = 0.0


@dataclass(frozen=True, slots=True)
class NearnessWeights:
    """How nearness becomes log-odds; learned by `benchmarks.tune_hybrid`.

    Args:
        nearness: of all of it; with more of it than the default, a small model outvotes words.
        near: from here on texts are about the same thing.
        above: of what is above `near`, as much again.
    """

    nearness: float = 1.5
    near: float = 0.5
    above: float = 2.0

    def evidence(self, nearness: float) -> float:
        return self.nearness * nearness + self.above * max(0.0, nearness - self.near)


LEARNED: Final = NearnessWeights()


def ranked_by_both(
    question: Question, meaning: Meaning, weights: NearnessWeights = LEARNED
) -> tuple[list[Ranked], tuple[RungReport, ...]]:
    """Hits of mode HYBRID with the reports of the ladder's rungs and of the semantic one.

    Raises:
        EmbeddingsStale: the vectors of the store belong to another model.
    """
    depth = MAX_RANKED if question.request.page_token else max(DEPTH, 2 * question.request.limit)
    asked = replace(question.request, limit=depth, min_score=0.0)
    lexical, reports = search_ladder(
        question.reader, question.visible, asked, question.admits, question.steps
    )
    near = similar(question, meaning, depth)
    by_words = {hit.entry_id: hit for hit in lexical}
    in_words = replace(question, query=analysed(question.request.query))
    _read_nearest(in_words, near, by_words)
    nearness = {entry.entry_id: value for entry, value in near.found}
    for vectors in near.scopes:
        nearness |= vectors.nearness(meaning.vector, by_words.keys() - nearness.keys())
    understood = is_understood(question.request.query, meaning.scripts)
    by_meaning = nearness if understood else by_words
    entries = question.reader.entries(list(by_words.keys() | by_meaning.keys()))
    ordered = []
    not_found = _NOT_FOUND + evidence_of_query(in_words)
    for entry_id, entry in entries.items():
        hit = by_words.get(entry_id)
        evidence = weights.evidence(nearness.get(entry_id, _FAR)) if understood else 0.0
        score = _score(hit, not_found, evidence)
        ordered.append((-score, *question.tie(entry), entry_id))
    ordered.sort()
    hits = [_hit(by_words.get(item[-1]), item[-1], -item[0]) for item in ordered]
    report = near.report()
    if not understood:
        reason = "the embedder does not understand the script of the query: words alone rank"
        report = replace(report, reason="; ".join(filter(None, (report.reason, reason))))
    return hits, (*reports, report)


def _read_nearest(question: Question, near: Similar, by_words: dict[int, Ranked]) -> None:
    """Add what the words say for the nearest entries, where it is more than the ladder knows."""
    for read in read_in_full(question, [entry.entry_id for entry, _ in near.found[:READ]]):
        known = by_words.get(read.entry_id)
        if known is not None:
            by_words[read.entry_id] = replace(known, score=max(known.score, read.score))
        elif read.matched_terms:
            by_words[read.entry_id] = replace(read, rung=Rung.SEMANTIC)


def _score(hit: Ranked | None, not_found: float, evidence: float) -> float:
    if hit is not None and hit.score >= JOINED_NAME_SCORE:
        return hit.score  # a name comes first, whatever it means
    odds = not_found if hit is None else log_odds_of(hit.score)
    return of_log_odds(odds + evidence)


def _hit(hit: Ranked | None, entry_id: int, score: float) -> Ranked:
    if hit is None:
        return Ranked(entry_id, score, Rung.SEMANTIC)
    return replace(hit, score=score)
