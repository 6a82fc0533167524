"""How long the steps of a request take, for whoever counts."""

from __future__ import annotations

import time
from collections.abc import Callable

Observe = Callable[[str, float], None]
"""Called with the name of a step and its seconds, on the thread of the request."""


class StepClock:
    """Adds up the seconds of each step of one request, from when it is made."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._last = time.perf_counter()
        self._apart = 0.0

    def done(self, step: str) -> None:
        """The step has ended. What the clock was told `apart` meanwhile is not the step's."""
        now = time.perf_counter()
        self._add(step, now - self._last - self._apart)
        self._last, self._apart = now, 0.0

    def apart(self, step: str, began: float) -> None:
        """A piece of another step has ended, inside the running one; it began at that reading
        of `time.perf_counter`."""
        seconds = time.perf_counter() - began
        self._add(step, seconds)
        self._apart += seconds

    def report(self, observe: Observe | None) -> None:
        """Tell of each step once."""
        if observe is not None:
            for step, seconds in self._seconds.items():
                observe(step, seconds)

    def _add(self, step: str, seconds: float) -> None:
        self._seconds[step] = self._seconds.get(step, 0.0) + seconds
