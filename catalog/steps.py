"""How long the steps of a request take, for whoever counts."""

from __future__ import annotations

import time
from collections.abc import Callable

Observe = Callable[[str, float], None]
"""Called with the name of a step that has ended and its seconds, on the thread of the request."""


def step_clock(observe: Observe | None) -> Callable[[str], None]:
    """What a request calls with the name of each step that it has done."""
    if observe is None:
        return _unobserved
    last = time.perf_counter()

    def done(step: str) -> None:
        nonlocal last
        now = time.perf_counter()
        observe(step, now - last)
        last = now

    return done


def _unobserved(step: str) -> None:
    """Nobody counts."""
