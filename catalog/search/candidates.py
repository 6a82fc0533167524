"""Which entries are worth scoring: few where a word is rare, all where little is allowed.

The engine gives ids in no order of worth, so the words decide: the rarest are asked for
wherever they stand, a frequent one only outside bodies, a very frequent one only in names.
Entries that the request does not admit never take another's place: where they leave too few,
the words are asked for again without a budget.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Final

from catalog.card import Entry
from catalog.search.document import CARD_TOKEN, NAME_TOKEN, NAME_WORD_TOKEN
from catalog.search.query import QueryTerm
from catalog.search.ranking import Ranking
from catalog.search.rung import MAX_RANKED, Question
from catalog.stores.store import StoreReader

BUDGET: Final = 160
"""Entries of one scope that are scored where there are more."""
SHORT_QUERY: Final = 2
"""Content words of a query that is short: the engine is asked for entries that hold them all,
and such an answer stands alone."""
_CARD_SHARE: Final = 4
_NAME_SHARE: Final = 30
"""How many times fewer entries hold a word outside the body, or in the name; measured."""
_WORDS_TOGETHER: Final = 4
"""Frequent words that are asked for together; more would ask for more pairs than they are worth."""


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
    narrow = [term.marked(CARD_TOKEN) for term in words]
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
    return [term.marked(NAME_WORD_TOKEN) for term in words]


def _any_token(
    question: Question,
    content: Sequence[QueryTerm],
    frequencies: Mapping[int, Mapping[int, int]],
) -> dict[int, Entry]:
    reader = question.reader
    found: list[int] = []
    wider: list[tuple[int, int]] = []
    for scope_id, documents in question.visible.documents.items():
        words, frequent = _budgeted(frequencies[scope_id], content)
        ids = _rarest_first(reader, scope_id, words)
        if len(ids) < BUDGET // 2:
            ids += _together(reader, scope_id, frequent)
        found += ids
        if frequent or len(ids) >= 2 * BUDGET:
            wider.append((scope_id, documents))
    admitted = _first_admitted(question, list(dict.fromkeys(found)))
    if len(admitted) >= question.request.limit:
        return admitted
    every = [token for term in content for token in term.tokens]
    for scope_id, documents in wider:
        found += reader.match_any(scope_id, every, documents)
    return _first_admitted(question, list(dict.fromkeys(found))) if wider else admitted


def _budgeted(
    known: Mapping[int, int], content: Sequence[QueryTerm]
) -> tuple[list[Sequence[str]], list[QueryTerm]]:
    """For each word, rarest first, the tokens that make candidates in a scope by themselves;
    and the words that are too frequent for it."""
    words: list[Sequence[str]] = []
    frequent: list[QueryTerm] = []
    room = BUDGET
    for term in content:
        frequency = known[term.key]
        if frequency <= room:
            words.append(term.tokens)
            room -= frequency
            continue
        frequent.append(term)
        if frequency // _CARD_SHARE <= room:
            words.append(term.marked(CARD_TOKEN))
            room -= frequency // _CARD_SHARE
        elif frequency // _NAME_SHARE <= room:
            words.append(term.marked(NAME_WORD_TOKEN))
            room -= frequency // _NAME_SHARE
    return words, frequent


def _rarest_first(reader: StoreReader, scope_id: int, words: Sequence[Sequence[str]]) -> list[int]:
    """Entries that hold any of the tokens. Where there are more than are wanted, a form that is
    frequent in another language among them, the rarer words have theirs first."""
    most = 2 * BUDGET
    found = reader.match_any(scope_id, [token for tokens in words for token in tokens], most)
    if len(found) < most:
        return found
    ids: dict[int, None] = {}
    for tokens in words:
        ids |= dict.fromkeys(reader.match_any(scope_id, tokens, most))
        if len(ids) >= most:
            break
    return list(ids)[:most]


def _together(reader: StoreReader, scope_id: int, frequent: Sequence[QueryTerm]) -> list[int]:
    """Entries that hold several of the rarest frequent words: on the card before anywhere, and
    where two words give too many, those of more words first."""
    words = [term for term in frequent if term.in_sequence][:_WORDS_TOGETHER]
    found: list[int] = []
    for marker in (CARD_TOKEN, ""):
        tokens = [term.marked(marker) for term in words]
        here: list[int] = []
        for least in range(2, len(tokens) + 1):
            # At least so many of the words: every choice of the others plus one holds one.
            choices = combinations(tokens, len(tokens) - least + 1)
            groups = [list(chain.from_iterable(choice)) for choice in choices]
            ids = reader.match_all(scope_id, groups, BUDGET)
            here = ids + here
            if len(ids) < BUDGET:
                break
        found += here
        if len(here) >= BUDGET:
            break
    return found


def _first_admitted(question: Question, entry_ids: list[int]) -> dict[int, Entry]:
    """Admitted entries, at most as many as a search ranks."""
    allowed: dict[int, Entry] = {}
    for start in range(0, len(entry_ids), MAX_RANKED):
        allowed.update(question.allowed(entry_ids[start : start + MAX_RANKED]))
        if len(allowed) >= MAX_RANKED:
            break
    return allowed
