"""Dicts that compute what they miss and remember what was asked for lately."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final, Generic, TypeVar

MAX_RECENT: Final = 32_768
"""Of the keys asked for last; as many of those before them are remembered too."""
MAX_KEY_CHARACTERS: Final = 64
"""Longer keys are seldom asked for again."""

Value = TypeVar("Value")


class Recent(dict[str, Value], Generic[Value]):
    """The values of keys, computed when they are missing, as a subclass says.

    What is remembered is a dict's own look-up away. When it has grown to `MAX_RECENT`, it
    becomes the older half: what is asked for again moves over, the rest goes with the next
    change. Safe to share between threads, since values are functions of their keys.
    """

    def __init__(self) -> None:
        super().__init__()
        self._older: dict[str, Value] = {}

    @abstractmethod
    def computed(self, key: str) -> Value: ...

    def __missing__(self, key: str) -> Value:
        value = self._older.get(key)
        if value is None:
            value = self.computed(key)
        if len(key) <= MAX_KEY_CHARACTERS:
            if len(self) >= MAX_RECENT:
                self._older = self.copy()
                self.clear()
            self[key] = value
        return value
