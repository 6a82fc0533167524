"""What an index takes of the chunks of a text: how often each term occurs, and what follows what.

Millions of chunks go through an import and most were seen before, so what each gives is
remembered.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Final, Literal, TypeAlias

from catalog.text.analysis import (
    IN_SEQUENCE,
    MAX_TOKEN_CHARACTERS,
    NEIGHBOUR_FACTOR,
    SEPARATORS,
    Word,
    WordKind,
    has_exact_form,
    identifier_forms,
    is_numbered,
    read_chunk,
    term_keys,
)
from catalog.text.recent import Recent
from catalog.text.stems import LANGUAGES, stem_of


def stem_counts(found: Mapping[str, int], language: str) -> dict[str, int]:
    """How often each stem occurs in chunks that occur so often, in the order of the chunks."""
    return _counts(found, language, _STEMS)


def exact_counts(found: Mapping[str, int], language: str) -> dict[str, int]:
    """How often each exact form occurs in them, where it is not the stem."""
    return _counts(found, language, _EXACTS)


def sequence_keys(found: Iterable[str], language: str) -> list[int]:
    """The lower 32 bits of the keys of the chunks' stems, as these follow one another."""
    return _numbers(_sequence(found, language))[::2].tolist()


def neighbour_keys(found: Iterable[str], language: str) -> set[int]:
    """The `neighbour_key` of every two stems that follow one another in the chunks."""
    keys = _sequence(found, language)
    # This runs for every word of every body, so all are computed at once: as one number of
    # which each 64 bits are a key of 32 bits and room for the product. Shifted by 64, each
    # stands under the one before it.
    together = int.from_bytes(keys, "little")
    together = together * NEIGHBOUR_FACTOR + (together >> 64)
    # The last one is followed by nothing.
    return set(_numbers(together.to_bytes(len(keys) + 8, "little"))[:-4:2])


# Stems, exact forms, and the keys in sequence as 64-bit little-endian numbers.
_ChunkTerms: TypeAlias = tuple[tuple[str, ...], tuple[str, ...], bytes]
_STEMS: Final = 0
_EXACTS: Final = 1
_SEQUENCE: Final = 2


def _sequence(found: Iterable[str], language: str) -> bytes:
    return b"".join(map(itemgetter(_SEQUENCE), map(_TERMS[language].__getitem__, found)))


def _numbers(little_endian: bytes) -> array[int]:
    numbers = array("I", little_endian)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _counts(found: Mapping[str, int], language: str, which: Literal[0, 1]) -> dict[str, int]:
    terms = _TERMS[language]
    counts: dict[str, int] = {}
    count = counts.get
    for chunk, times in found.items():
        for token in terms[chunk][which]:
            counts[token] = count(token, 0) + times
    return counts


class _Terms(Recent[_ChunkTerms]):
    """The terms of each chunk, in the order of `_STEMS`, `_EXACTS` and `_SEQUENCE`."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def computed(self, key: str) -> _ChunkTerms:
        # What `read_chunk` gives, for ASCII by a shorter way: most of an import is ASCII.
        if not key.isascii():
            return self._of_words(read_chunk(key, self._language))
        lower = key.lower()
        if _is_plain_word(key):
            return self[lower] if lower != key else self._of_lower_word(key)
        stems: list[str] = []
        exacts: list[str] = []
        sequence: list[bytes] = []
        for text, kind in identifier_forms(key.strip(SEPARATORS)):
            lower = text.lower()
            is_looked_up = kind is not WordKind.WHOLE and not is_numbered(lower)
            terms = self[lower] if is_looked_up else self._of_lower_word(lower)
            stems += terms[_STEMS]
            exacts += terms[_EXACTS]
            if kind in IN_SEQUENCE:
                sequence.append(terms[_SEQUENCE])
        return tuple(stems), tuple(exacts), b"".join(sequence)

    def _of_lower_word(self, word: str) -> _ChunkTerms:
        exact = word[:MAX_TOKEN_CHARACTERS]
        stem = stem_of(exact, self._language)
        return (stem,), (exact,), _keys((stem,))

    def _of_words(self, words: Sequence[Word]) -> _ChunkTerms:
        return (
            tuple([word.stem for word in words]),
            tuple([word.exact for word in words if has_exact_form(word)]),
            _keys([word.stem for word in words if word.kind in IN_SEQUENCE]),
        )


def _is_plain_word(chunk: str) -> bool:
    """Whether it is one part, without a look for the parts of an identifier in it."""
    return (
        chunk.isalnum()
        and (chunk.islower() or chunk.isdigit() or chunk.isupper() or chunk[1:].islower())
        and not is_numbered(chunk)
    )


def _keys(stems: Iterable[str]) -> bytes:
    return b"".join([_KEY.pack(key & 0xFFFFFFFF) for key in term_keys(stems)])


_KEY: Final = struct.Struct("<Q")
_TERMS: Final = {language: _Terms(language) for language in LANGUAGES}
