"""A bounded memory for values that are functions of their key."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Memo(Generic[Key, Value]):
    """Keeps values until their weights pass `capacity`, then forgets the ones kept longest.

    Safe to share between threads. Reading takes no lock: `get` is the dict's own.

    Args:
        capacity: the most that may be kept, in the unit of `weight`.
        weight: the weight of a value; by default each weighs one. A value heavier than the
            whole capacity is not kept.
    """

    def __init__(self, capacity: int, weight: Callable[[Value], int] | None = None) -> None:
        self._capacity = capacity
        self._weight = weight
        self._values: dict[Key, Value] = {}
        self._held = 0
        self._lock = threading.Lock()
        self.get = self._values.get

    def put(self, key: Key, value: Value) -> None:
        weight = 1 if self._weight is None else self._weight(value)
        if weight > self._capacity:
            return
        with self._lock:
            if key in self._values:
                return
            self._values[key] = value
            self._held += weight
            while self._held > self._capacity:
                oldest = self._values.pop(next(iter(self._values)))
                self._held -= 1 if self._weight is None else self._weight(oldest)

    def computed(self, key: Key, compute: Callable[[], Value]) -> Value:
        """The value of the key, computed when it is not remembered.

        Two threads that miss at once may both compute it.
        """
        value = self.get(key)
        if value is None:
            value = compute()
            self.put(key, value)
        return value

    def __len__(self) -> int:
        return len(self._values)

    def clear(self) -> None:
        with self._lock:
            self._values.clear()
            self._held = 0
