"""The copy of a text that rules read: one spelling for characters that look or count alike.

Each character is replaced by its NFKC form (full-width, super- and subscript, ligatures),
decimal digits of any script by ASCII ones, dashes by `-`; characters without width are
dropped. The map back to the original is kept, so that what is masked is the original span.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from catalog.injection.redaction.linear_pattern import Span
from catalog.injection.redaction.masking import OPAQUE

_DASHES = frozenset("‐‑‒–—―−﹘﹣-")
_DOTS = frozenset("。。")
_VARIATION_SELECTORS = frozenset(chr(code) for code in range(0xFE00, 0xFE10))


@dataclass(frozen=True, slots=True)
class FoldedText:
    """`text` is the copy; `changed` says what each character that changed became."""

    text: str
    original: str
    changed: Mapping[str, str]

    def original_spans(self, spans: Sequence[Span]) -> list[Span]:
        """Where spans of the copy are in the original; nothing is lost at either end."""
        other_lengths = {
            character: len(folded) for character, folded in self.changed.items() if len(folded) != 1
        }
        if not spans or not other_lengths:
            return list(spans)
        starts, origins, ends = [-1], [-1], [0]
        shift = 0
        for index, character in enumerate(self.original):
            if character in other_lengths:
                length = other_lengths[character]
                starts.append(index + shift)
                origins.append(index)
                ends.append(index + shift + length)
                shift += length - 1

        def origin(position: int) -> int:
            nearest = bisect_right(starts, position) - 1
            return origins[nearest] + max(0, position - ends[nearest] + 1)

        return [(origin(start), origin(end - 1) + 1) for start, end in spans]


def fold(text: str) -> FoldedText:
    changed: dict[str, str] = {}
    if not text.isascii():
        for character in _beyond_ascii(text):
            folded = _folded_character(character)
            if folded != character:
                changed[character] = folded
    if OPAQUE in text:
        changed[OPAQUE] = "\0"
    if not changed:
        return FoldedText(text, text, changed)
    return FoldedText(_replaced(text, changed), text, changed)


def _replaced(text: str, changed: Mapping[str, str]) -> str:
    if len(changed) <= _MAX_REPLACED and all(map(str.isascii, changed.values())):
        # One after the other gives the same, as none of them becomes another of them.
        for character, folded in changed.items():
            text = text.replace(character, folded)
        return text
    return text.translate({ord(character): folded for character, folded in changed.items()})


_MAX_REPLACED = 16
_ASCII = bytes(range(128))


def _beyond_ascii(text: str) -> set[str]:
    """Its characters that are no ASCII, without looking at each that is."""
    encoded = text.encode("utf-8", "surrogatepass").translate(None, _ASCII)
    return set(encoded.decode("utf-8", "surrogatepass"))


@lru_cache(maxsize=8_192)
def _folded_character(character: str) -> str:
    if character.isascii():
        return character
    category = unicodedata.category(character)
    if category == "Cf" or character in _VARIATION_SELECTORS:
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if character in _DASHES:
        return "-"
    if character in _DOTS:
        return "."
    return unicodedata.normalize("NFKC", character)
