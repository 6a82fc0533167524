"""What tells a secret from a word, an identifier, a path or a slug, without any context."""

from __future__ import annotations

from itertools import pairwise

from catalog.injection.redaction.documentation_values import (
    is_documentation_value,
    is_plain_word,
)
from catalog.injection.redaction.linear_pattern import LinearPattern
from catalog.injection.redaction.prose_words import has_prose_word

_SHORTEST_PASSWORD = 5
_SHORTEST_KEY = 8
_LONG_KEY = 16
_FEWEST_WORDS, _MOST_WORDS = 4, 8
_SHORTEST_WORD = 3
_SAYS_WHAT_IT_IS = ("pass", "pwd", "secret", "token")
_SYMBOLS = frozenset("!@#$%^&*+=?~")

# Words with an optional number at their end, joined: new_password1, gpt-4-turbo, prod.db2.
_NAME = LinearPattern(r"[A-Za-z]+\d{0,2}(?:[-_.:/|,][A-Za-z]*\d*(?:\.\d+)*)+")
_CONSTANT = LinearPattern(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_CHAIN_ADDRESS = LinearPattern(r"0x(?:[0-9a-fA-F]{40}|[A-Za-z]+)")
_SELECTOR = LinearPattern(r"[a-z]+#[A-Za-z_\-]+")
_UUID = LinearPattern(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def looks_like_password(value: str) -> bool:
    """A value that people choose: short, but no word and no name of something."""
    if len(value) < _SHORTEST_PASSWORD or not _may_be_secret(value):
        return False
    has_letter = any(character.isalpha() for character in value)
    has_digit = any(character.isdigit() for character in value)
    return has_letter and (has_digit or not _SYMBOLS.isdisjoint(value[:-1]))


def looks_generated(value: str) -> bool:
    """A value that a machine made: letters and digits mixed with no word to be seen."""
    if len(value) < _SHORTEST_KEY or not _may_be_secret(value):
        return False
    kinds = [_kind(character) for character in value]
    if "digit" not in kinds or not ("lower" in kinds or "upper" in kinds):
        return False
    changes = sum(1 for before, after in pairwise(kinds) if before != after)
    return changes >= (4 if len(value) >= _LONG_KEY else 3)


def looks_like_phrase(value: str) -> bool:
    """A password of several words: none of them explains, and they are many or have a digit."""
    words = value.split()
    if not 2 <= len(words) <= _MOST_WORDS or is_documentation_value(value):
        return False
    if has_prose_word(words):
        return False
    if any(any(map(str.isdigit, word)) for word in words):
        return any(any(map(str.isalpha, word)) for word in words)
    return len(words) >= _FEWEST_WORDS and all(
        word.isascii() and word.isalpha() and word.islower() and len(word) >= _SHORTEST_WORD
        for word in words
    )


def is_literal(value: str) -> bool:
    """A value in a place where only passwords stand: all but stand-ins and names of one."""
    lowered = value.lower()
    return (
        len(value) >= _SHORTEST_PASSWORD
        and not any(word in lowered for word in _SAYS_WHAT_IT_IS)
        and not is_documentation_value(value)
        and not is_plain_word(value)
        and not value.startswith(("/", "./", "../", "~/", "-"))
    )


def _may_be_secret(value: str) -> bool:
    return not (
        is_documentation_value(value)
        or is_plain_word(value)
        or " " in value
        or value.startswith(("/", "./", "../", "~/", "http://", "https://", "@", "--"))
        or _NAME.covers(value)
        or _CONSTANT.covers(value)
        or _UUID.covers(value)
        or _CHAIN_ADDRESS.covers(value)
        or _SELECTOR.covers(value)
    )


def _kind(character: str) -> str:
    if character.isdigit():
        return "digit"
    if character.islower():
        return "lower"
    return "upper" if character.isupper() else "other"
