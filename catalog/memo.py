"""A bounded memory for things that never change under their key."""

from __future__ import annotations

from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Memo(Generic[Key, Value]):
    """A dict of at most `capacity` values that forgets the one kept longest.

    Safe to share between threads: each operation on the dict is atomic, and a value that
    two threads compute at once is the same value.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._values: dict[Key, Value] = {}
        self.get = self._values.get

    def put(self, key: Key, value: Value) -> None:
        values = self._values
        if len(values) >= self._capacity:
            oldest = next(iter(values), None)
            if oldest is not None:
                values.pop(oldest, None)
        values[key] = value

    def __len__(self) -> int:
        return len(self._values)

    def clear(self) -> None:
        self._values.clear()
