"""Which language a text is in, and the stems of its words: Snowball's, without accents."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

import Stemmer

from catalog.text.stop_words import STOP_WORDS

STEM: Final = "ˢ"
"""First character of every stem."""

DEFAULT_LANGUAGE: Final = "english"


def guessed_language(found: Sequence[str]) -> str:
    """The language of which the chunks hold most stop words, English when in doubt.

    A letter that only one of the languages is written with counts as one of its stop words.
    Only the first 200 chunks are looked at.
    """
    sample = {chunk.lower() for chunk in found[:200]}
    best, most = DEFAULT_LANGUAGE, len(sample & STOP_WORDS[DEFAULT_LANGUAGE])
    letters = _OWN_LETTERS.keys() & set("".join(sample))
    of_letters = [_OWN_LETTERS[letter] for letter in letters]
    for language in _GUESSED:
        count = len(sample & STOP_WORDS[language]) + of_letters.count(language)
        if count > most and count > 1:
            best, most = language, count
    return best


def stem_of(exact: str, language: str) -> str:
    """The token of the stem of a word in its exact form."""
    stemmer = _STEMMERS.get(_language_of_script(exact) or language, _STEMMERS[DEFAULT_LANGUAGE])
    stem = stemmer.stemWord(exact)
    return STEM + (stem if stem.isascii() else _without_accents(stem))


def _without_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", _ACCENT.sub("", decomposed)).translate(_PLAIN_LETTERS)


def _language_of_script(word: str) -> str | None:
    first = word[:1]
    if first < "Ͱ":
        return None
    for low, high, language in _SCRIPT_LANGUAGES:
        if low <= first <= high:
            return language
    return None


# Latin and Greek accents, and the points of Hebrew.
_ACCENT: Final = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]")
# Letters that Unicode does not take apart, as people type them without their own keyboard.
_PLAIN_LETTERS: Final = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ı": "i"}
)

_GUESSED: Final = (
    "german", "french", "spanish", "portuguese", "italian", "dutch", "swedish", "turkish",
)  # fmt: skip
_OWN_LETTERS: Final = {
    "ß": "german", "ñ": "spanish", "œ": "french", "å": "swedish",
    "ı": "turkish", "ğ": "turkish", "ş": "turkish",
}  # fmt: skip
LANGUAGES: Final = (DEFAULT_LANGUAGE, *_GUESSED)
_SCRIPT_LANGUAGES: Final = (
    ("Ͱ", "Ͽ", "greek"),
    ("Ѐ", "ӿ", "russian"),
    ("Ա", "֏", "armenian"),
    ("؀", "ۿ", "arabic"),
    ("ऀ", "ॿ", "hindi"),
    ("஀", "௿", "tamil"),
)
_STEMMERS: Final = {
    # Without its own memory of words: those are remembered here.
    language: Stemmer.Stemmer(language, 0)
    for language in (*LANGUAGES, *(entry[2] for entry in _SCRIPT_LANGUAGES))
}
