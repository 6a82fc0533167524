"""Where a number or a token ends: what may stand right beside it."""

from __future__ import annotations

_FIRST_WITHOUT_WORD_SPACES = "⺀"
"""From here on (CJK radicals and up) scripts are written without spaces between words."""


def continues_word(character: str) -> bool:
    """Whether a character beside a value makes it part of a longer word.

    The empty string, at the edge of a text, does not; a Han or Hangul character does not
    either, because a value is written right beside it.
    """
    return character.isalnum() and character < _FIRST_WITHOUT_WORD_SPACES
