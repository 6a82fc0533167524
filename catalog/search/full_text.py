"""The first rung: the engine finds candidates by tokens, `Ranking` orders them.

Passes: `name` looks for the whole query as a name; `strict` for entries that hold every word;
`any_token` for entries that hold one, the rarest words making the candidates and the frequent
ones only scoring. Where nothing holds a word, `prefix` and `typo` look for names that begin like
it or differ from it by a slip of the keys; else `language` reads the query in another language,
and `parts` looks for entries that hold what the word is made of.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from catalog.card import Entry
from catalog.search.candidates import Candidates, candidates, is_short, named
from catalog.search.frequencies import document_frequencies
from catalog.search.name_slips import slips
from catalog.search.query import QueryTerm
from catalog.search.ranking import Ranking, Reading, Scored
from catalog.search.request import Ranked, Rung, RungReport
from catalog.search.rung import MAX_RANKED, Question
from catalog.search.scores import evidence_of, score_of
from catalog.search.unknown_words import in_another_language, in_parts
from catalog.text.folding import fold

EXACT_NAME_SCORE: Final = 1.0
JOINED_NAME_SCORE: Final = 0.995
"""Of a name that differs in separators, case or width only."""
PARTS_SHARE: Final = 0.85
"""Of the lowest true score, what parts of words that nothing holds whole give at most."""
_ROOM_FOR_COPIES: Final = 10


class FullTextRung:
    is_last_resort = False

    def answer(self, question: Question) -> tuple[list[Ranked], RungReport]:
        engine = question.reader.full_text_engine
        if engine is None:
            reason = "this SQLite library has no full text"
            return [], RungReport(Rung.FULL_TEXT, available=False, hits=0, reason=reason)
        found = _found(question)
        hits, passes = found.hits, found.passes
        if found.unknown and (len(hits) < question.enough or found.is_short):
            slipped, names = slips(question, found.unknown, {hit.entry_id for hit in hits})
            lowest = hits[-1].score if hits else 1.0
            hits = hits + [_slip(entry, share * lowest, word) for entry, share, word in slipped]
            passes = passes + names
            if not names:
                hits, passes = _read_otherwise(question, found)
        return hits, RungReport(Rung.FULL_TEXT, True, len(hits), tuple(passes))


class _Found(NamedTuple):
    """What holds words of a query, best first, the passes for it, and the words that no visible
    entry holds."""

    hits: list[Ranked]
    passes: list[str]
    unknown: tuple[str, ...]
    is_short: bool


def _found(question: Question) -> _Found:
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
    return _Found(hits, passes, _unknown_words(words, frequencies), is_short(words))


def _read_otherwise(question: Question, found: _Found) -> tuple[list[Ranked], list[str]]:
    """The hits and passes with what another reading of the unknown words finds."""
    passes = found.passes
    other = in_another_language(question, found.unknown) if found.is_short else None
    if other is not None:
        question = replace(question, query=other)
        found = _found(question)
        passes = [*passes, "language", *found.passes]
    of_parts = _of_parts(question, found)
    return found.hits + of_parts, [*passes, "parts"] if of_parts else passes


def _of_parts(question: Question, found: _Found) -> list[Ranked]:
    """Entries that hold parts of the unknown words, below all hits."""
    query = in_parts(question, found.unknown)
    if query is None:
        return []
    lowest = min((hit.score for hit in found.hits), default=1.0)
    known = question.found.union(hit.entry_id for hit in found.hits)
    of_parts = _found(replace(question, query=query, found=known)).hits
    return [replace(hit, score=PARTS_SHARE * lowest * hit.score) for hit in of_parts]


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
