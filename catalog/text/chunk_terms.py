"""What an index takes of the chunks of a text: how often each term occurs, and what follows what.

Millions of chunks go through an import and most were seen before, so what each gives is
remembered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain, pairwise
from operator import itemgetter
from typing import Final, Literal, TypeAlias

from catalog.text.analysis import (
    IN_SEQUENCE,
    LANGUAGES,
    MAX_REMEMBERED,
    MAX_TOKEN_CHARACTERS,
    WordKind,
    read_chunk,
    stem_of,
    term_keys,
)


def stem_counts(found: Iterable[str], language: str) -> dict[str, int]:
    """How often each stem occurs in the chunks, in the order of their first occurrence."""
    return _counts(found, language, _STEMS)


def exact_counts(found: Iterable[str], language: str) -> dict[str, int]:
    """How often each exact form occurs in the chunks; runs without spaces have none."""
    return _counts(found, language, _EXACTS)


def sequence_keys(found: Iterable[str], language: str) -> list[int]:
    """The lower 32 bits of the keys of the chunks' stems, as these follow one another."""
    terms = map(_TERMS[language].__getitem__, found)
    return list(chain.from_iterable(map(itemgetter(_SEQUENCE), terms)))


def neighbour_keys(found: Iterable[str], language: str) -> set[int]:
    """A 32-bit number for every two stems that follow one another in the chunks."""
    keys = sequence_keys(found, language)
    # Written out and not by `neighbour_key`: this runs for every word of every body.
    return {first * 31 + second & 0xFFFFFFFF for first, second in pairwise(keys)}


_ChunkTerms: TypeAlias = tuple[tuple[str, ...], tuple[str, ...], tuple[int, ...]]
_STEMS: Final = 0
_EXACTS: Final = 1
_SEQUENCE: Final = 2


def _counts(found: Iterable[str], language: str, which: Literal[0, 1]) -> dict[str, int]:
    terms = _TERMS[language]
    counts: dict[str, int] = {}
    count = counts.get
    for chunk, times in Counter(found).items():
        for token in terms[chunk][which]:
            counts[token] = count(token, 0) + times
    return counts


class _Terms(dict[str, _ChunkTerms]):
    """The terms of each chunk, in the order of `_STEMS`, `_EXACTS` and `_SEQUENCE`."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, chunk: str) -> _ChunkTerms:
        if _is_plain_word(chunk):
            lower = chunk.lower()
            found = self[lower] if lower != chunk else self._of_plain_word(chunk)
        else:
            found = self._of_any(chunk)
        if len(chunk) <= MAX_TOKEN_CHARACTERS:
            if len(self) >= MAX_REMEMBERED:
                self.clear()
            self[chunk] = found
        return found

    def _of_plain_word(self, chunk: str) -> _ChunkTerms:
        exact = chunk[:MAX_TOKEN_CHARACTERS]
        stem = stem_of(exact, self._language)
        return (stem,), (exact,), _lower_bits((stem,))

    def _of_any(self, chunk: str) -> _ChunkTerms:
        words = read_chunk(chunk, self._language)
        return (
            tuple([word.stem for word in words]),
            tuple([word.exact for word in words if word.kind < WordKind.PAIR]),
            _lower_bits([word.stem for word in words if word.kind in IN_SEQUENCE]),
        )


def _is_plain_word(chunk: str) -> bool:
    """Whether it is one word of ASCII letters and digits, for which `read_chunk` does too much."""
    return (
        chunk.isascii()
        and chunk.isalnum()
        and (chunk.islower() or chunk.isupper() or chunk[1:].islower())
    )


def _lower_bits(stems: Iterable[str]) -> tuple[int, ...]:
    return tuple([key & 0xFFFFFFFF for key in term_keys(stems)])


_TERMS: Final = {language: _Terms(language) for language in LANGUAGES}
