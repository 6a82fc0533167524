"""One call: who asks for what, by when, and under which id its traces are found."""

from __future__ import annotations

import re
import time
import uuid
from dataclasses import dataclass, field

from catalog.checkpoint import Checkpoint
from catalog.errors import DeadlineExceeded
from catalog.identity import Identity


@dataclass(slots=True)
class Call:
    """`checkpoint` is what the catalog calls between its steps; the rest is fixed.

    Args:
        rpc: name of the RPC, as `SkillSearch`.
        deadline: on the monotonic clock; None where the caller waits as long as it takes.
        abandoned: set when the caller has gone, so that work stops at its next step.
        note: facts for the log line.
    """

    rpc: str
    identity: Identity
    request_id: str
    deadline: float | None
    abandoned: bool = False
    note: dict[str, object] = field(default_factory=dict)

    @property
    def checkpoint(self) -> Checkpoint:
        return self

    @property
    def seconds_left(self) -> float | None:
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())

    def __call__(self) -> None:
        """Raises:
        DeadlineExceeded: the deadline has passed, or the caller has gone.
        """
        if self.abandoned or (self.deadline is not None and time.monotonic() >= self.deadline):
            raise DeadlineExceeded("the deadline passed; nothing after the last step was done")


def new_request_id() -> str:
    return uuid.uuid4().hex


def action_of(rpc: str) -> str:
    """The action of an RPC, in the table of roles and in the audit trail: `skill_search` for
    `SkillSearch`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", rpc).lower()
