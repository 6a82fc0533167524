"""How often a key may do something: a bucket of tokens each, filled at a steady rate."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

_REMEMBERED_KEYS = 16_384


class TokenBuckets:
    """A full bucket holds `burst` tokens and gets `rate` of them a second.

    The keys are callers' words, so only the latest used are remembered; a forgotten bucket
    comes back full.
    """

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> bool:
        """Take one token of the key's bucket; False where it holds none."""
        now = self._clock()
        level, at = self._levels.pop(key, (self._burst, now))
        level = min(self._burst, level + (now - at) * self._rate)
        taken = level >= 1
        self._levels[key] = (level - 1 if taken else level, now)
        if len(self._levels) > _REMEMBERED_KEYS:
            self._levels.popitem(last=False)
        return taken
