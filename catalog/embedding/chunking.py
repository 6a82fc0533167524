"""Long texts as overlapping pieces that an embedder reads whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

CHARACTERS_A_TOKEN: Final = 4
"""Of ASCII text; any other character may be a token of its own."""
OVERLAP: Final = 0.15
"""Share of a piece that the next one repeats, so that no sentence is only ever cut."""

_WORD: Final = re.compile(r"\s*(?:[!-~]{1,64}|[^\s!-~])|\s+")


def pieces(text: str, max_tokens: int) -> Iterator[str]:
    """Pieces of about `max_tokens`, broken between words, none of them blank.

    Tokens are estimated from above for the scripts that count most: each embedder has its
    own, and one that cuts a piece short has its end in the next one.
    """
    words = [match[0] for match in _WORD.finditer(text)]
    sizes = [_tokens(word) for word in words]
    start = 0
    while start < len(words):
        size, end = 0.0, start
        while end < len(words) and (size + sizes[end] <= max_tokens or end == start):
            size += sizes[end]
            end += 1
        piece = "".join(words[start:end]).strip()
        if piece:
            yield piece
        if end == len(words):
            return
        repeated = 0.0
        next_start = end
        while next_start > start + 1 and repeated < OVERLAP * max_tokens:
            next_start -= 1
            repeated += sizes[next_start]
        start = next_start


def _tokens(word: str) -> float:
    ascii_characters = sum(character.isascii() for character in word)
    return ascii_characters / CHARACTERS_A_TOKEN + (len(word) - ascii_characters)
