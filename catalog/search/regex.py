"""The second rung: the query as a pattern, or as it stands, over the text of the cards.

RE2 runs in linear time whatever the pattern. A query that RE2 does not accept, or that only
looks like text, is taken literally. A pattern matches within one line: one field of one card.
"""

from __future__ import annotations

import re
from typing import Any, Final

import re2

from catalog.card import Entry
from catalog.search.request import Ranked, Rung, RungReport
from catalog.search.rung import MAX_RANKED, Question
from catalog.search.scope_memory import CardTexts
from catalog.search.scores import by_chance
from catalog.text.analysis import folded
from catalog.text.folding import fold

MAX_PATTERN_CHARACTERS: Final = 256
"""Longer queries are no patterns: they are taken literally."""
MIN_SLIP_CHARACTERS: Final = 5
MAX_SLIP_WORDS: Final = 4
LITERAL_SHARE: Final = 0.75
PATTERN_SHARE: Final = 0.7
SLIP_SHARE: Final = 0.6
"""Of the lowest score so far: what this rung adds ranks below what was there."""

_SENTENCE_MARKS: Final = " .,;:!?\"'()…。，；：！？、“”‘’«»„「」"

# Texts are folded. `\pL` has hundreds of ranges, and a word's slips dozens of them: RE2 ran out of
# states, and took fifty times as long.
_LETTER: Final = r"[a-z\x{80}-\x{10ffff}]"
_LOOKS_LIKE_A_PATTERN: Final = re.compile(
    r"\.[*+?]|\\[wdsbWDSB.]|\[[^\]]+\]|\([^)]*\|[^)]*\)|[\w)][*+]|^\^|\$$|\w\|\w|\{\d+(,\d*)?\}"
)


class RegexRung:
    is_last_resort = False

    def answer(self, question: Question) -> tuple[list[Ranked], RungReport]:
        hits: dict[int, Ranked] = {}
        passes = []
        asked = {term.text for term in question.query.terms}
        for name, share, pattern in _patterns(question):
            before = len(hits)
            for entry, text in _matching(question, pattern):
                is_spelled_so = name == "typo" and text in asked
                if entry.entry_id not in hits and not is_spelled_so:
                    # Without full text this is the first rung, and an exact name is first.
                    is_name = _is_name(question, entry)
                    score = question.lowest * (1.0 if is_name else share * by_chance(text))
                    hits[entry.entry_id] = Ranked(entry.entry_id, score, Rung.REGEX, (text,))
            if name != "typo" or len(hits) > before:
                passes.append(name)
            if len(hits) + len(question.found) >= question.enough:
                break
        ordered = sorted(hits.values(), key=lambda hit: -hit.score)
        return ordered, RungReport(Rung.REGEX, True, len(ordered), tuple(passes))


def _is_name(question: Question, entry: Entry) -> bool:
    return fold(question.request.query) in (fold(entry.card.name), fold(entry.card.qualified_name))


def _patterns(question: Question) -> list[tuple[str, float, Any]]:
    query = question.request.query.strip()
    found = []
    if len(query) <= MAX_PATTERN_CHARACTERS and _LOOKS_LIKE_A_PATTERN.search(query):
        pattern = _compiled(query)
        if pattern is not None:
            found.append(("pattern", PATTERN_SHARE, pattern))
    # A sentence's own marks round the query say nothing of what is looked for.
    literal = _compiled(re2.escape(folded(query).strip(_SENTENCE_MARKS) or folded(query)))
    if literal is not None:
        found.append(("literal", LITERAL_SHARE, literal))
    slips = [_slips(word) for word in _unknown_words(question)]
    pattern = _compiled("|".join(slips)) if slips else None
    if pattern is not None:
        found.append(("typo", SLIP_SHARE, pattern))
    return found


def _compiled(pattern: str) -> Any | None:
    try:
        return re2.compile(pattern.encode(), _options())
    except re2.error:
        return None


def _options() -> Any:
    options = re2.Options()
    options.case_sensitive = False
    options.never_nl = True
    options.log_errors = False
    options.max_mem = 8 << 20
    return options


def _unknown_words(question: Question) -> list[str]:
    memories = [question.memory(scope_id).frequencies for scope_id in question.visible.scopes]
    return [
        term.text
        for term in question.query.terms
        if term.is_content
        and len(term.text) >= MIN_SLIP_CHARACTERS
        and not any(known.get(term.key) or known.get(term.english_key) for known in memories)
    ][:MAX_SLIP_WORDS]


def _slips(word: str) -> str:
    """A pattern for the word with one character more, less or other, or two swapped."""
    forms = set()
    for at in range(len(word)):
        head, tail = re2.escape(word[:at]), word[at:]
        forms.add(head + _LETTER + "?" + re2.escape(tail[1:]))
        forms.add(head + _LETTER + re2.escape(tail))
        if len(tail) > 1:
            forms.add(head + re2.escape(tail[1] + tail[0] + tail[2:]))
    return r"\b(?:" + "|".join(sorted(forms)) + r")\b"


def _matching(question: Question, pattern: Any) -> list[tuple[Entry, str]]:
    found: list[tuple[Entry, str]] = []
    for scope_id, documents in question.visible.documents.items():
        memory = question.memory(scope_id)
        if memory.card_texts is None:
            memory.card_texts = CardTexts(question.reader.card_texts(scope_id))
        wanted = MAX_RANKED
        while True:
            matches = dict(memory.card_texts.matching(pattern, wanted))
            allowed = question.allowed(list(matches))
            if len(matches) < wanted or len(allowed) >= question.request.limit:
                break
            wanted = documents + 1
        found += [
            (entry, matches[entry_id].decode(errors="replace"))
            for entry_id, entry in allowed.items()
        ]
    found.sort(key=lambda item: question.tie(item[0]))
    return found[:MAX_RANKED]
