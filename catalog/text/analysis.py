"""One text analysis, used for the index and for the query on every engine.

A text is read as chunks: identifiers (`rotateTlsCert`, `pr-triage`, `node.js`) and words, and
runs of scripts that are written without spaces. A chunk gives `Word`s: an identifier itself
with its separators taken out, each of its parts, and for a run every character and every
pair of neighbours. Every word has an exact form and a stem.

Tokens hold only ASCII digits and lower-case letters and characters outside ASCII, so that
every engine takes them as they are. A stem begins with a character that NFKC never leaves in
a text, so no word of a text can be taken for one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from enum import IntEnum
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import Final, NamedTuple

from catalog.text.han_variants import simplified
from catalog.text.recent import Recent
from catalog.text.stems import LANGUAGES, guessed_language, stem_of
from catalog.text.stop_words import ANY_STOP_WORD

ANALYSER_VERSION: Final = 5
"""Goes up whenever the same text could give other tokens; an index made by another is rebuilt."""

MAX_TOKEN_CHARACTERS: Final = 64


class WordKind(IntEnum):
    WORD = 0
    WHOLE = 1
    """An identifier of several parts, its separators taken out."""
    PART = 2
    """A part of an identifier."""
    PAIR = 3
    """Two neighbours of a run without spaces."""
    CHARACTER = 4
    """One character of such a run."""


IN_SEQUENCE: Final = frozenset({WordKind.WORD, WordKind.PART, WordKind.PAIR})
"""The kinds that follow one another in a text; the others repeat these in another form."""


class Word(NamedTuple):
    """`exact` and `stem` are tokens. The stem of a pair has simplified characters for traditional
    ones; else those of a run without spaces are the same."""

    exact: str
    stem: str
    kind: WordKind
    is_stop_word: bool


def has_exact_form(word: Word) -> bool:
    """Whether an index keeps the exact form beside the stem."""
    return word.kind < WordKind.PAIR or word.exact != word.stem


def normalised(text: str) -> str:
    """NFKC without invisible format characters; letters keep their case."""
    if not text.isascii():
        text = _compatible(text)
    # Every heading has a `#`: a look for the names themselves spares most bodies the pattern.
    if any(symbol in text for symbol in _SYMBOLS):
        text = _SYMBOL_NAME.sub(lambda match: _SYMBOL_NAMES[match[0].casefold()], text)
    return text


def _compatible(text: str) -> str:
    """NFKC without invisible characters: character by character where none joins another,
    which is most texts, and there many times faster than the whole text."""
    changed = {}
    for character in set(text):
        alone = _compatible_alone(character)
        if alone is None:
            break
        if alone != character:
            changed[character] = alone
    else:
        if len(changed) <= _MAX_REPLACED:
            for character, alone in changed.items():
                text = text.replace(character, alone)
            return text
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))


@lru_cache(maxsize=16_384)
def _compatible_alone(character: str) -> str | None:
    """What a character becomes whatever is round it; None where that depends on it."""
    if _INVISIBLE.match(character):
        return ""
    alone = unicodedata.normalize("NFKC", character)
    return None if any(map(_joins, character + alone)) else alone


def _joins(character: str) -> bool:
    """A mark of any script, or a letter of which hangul syllables are made."""
    return unicodedata.category(character)[0] == "M" or "\u1100" <= character <= "\u11ff"


def folded(text: str) -> str:
    """NFKC and case folding: two spellings that differ only in width or case are equal."""
    if text.isascii():
        return text.lower()
    once = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", _INVISIBLE.sub("", once))


def joined(text: str) -> str:
    """Only the letters, digits and marks of the folded text: `PR_triage` gives `prtriage`."""
    return unicodedata.normalize("NFKC", "".join(_LETTERS.findall(folded(text))))


def term_keys(tokens: Iterable[str]) -> list[int]:
    """A signed 64-bit number for each token, the same on every machine."""
    return list(map(_KEYS.__getitem__, tokens))


def chunks(text: str) -> list[str]:
    """The chunks of a normalised text, in order, with their case."""
    return _CHUNK.findall(text)


def words(text: str, language: str | None = None) -> Iterator[Word]:
    """The words of a text in order; repeats included.

    Args:
        language: whose stems to take; guessed from the text when None.
    """
    text = normalised(text)
    found = chunks(text)
    language = language or guessed_language(found)
    for chunk in found:
        yield from chunk_words(chunk, language)


def neighbour_key(first: int, second: int) -> int:
    """The number for two terms, by their keys, in this order."""
    return (first * NEIGHBOUR_FACTOR + second) & 0xFFFFFFFF


NEIGHBOUR_FACTOR: Final = 31


def chunk_words(chunk: str, language: str) -> tuple[Word, ...]:
    """The words of one chunk."""
    return _WORDS[language][chunk]


def read_chunk(chunk: str, language: str) -> tuple[Word, ...]:
    """The words of one chunk, not remembered."""
    found: list[Word] = []
    for run in _RUN.finditer(chunk):
        if run.lastgroup == "unspaced":
            found.extend(_unspaced_words(run[0]))
        else:
            forms = identifier_forms(run[0].strip(SEPARATORS))
            found.extend([_stemmed(text, language, kind) for text, kind in forms])
    return tuple(found)


def _unspaced_words(run: str) -> Iterator[Word]:
    exact = folded(run)
    stem = simplified(exact)
    for character in exact:
        yield _word(character, character, WordKind.CHARACTER)
    for exact_pair, stem_pair in zip(pairwise(exact), pairwise(stem), strict=True):
        yield _word("".join(exact_pair), "".join(stem_pair), WordKind.PAIR)


def identifier_forms(chunk: str) -> list[tuple[str, WordKind]]:
    """A word, or an identifier whole and in parts, each as it is written in the chunk."""
    pieces = _SEPARATOR.split(chunk)
    parts = [part for piece in pieces for part in _parts(piece)]
    if len(parts) == 1:
        return [(parts[0], WordKind.WORD)]
    forms = []
    if len(parts) <= _MAX_PARTS:
        forms.append(("".join(pieces), WordKind.WHOLE))
    if len(pieces) > 1:
        forms += [(piece, WordKind.PART) for piece in pieces]
    forms += [(part, WordKind.PART) for part in parts if part not in pieces]
    return forms


_MAX_PARTS: Final = 8


def is_numbered(piece: str) -> bool:
    """Whether it is a name with a number behind it: `oauth2`, `Python3`."""
    return piece[-1:].isdigit() and _NUMBERED.fullmatch(piece) is not None


def _parts(piece: str) -> list[str]:
    if is_numbered(piece):
        name = piece.rstrip("0123456789")
        return list(dict.fromkeys((name, *_camel_parts(name), piece[len(name) :])))
    return _camel_parts(piece)


def _camel_parts(piece: str) -> list[str]:
    if piece.isascii() and not piece.islower() and not piece.isupper():
        return _CAMEL.findall(piece)
    return [piece]


def _stemmed(text: str, language: str, kind: WordKind) -> Word:
    exact = folded(text)[:MAX_TOKEN_CHARACTERS]
    return _word(exact, stem_of(exact, language), kind)


def _word(exact: str, stem: str, kind: WordKind) -> Word:
    return Word(exact, stem, kind, exact in ANY_STOP_WORD or stem in ANY_STOP_WORD)


def _marks() -> str:
    """The combining marks as ranges of a character class; `\\w` leaves them out."""
    ranges: list[list[int]] = []
    for low, high in ((0x300, 0x2000), (0x20D0, 0x2100), (0xA800, 0xAC00), (0xFE20, 0xFE30)):
        for code in range(low, high):
            if unicodedata.category(chr(code)) in ("Mn", "Mc"):
                if ranges and ranges[-1][1] == code - 1:
                    ranges[-1][1] = code
                else:
                    ranges.append([code, code])
    return "".join(f"{chr(low)}-{chr(high)}" for low, high in ranges)


_MARKS: Final = _marks()
_LETTER: Final = f"[^\\W_]|[{_MARKS}]"
# Thai to Burmese, kana, ideographs, hangul: written without spaces or with suffixed particles.
_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003134f"
)
_INVISIBLE_CHARACTERS: Final = (
    "[\u00ad\u034f\u061c\u180e"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]"
)
_INVISIBLE: Final = re.compile(_INVISIBLE_CHARACTERS)
_MAX_REPLACED: Final = 16
_CHUNK: Final = re.compile(f"[\\w{_MARKS}]+(?:[-.][\\w{_MARKS}]+)*")
_RUN: Final = re.compile(f"(?P<unspaced>[{_UNSPACED}]+)|(?P<spaced>[^{_UNSPACED}]+)")
_LETTERS: Final = re.compile(f"(?:{_LETTER})+")
SEPARATORS: Final = "-_."
_SEPARATOR: Final = re.compile("[-_.]+")
_CAMEL: Final = re.compile("[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z0-9]+")
_NUMBERED: Final = re.compile("[A-Za-z]{3,}[0-9]{1,2}")
_SYMBOL_NAMES: Final = {"c++": "cplusplus", "c#": "csharp", "f#": "fsharp"}
_SYMBOLS: Final = ("++", *(name for lower in ("c#", "f#") for name in (lower, lower.upper())))
_SYMBOL_NAME: Final = re.compile(r"(?<!\w)(?:[cC]\+\+|[cCfF]#)(?!\w)")


class _Keys(Recent[int]):
    def computed(self, key: str) -> int:
        digest = blake2b(key.encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big", signed=True)


class _Words(Recent[tuple[Word, ...]]):
    """The words of a chunk, remembered: most chunks of a text were seen before."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def computed(self, key: str) -> tuple[Word, ...]:
        return read_chunk(key, self._language)


_KEYS: Final = _Keys()
_WORDS: Final = {language: _Words(language) for language in LANGUAGES}
