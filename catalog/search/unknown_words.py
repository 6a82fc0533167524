"""Words that no visible entry holds as the query was read: another reading, or their parts.

A word or two of a query do not tell its language, so its stems may be those of another one. What
is a compound there may be written here in parts only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from catalog.search.frequencies import document_frequencies
from catalog.search.query import AnalysedQuery, analysed
from catalog.search.rung import Question
from catalog.text.analysis import term_keys
from catalog.text.stems import DEFAULT_LANGUAGE, LANGUAGES, STEM, stem_of

MAX_LOOKED_INTO: Final = 4
"""Unknown words that are looked into, the rarest first."""
MAX_ENDING_CHARACTERS: Final = 3
"""What is longer is hardly an ending of a language that nobody has named."""
MIN_PART_CHARACTERS: Final = 4
MIN_LONE_PART_CHARACTERS: Final = 5
"""Of a part when the rest of its word is unknown too."""
_LONE_PART_SHARE: Final = 0.4
"""Of the word, what such a part holds at least."""
_COMPOUNDING: Final = "german"
"""Whose stems the parts of a compound are given where the query's language is not known."""


def in_another_language(question: Question, words: Sequence[str]) -> AnalysedQuery | None:
    """The query read in the language in which most of the unknown words are known, if any.

    A query with a stop word or in a language other than English has told what it is.
    """
    query = question.query
    if query.language != DEFAULT_LANGUAGE or any(term.is_stop_word for term in query.terms):
        return None
    keys = {
        language: term_keys(_inflected(words[:MAX_LOOKED_INTO], language)) for language in LANGUAGES
    }
    known = _known(question, [key for found in keys.values() for key in found])
    counts = {language: sum(key in known for key in found) for language, found in keys.items()}
    best = max(counts, key=counts.__getitem__)
    return analysed(question.request.query, best) if counts[best] else None


def _inflected(words: Sequence[str], language: str) -> list[str]:
    """The stems of those words that are not much longer than them."""
    stems = [(word, stem_of(word, language)) for word in words]
    return [
        stem for word, stem in stems if len(word) + len(STEM) - len(stem) <= MAX_ENDING_CHARACTERS
    ]


def in_parts(question: Question, words: Sequence[str]) -> AnalysedQuery | None:
    """A query of the known parts of the unknown words, if any."""
    language = question.query.language
    if language == DEFAULT_LANGUAGE:
        language = _COMPOUNDING
    parts = [part for word in words[:MAX_LOOKED_INTO] for part in _parts(question, word, language)]
    return analysed(" ".join(parts), language) if parts else None


def _parts(question: Question, word: str, language: str) -> Sequence[str]:
    """Two known parts that are the whole word, else the longest beginning or end that is a word
    of a card as it stands."""
    places = range(MIN_PART_CHARACTERS, len(word) - MIN_PART_CHARACTERS + 1)
    pieces = {piece for place in places for piece in (word[:place], word[place:])}
    terms = {
        piece: [term for term in analysed(piece, language).terms if not term.is_stop_word]
        for piece in pieces
    }
    known = _known(
        question,
        [
            key
            for found in terms.values()
            for term in found
            for key in (term.key, term.english_key, term.exact_key)
        ],
    )
    held = {
        piece
        for piece, found in terms.items()
        if any(term.key in known or term.english_key in known for term in found)
    }
    for place in reversed(places):
        if word[:place] in held and word[place:] in held:
            return word[:place], word[place:]
    least = max(MIN_LONE_PART_CHARACTERS, _LONE_PART_SHARE * len(word))
    alone = [
        piece
        for piece, found in terms.items()
        if len(piece) >= least and any(term.exact_key in known for term in found)
    ]
    return sorted(alone, key=lambda piece: (-len(piece), piece))[:1]


def _known(question: Question, keys: Sequence[int]) -> set[int]:
    """Those of the term keys that occur in a visible entry."""
    found = document_frequencies(question, keys)
    return {key for of_key in found.values() for key, count in of_key.items() if count}
