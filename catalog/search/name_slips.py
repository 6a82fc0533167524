"""Names that a word of the query only almost spells: its beginning, or one slip of the keys."""

from __future__ import annotations

from typing import Final

from catalog.card import Entry
from catalog.search.document import (
    MAX_PREFIX_CHARACTERS,
    MIN_PREFIX_CHARACTERS,
    MIN_TYPO_CHARACTERS,
    PREFIX_TOKEN,
    name_words,
    typo_tokens,
)
from catalog.search.rung import Question
from catalog.text.analysis import joined
from catalog.text.typing_slips import one_slip_apart

PREFIX_SHARE: Final = 0.9
TYPO_SHARE: Final = 0.8
"""Of the lowest true score: a slip always ranks below what the query really says."""
MAX_SLIPS: Final = 50


def slips(
    question: Question, words: tuple[str, ...], found: set[int]
) -> tuple[list[tuple[Entry, float, str]], list[str]]:
    """Entries with the share of the lowest score that they get and the word that led to them,
    best first, and the names of the passes that led to any. Those in `found` are not repeated."""
    hits: dict[int, tuple[Entry, float, str]] = {}
    passes = []
    spelled = dict.fromkeys((question.query.name, *words)) if question.query.name else words
    for name, tokens_of, share in (
        ("prefix", _prefix_tokens, PREFIX_SHARE),
        ("typo", _typo_tokens, TYPO_SHARE),
    ):
        led_somewhere = False
        for word in spelled:
            for entry in _entries(question, tokens_of(word)):
                if name == "prefix" or _almost_in_name(word, entry):
                    led_somewhere = True
                    if entry.entry_id in found:
                        continue
                    closeness = len(word) / max(len(word), len(joined(entry.card.name)))
                    hits.setdefault(entry.entry_id, (entry, share * (0.5 + closeness / 2), word))
        if led_somewhere:
            passes.append(name)
    ordered = sorted(hits.values(), key=lambda hit: (-hit[1], *question.tie(hit[0])))
    return ordered[:MAX_SLIPS], passes


def _entries(question: Question, tokens: list[str]) -> list[Entry]:
    if not tokens:
        return []
    ids = [
        entry_id
        for scope_id, documents in question.visible.documents.items()
        for entry_id in question.reader.match_any(scope_id, tokens, documents)
    ]
    return list(question.allowed(ids).values())


def _prefix_tokens(word: str) -> list[str]:
    if MIN_PREFIX_CHARACTERS <= len(word) <= MAX_PREFIX_CHARACTERS:
        return [PREFIX_TOKEN + word]
    return []


def _typo_tokens(word: str) -> list[str]:
    if MIN_TYPO_CHARACTERS <= len(word) <= MAX_PREFIX_CHARACTERS + 1:
        return sorted(typo_tokens(word))
    return []


def _almost_in_name(word: str, entry: Entry) -> bool:
    name = entry.card.name
    return any(one_slip_apart(word, other) for other in (joined(name), *name_words(name)))
