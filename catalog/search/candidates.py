"""Which entries are worth scoring: few where a word is rare, all where little is allowed.

The engine gives ids in no order of worth, so the words decide: the rarest are asked for
wherever they stand, a frequent one only outside bodies, a very frequent one only in names.
Entries that the request does not admit never take another's place: where they leave too few,
the words are asked for again without a budget.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Final

from catalog.card import Entry
from catalog.search.document import CARD_TOKEN, NAME_TOKEN, NAME_WORD_TOKEN
from catalog.search.query import QueryTerm
from catalog.search.rung import MAX_RANKED, Question
from catalog.stores.store import StoreReader

LEAST_BUDGET: Final = 160
"""Entries of one scope that are scored where there are more."""
BUDGET_SHARE: Final = 30
"""A large scope has a budget of one in so many of its entries, up to `MAX_RANKED`: a word has
to be in so few to be rare, and the engine takes longer to find them than they do to score."""
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
    """One choice of entries to rank. They have still to be admitted.

    Args:
        entry_ids: of one pass.
        named: by id, the admitted ones whose name the query is or begins with, but for
            separators, case and width.
        found_by: the pass.
        enough: with so many hits of the pass the next choice is not asked for.
    """

    entry_ids: Sequence[int]
    named: Mapping[int, Entry]
    found_by: str
    enough: int


def candidates(
    question: Question,
    named: Mapping[int, Entry],
    words: Sequence[QueryTerm],
    frequencies: Mapping[int, Mapping[int, int]],
) -> Iterator[Candidates]:
    """Ever wider choices, until one gives enough hits.

    Args:
        words: that may make candidates, the rarest first.
        frequencies: by scope id, in how many of its entries each term key occurs.
    """
    limit = question.request.limit
    in_sequence = [term for term in words if term.in_sequence]
    if in_sequence and is_short(words):
        entry_ids, is_all = _strict(question, in_sequence)
        yield Candidates(entry_ids, named, "strict", 1 if is_all else limit)
        if not is_all:
            entry_ids = _all_strict(question, in_sequence)
            yield Candidates(entry_ids, named, "strict", 1)
    entry_ids, wider = _any_token(question, words, frequencies)
    yield Candidates(entry_ids, named, "any_token", limit if wider else 0)
    if wider:
        entry_ids = [*entry_ids, *_every_token(question, words, wider)]
        yield Candidates(_admitted(question, entry_ids), named, "any_token", 0)


def is_short(words: Sequence[QueryTerm]) -> bool:
    return sum(term.in_sequence for term in words) <= SHORT_QUERY


def named(question: Question, words: Sequence[QueryTerm]) -> dict[int, Entry]:
    """The admitted entries that the query names, where it may be a name."""
    query = question.query
    if not query.command and not (query.name and is_short(words)):
        return {}
    tokens = [NAME_TOKEN + name for name in (query.command, query.name) if name]
    return question.allowed(
        [
            entry_id
            for scope_id in question.visible.scopes
            for entry_id in question.reader.match_any(scope_id, tokens, MAX_RANKED)
        ]
    )


def _strict(question: Question, words: Sequence[QueryTerm]) -> tuple[list[int], bool]:
    """Entries that hold every word, and whether these are all; where there are many, those
    that hold them outside the body come first."""
    reader, found, is_all = question.reader, dict[int, None](), True
    tokens = [term.tokens for term in words]
    for scope_id, documents in question.visible.documents.items():
        budget = _budget(documents)
        ids = reader.match_all(scope_id, tokens, budget + 1)
        if len(ids) > budget:
            is_all = False
            for marker in (NAME_WORD_TOKEN, CARD_TOKEN):
                groups = [term.marked(marker) for term in words]
                ids = [*reader.match_all(scope_id, groups, budget), *ids]
        found |= dict.fromkeys(ids)
    return list(found), is_all


def _all_strict(question: Question, words: Sequence[QueryTerm]) -> list[int]:
    tokens = [term.tokens for term in words]
    return _admitted(
        question,
        [
            entry_id
            for scope_id, documents in question.visible.documents.items()
            for entry_id in question.reader.match_all(scope_id, tokens, documents)
        ],
    )


def _any_token(
    question: Question,
    content: Sequence[QueryTerm],
    frequencies: Mapping[int, Mapping[int, int]],
) -> tuple[list[int], list[int]]:
    """Entries that hold the rarest words, and the scopes that may have more."""
    reader = question.reader
    found: dict[int, None] = {}
    wider = []
    for scope_id, documents in question.visible.documents.items():
        budget = _budget(documents)
        words, frequent = _affordable(frequencies[scope_id], content, budget)
        ids = _rarest_first(reader, scope_id, words, budget)
        if len(ids) < budget // 2:
            ids += _together(reader, scope_id, frequent, budget)
        found |= dict.fromkeys(ids)
        if frequent or len(ids) >= 2 * budget:
            wider.append(scope_id)
    return list(found), wider


def _every_token(
    question: Question, words: Sequence[QueryTerm], scope_ids: Sequence[int]
) -> Iterator[int]:
    """Entries of those scopes that hold any of the words."""
    tokens = [token for term in words for token in term.tokens]
    for scope_id in scope_ids:
        documents = question.visible.documents[scope_id]
        yield from question.reader.match_any(scope_id, tokens, documents)


def _admitted(question: Question, entry_ids: Iterable[int]) -> list[int]:
    """The first admitted ones, about as many as a search ranks: of the entries of a whole
    scope the request may admit few."""
    found: list[int] = []
    distinct = list(dict.fromkeys(entry_ids))
    for start in range(0, len(distinct), MAX_RANKED):
        found += question.allowed(distinct[start : start + MAX_RANKED])
        if len(found) >= MAX_RANKED:
            break
    return found


def _budget(documents: int) -> int:
    return min(max(LEAST_BUDGET, documents // BUDGET_SHARE), MAX_RANKED)


def _affordable(
    known: Mapping[int, int], content: Sequence[QueryTerm], room: int
) -> tuple[list[Sequence[str]], list[QueryTerm]]:
    """For each word, rarest first, the tokens that make candidates in a scope by themselves;
    and the words that are too frequent for it."""
    words: list[Sequence[str]] = []
    frequent: list[QueryTerm] = []
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


def _rarest_first(
    reader: StoreReader, scope_id: int, words: Sequence[Sequence[str]], budget: int
) -> list[int]:
    """Entries that hold any of the tokens. Where there are more than are wanted, a form that is
    frequent in another language among them, the rarer words have theirs first."""
    most = 2 * budget
    found = reader.match_any(scope_id, [token for tokens in words for token in tokens], most)
    if len(found) < most:
        return found
    ids: dict[int, None] = {}
    for tokens in words:
        ids |= dict.fromkeys(reader.match_any(scope_id, tokens, most))
        if len(ids) >= most:
            break
    return list(ids)[:most]


def _together(
    reader: StoreReader, scope_id: int, frequent: Sequence[QueryTerm], budget: int
) -> list[int]:
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
            ids = reader.match_all(scope_id, groups, budget)
            here = ids + here
            if len(ids) < budget:
                break
        found += here
        if len(here) >= budget:
            break
    return found
