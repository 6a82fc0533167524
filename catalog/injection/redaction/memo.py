"""What redaction answered for texts it has seen, so that it does not run on them again.

Entries are keyed by SHA-256 of the text together with the rules' version and names; the
text itself is not kept when nothing in it was masked.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock

from catalog.injection.redaction.masking import RedactedSpan

MAX_ENTRIES = 16_384
MAX_CHARACTERS = 16_000_000


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text as it may leave, and what was masked in it, by place in the original text."""

    text: str
    spans: tuple[RedactedSpan, ...] = ()


class RedactionMemo:
    """Bounded by entries and by characters of masked text; the least recently used goes first."""

    def __init__(self, version: str, rule_names: Iterable[str]) -> None:
        self._seed = hashlib.sha256("\0".join((version, *rule_names, "")).encode())
        self._entries: OrderedDict[bytes, Redacted | None] = OrderedDict()
        self._characters = 0
        self._lock = Lock()

    def key(self, text: str) -> bytes:
        digest = self._seed.copy()
        digest.update(text.encode("utf-8", "surrogatepass"))
        return digest.digest()

    def recall(self, key: bytes, text: str) -> Redacted | None:
        """The answer given before for this text, or None."""
        with self._lock:
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            return self._entries[key] or Redacted(text)

    def keep(self, key: bytes, redacted: Redacted) -> None:
        with self._lock:
            if key in self._entries or len(redacted.text) > MAX_CHARACTERS:
                return
            self._entries[key] = redacted if redacted.spans else None
            self._characters += _characters(self._entries[key])
            while len(self._entries) > MAX_ENTRIES or self._characters > MAX_CHARACTERS:
                _, dropped = self._entries.popitem(last=False)
                self._characters -= _characters(dropped)


def _characters(entry: Redacted | None) -> int:
    return 0 if entry is None else len(entry.text)
