"""Which entries are worth scoring: few where a word is rare, all where little is allowed.

The engine gives ids in no order of worth, so the words decide: the rarest are asked for
wherever they stand, a frequent one only outside bodies, a very frequent one only in names.
Entries that the request does not admit never take another's place: where they leave too few,
the words are asked for again without a budget.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from catalog.card import Entry
from catalog.search.document import CARD_TOKEN, NAME_TOKEN, NAME_WORD_TOKEN
from catalog.search.query import QueryTerm
from catalog.search.ranking import Ranking
from catalog.search.rung import MAX_RANKED, Question

BUDGET: Final = 160
"""Entries of one scope that are scored where there are more."""
SHORT_QUERY: Final = 2
"""Content words of a query that is short: the engine is asked for entries that hold them all,
and such an answer stands alone."""
_CARD_SHARE: Final = 4
_NAME_SHARE: Final = 30
"""How many times fewer entries hold a word outside the body, or in the name; measured."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Args:
    entries: admitted ones, by id.
    named: those whose name the query is or begins with, but for separators, case and width.
    passes: what was asked, in order.
    unknown_words: content words that no visible entry holds.
    """

    entries: dict[int, Entry]
    named: frozenset[int]
    passes: tuple[str, ...]
    unknown_words: tuple[str, ...]
    is_short: bool


def candidates(
    question: Question, ranking: Ranking, frequencies: Mapping[int, Mapping[int, int]]
) -> Candidates:
    """Args:
    frequencies: by scope id, in how many of its entries each term key occurs.
    """
    content = [term for term in ranking.terms if term.is_content]
    content.sort(key=lambda term: -ranking.rarity[term.key])
    words = [term for term in content if term.in_sequence]
    is_short = len(words) <= SHORT_QUERY
    entries: dict[int, Entry] = {}
    passes = []
    if question.query.command or (question.query.name and is_short):
        entries.update(question.allowed(_named(question)))
        if entries:
            passes.append("name")
    named = frozenset(entries)
    strict: dict[int, Entry] = {}
    if is_short and words:
        passes.append("strict")
        strict = _strict(question, words)
        entries.update(strict)
    if not strict:
        passes.append("any_token")
        entries.update(_any_token(question, content, frequencies))
    unknown = tuple(
        term.text
        for term in words
        if not any(known.get(term.key) for known in frequencies.values())
    )
    return Candidates(entries, named, tuple(passes), unknown, is_short)


def _named(question: Question) -> list[int]:
    names = (question.query.command, question.query.name)
    tokens = [NAME_TOKEN + name for name in names if name]
    return [
        entry_id
        for scope_id in question.visible.scopes
        for entry_id in question.reader.match_any(scope_id, tokens, MAX_RANKED)
    ]


def _strict(question: Question, words: Sequence[QueryTerm]) -> dict[int, Entry]:
    """Entries that hold every word; where there are many, those that hold them outside the
    body come first."""
    reader, found = question.reader, []
    narrow = [[CARD_TOKEN + term.tokens[0]] for term in words]
    for scope_id, documents in question.visible.documents.items():
        ids = reader.match_all(scope_id, [term.tokens for term in words], BUDGET + 1)
        if len(ids) > BUDGET:
            for groups in (_in_names(words), narrow):
                ids = [*reader.match_all(scope_id, groups, BUDGET), *ids]
            ids = list(dict.fromkeys(ids))
            if len(question.allowed(ids)) < question.request.limit:
                ids = reader.match_all(scope_id, [term.tokens for term in words], documents)
        found += ids
    return _first_admitted(question, found)


def _in_names(words: Sequence[QueryTerm]) -> list[list[str]]:
    return [[NAME_WORD_TOKEN + term.tokens[0]] for term in words]


def _any_token(
    question: Question,
    content: Sequence[QueryTerm],
    frequencies: Mapping[int, Mapping[int, int]],
) -> dict[int, Entry]:
    reader = question.reader
    found: list[int] = []
    wider: list[tuple[int, int]] = []
    for scope_id, documents in question.visible.documents.items():
        tokens, is_all = _budgeted(frequencies[scope_id], content)
        ids = reader.match_any(scope_id, tokens, 2 * BUDGET)
        found += ids
        if not is_all or len(ids) >= 2 * BUDGET:
            wider.append((scope_id, documents))
    admitted = _first_admitted(question, found)
    if len(admitted) >= question.request.limit:
        return admitted
    every = [token for term in content for token in term.tokens]
    for scope_id, documents in wider:
        found += reader.match_any(scope_id, every, documents)
    return _first_admitted(question, list(dict.fromkeys(found))) if wider else admitted


def _budgeted(known: Mapping[int, int], content: Sequence[QueryTerm]) -> tuple[list[str], bool]:
    """The tokens that make candidates in a scope, and whether they are all there are."""
    tokens: list[str] = []
    is_all = True
    room = BUDGET
    for term in content:
        frequency = known[term.key]
        if frequency <= room:
            tokens += term.tokens
            room -= frequency
            continue
        is_all = False
        if frequency // _CARD_SHARE <= room:
            tokens.append(CARD_TOKEN + term.tokens[0])
            room -= frequency // _CARD_SHARE
        elif frequency // _NAME_SHARE <= room:
            tokens.append(NAME_WORD_TOKEN + term.tokens[0])
            room -= frequency // _NAME_SHARE
    return tokens, is_all


def _first_admitted(question: Question, entry_ids: list[int]) -> dict[int, Entry]:
    """Admitted entries, at most as many as a search ranks."""
    allowed: dict[int, Entry] = {}
    for start in range(0, len(entry_ids), MAX_RANKED):
        allowed.update(question.allowed(entry_ids[start : start + MAX_RANKED]))
        if len(allowed) >= MAX_RANKED:
            break
    return allowed
