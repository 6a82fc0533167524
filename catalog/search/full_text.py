"""The first rung: the engine finds candidates by tokens, `Ranking` orders them.

Passes: `name` looks for the whole query as a name; `strict` for entries that hold every word;
`any_token` for entries that hold one, the rarest words making the candidates and the frequent
ones only scoring; `prefix` and `typo` for names that begin like a word of the query, or differ
from one by a slip of the keys.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from catalog.card import Entry
from catalog.search.candidates import Candidates, candidates, is_short, named
from catalog.search.frequencies import document_frequencies
from catalog.search.name_slips import slips
from catalog.search.query import QueryTerm
from catalog.search.ranking import Ranking, Reading, Scored
from catalog.search.request import Ranked, Rung, RungReport
from catalog.search.rung import MAX_RANKED, Question
from catalog.search.scores import evidence_of, score_of
from catalog.text.folding import fold

EXACT_NAME_SCORE: Final = 1.0
JOINED_NAME_SCORE: Final = 0.995
"""Of a name that differs in separators, case or width only."""
_ROOM_FOR_COPIES: Final = 10


class FullTextRung:
    is_last_resort = False

    def answer(self, question: Question) -> tuple[list[Ranked], RungReport]:
        engine = question.reader.full_text_engine
        if engine is None:
            reason = "this SQLite library has no full text"
            return [], RungReport(Rung.FULL_TEXT, available=False, hits=0, reason=reason)
        frequencies = _frequencies(question)
        ranking = _ranking(question, frequencies)
        words = sorted(
            (term for term in ranking.terms if term.is_content),
            key=lambda term: -ranking.rarity[term.key],
        )
        hits: list[Ranked] = []
        of_name = named(question, words)
        passes = ["name"] if of_name else []
        for made in candidates(question, of_name, words, frequencies):
            hits = _hits(question, ranking, made)
            if made.found_by not in passes:
                passes.append(made.found_by)
            if len({hit.entry_id for hit in hits}.intersection(made.entry_ids)) >= made.enough:
                break
        unknown = _unknown_words(words, frequencies)
        if unknown and (len(hits) < question.enough or is_short(words)):
            found, names = slips(question, unknown, {hit.entry_id for hit in hits})
            lowest = hits[-1].score if hits else 1.0
            hits += [_slip(entry, share * lowest, word) for entry, share, word in found]
            passes += names
        return hits, RungReport(Rung.FULL_TEXT, True, len(hits), tuple(passes))


def read_in_full(question: Question, entry_ids: Sequence[int]) -> list[Ranked]:
    """What the words of the query say for each of a few entries, whoever found them, without
    the limits of the passes.

    Args:
        entry_ids: of entries that may show.
    """
    ranking = _ranking(question, _frequencies(question))
    reading = ranking.read(question.reader.profiles(entry_ids))
    evidence = evidence_of(ranking.known_words())
    ranked = [(item.entry_id, score_of(item.value, evidence)) for item in reading.ranked()]
    return _explained(reading, ranked)


def evidence_of_query(question: Question) -> float:
    """The log-odds that are part of every score of full text for it."""
    return evidence_of(_ranking(question, _frequencies(question)).known_words())


def _frequencies(question: Question) -> dict[int, dict[int, int]]:
    """In how many entries of each visible scope each term of the query occurs."""
    terms = question.query.terms
    found = document_frequencies(question, (key for t in terms for key in (t.key, t.english_key)))
    return {
        scope_id: {
            term.key: sum(of_key[key] for key in {term.key, term.english_key}) for term in terms
        }
        for scope_id, of_key in found.items()
    }


def _ranking(question: Question, frequencies: dict[int, dict[int, int]]) -> Ranking:
    total: Counter[int] = Counter()
    for of_scope in frequencies.values():
        total.update(of_scope)
    return Ranking(question.query, sum(question.visible.documents.values()), total)


def _unknown_words(
    words: Sequence[QueryTerm], frequencies: dict[int, dict[int, int]]
) -> tuple[str, ...]:
    """Those that no visible entry holds."""
    return tuple(
        term.text
        for term in words
        if term.in_sequence and not any(known.get(term.key) for known in frequencies.values())
    )


def _hits(question: Question, ranking: Ranking, made: Candidates) -> list[Ranked]:
    """The best admitted candidates: ranked first, since most need then not be looked at."""
    reading = ranking.read(question.reader.profiles([*made.named, *made.entry_ids]))
    depth = MAX_RANKED if question.request.page_token else question.request.limit + _ROOM_FOR_COPIES
    ordered = [
        (-_name_score(question, entry), *question.tie(entry), entry_id)
        for entry_id, entry in made.named.items()
    ]
    evidence = evidence_of(ranking.known_words())
    for batch in _batches(reading.ranked(), 2 * depth):
        for entry_id, entry in question.allowed(list(batch)).items():
            if entry_id not in made.named:
                score = score_of(batch[entry_id], evidence)
                ordered.append((-score, *question.tie(entry), entry_id))
        if len(ordered) >= depth:
            break
    ordered.sort()
    return _explained(reading, [(item[-1], -item[0]) for item in ordered[:depth]])


def _batches(ranked: Iterable[Scored], size: int) -> Iterator[dict[int, float]]:
    """Entry ids with their values, best first, `size` or more at a time: ties, which are
    broken later, stay together."""
    batch: dict[int, float] = {}
    last = math.nan
    for value, entry_id in ranked:
        if len(batch) >= size and value != last:
            yield batch
            batch = {}
        batch[entry_id] = last = value
    if batch:
        yield batch


def _explained(reading: Reading, ranked: Sequence[tuple[int, float]]) -> list[Ranked]:
    """Entry ids and scores with what matched."""
    matched = reading.matched([entry_id for entry_id, _ in ranked])
    return [
        Ranked(entry_id, score, Rung.FULL_TEXT, found.terms, found.fields)
        for (entry_id, score), found in zip(ranked, matched, strict=True)
    ]


def _name_score(question: Question, entry: Entry) -> float:
    names = (fold(entry.card.name), fold(entry.card.qualified_name))
    return EXACT_NAME_SCORE if fold(question.request.query) in names else JOINED_NAME_SCORE


def _slip(entry: Entry, score: float, word: str) -> Ranked:
    return Ranked(entry.entry_id, score, Rung.FULL_TEXT, (word,), ("name",))
