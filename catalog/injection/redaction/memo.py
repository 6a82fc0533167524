"""What a redactor answered for texts it has seen, so that it does not run on them again.

Entries are keyed by SHA-256 of the text, which itself is not kept when nothing in it was masked.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from catalog.injection.redaction.masking import RedactedSpan
from catalog.memo import Memo

MAX_CHARACTERS = 32_000_000
_CHARACTERS_AN_ENTRY = 500


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text as it may leave, and what was masked in it, by place in the original text."""

    text: str
    spans: tuple[RedactedSpan, ...] = ()


_UNCHANGED = Redacted("")


class RedactionMemo:
    """Bounded by characters of masked text; an entry counts for 500 beside its own."""

    def __init__(self) -> None:
        self._entries: Memo[bytes, Redacted] = Memo(
            MAX_CHARACTERS, weight=lambda kept: _CHARACTERS_AN_ENTRY + len(kept.text)
        )

    def key(self, text: str) -> bytes:
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()

    def recall(self, key: bytes, text: str) -> Redacted | None:
        """The answer given before for this text, or None."""
        kept = self._entries.get(key)
        return Redacted(text) if kept is _UNCHANGED else kept

    def keep(self, key: bytes, redacted: Redacted) -> None:
        self._entries.put(key, redacted if redacted.spans else _UNCHANGED)
