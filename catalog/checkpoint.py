"""What a caller hands along with a request: asked between its steps whether to go on."""

from __future__ import annotations

from typing import Protocol


class Checkpoint(Protocol):
    def __call__(self) -> None:
        """Raises:
        DeadlineExceeded: nobody waits for the rest any more.
        """

    @property
    def seconds_left(self) -> float | None:
        """For how long the caller still waits; None where it waits as long as it takes. A
        store that can give up a statement half-way does so then."""


class _NoDeadline:
    seconds_left = None

    def __call__(self) -> None:
        pass


NO_DEADLINE: Checkpoint = _NoDeadline()
"""The checkpoint of a caller who waits as long as it takes."""
