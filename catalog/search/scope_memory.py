"""What search remembers of one version of one scope, so that it asks the store only once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any


class CardTexts:
    """The card texts of a scope as one text, for patterns to run over."""

    def __init__(self, texts: Iterable[tuple[int, str]]) -> None:
        self._entry_ids: list[int] = []
        self._starts: list[int] = []
        parts = []
        position = 0
        for entry_id, text in texts:
            part = text.encode() + b"\n"
            self._entry_ids.append(entry_id)
            self._starts.append(position)
            parts.append(part)
            position += len(part)
        self._text = b"".join(parts)

    def matching(self, pattern: Any, limit: int) -> list[tuple[int, bytes]]:
        """Entries that a compiled RE2 pattern over bytes matches, by id, with what matched
        first. A pattern that matches nothing at all of a text is no match."""
        found: list[tuple[int, bytes]] = []
        position, end = 0, len(self._text)
        while position < end and len(found) < limit:
            match = pattern.search(self._text, position)
            if match is None:
                break
            if match.end() == match.start():
                position = match.end() + 1
                continue
            place = bisect_right(self._starts, match.start()) - 1
            found.append((self._entry_ids[place], match.group()))
            position = self._starts[place + 1] if place + 1 < len(self._starts) else end
        return found

    @property
    def entry_ids(self) -> Sequence[int]:
        return self._entry_ids


@dataclass(slots=True)
class ScopeMemory:
    """Args:
    frequencies: in how many entries each term key asked for occurs.
    card_texts: None until a pattern ran over the scope.
    """

    frequencies: dict[int, int] = field(default_factory=dict)
    card_texts: CardTexts | None = None
