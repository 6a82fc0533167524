"""A memory of computed values that stays below a stated size."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class BoundedMemo(Generic[Key, Value]):
    """Keeps values until their weights add up to more than `capacity`, least used out first.

    Thread-safe. A value is computed outside the lock, so two threads that miss at once may
    both compute it; values must therefore be functions of their key.

    Args:
        capacity: the most that may be kept, in the unit of `weight`.
        weight: the weight of a value; by default each weighs one.
    """

    def __init__(self, capacity: int, weight: Callable[[Value], int] = lambda _value: 1) -> None:
        self._capacity = capacity
        self._weight = weight
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._held = 0
        self._lock = threading.Lock()

    def get(self, key: Key, compute: Callable[[], Value]) -> Value:
        """The value of the key, computed when it is not remembered."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = compute()
        with self._lock:
            if key not in self._values:
                self._values[key] = value
                self._held += self._weight(value)
            while self._held > self._capacity:
                _, dropped = self._values.popitem(last=False)
                self._held -= self._weight(dropped)
        return value
