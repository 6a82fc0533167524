"""The vector of a query, within its time: an embedder is never waited for longer.

Embedding runs on threads of its own. A caller who has waited long enough is told so and the
text is forgotten; the thread stays with the embedder until that comes back.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as WaitedTooLong
from typing import TYPE_CHECKING, Final

from catalog.checkpoint import NO_DEADLINE, Checkpoint
from catalog.embedding.embedder import Embedder, embedded
from catalog.errors import EmbedderUnavailable
from catalog.memo import Memo

if TYPE_CHECKING:
    from catalog.embedding.embedder import Vectors

THREADS: Final = 2
WAITING_TEXTS: Final = 64
LONGEST_WAIT_SECONDS: Final = 10.0
SHARE_OF_DEADLINE: Final = 0.8
"""Of the time that a caller has left: the rest is for telling what went wrong."""
_REMEMBERED: Final = 4_096
_SECONDS_BETWEEN_CHECKPOINTS: Final = 0.05
_LOG = logging.getLogger(__name__)


class QueryVectors:
    """`failures` counts the queries without an answer: `slow`, `failed` and `busy`."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._memo: Memo[str, Vectors] = Memo(_REMEMBERED)
        self._asked: queue.Queue[tuple[Sequence[str], Future[Vectors]] | None] = queue.Queue(
            WAITING_TEXTS
        )
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self.failures: Counter[str] = Counter()

    def vector(self, text: str, checkpoint: Checkpoint) -> Vectors:
        """Raises:
        EmbedderUnavailable: the embedder fails, or has not answered in its share of the
            time that is left (in 10 seconds where there is no deadline).
        """
        known = self._memo.get(text)
        if known is None:
            known = self.vectors([text], checkpoint)[0]
            self._memo.put(text, known)
        return known

    def vectors(self, texts: Sequence[str], checkpoint: Checkpoint = NO_DEADLINE) -> Vectors:
        """Raises:
        EmbedderUnavailable: as `vector`.
        """
        self._start()
        future: Future[Vectors] = Future()
        try:
            self._asked.put_nowait((texts, future))
        except queue.Full:
            raise self._failure("busy", "texts are waiting for it already") from None
        wait, left = LONGEST_WAIT_SECONDS, checkpoint.seconds_left
        if left is not None:
            wait = min(wait, SHARE_OF_DEADLINE * left)
        return self._awaited(future, max(wait, 0.0), checkpoint)

    def close(self) -> None:
        """Threads end when they are idle; one that the embedder keeps is left behind."""
        for _ in self._threads:
            try:
                self._asked.put_nowait(None)
            except queue.Full:
                return

    def _awaited(self, future: Future[Vectors], wait: float, checkpoint: Checkpoint) -> Vectors:
        end = time.monotonic() + wait
        while True:
            left = max(0.0, end - time.monotonic())
            try:
                fault = future.exception(min(left, _SECONDS_BETWEEN_CHECKPOINTS))
                break
            except WaitedTooLong:
                if time.monotonic() >= end:
                    future.cancel()
                    raise self._failure(
                        "slow", f"it has not answered in {wait:.1f} seconds"
                    ) from None
                checkpoint()
        if fault is None:
            return future.result()
        if isinstance(fault, EmbedderUnavailable):
            raise self._failure("failed", fault.message) from fault
        raise self._failure("failed", f"it raised {type(fault).__name__}") from fault

    def _failure(self, kind: str, reason: str) -> EmbedderUnavailable:
        self.failures[kind] += 1
        model = self._embedder.model_id
        _LOG.warning("embedder %s: %s: %s", model, kind, reason)
        return EmbedderUnavailable(
            f"this search mode needs the embedder, and {reason}", model=model
        )

    def _start(self) -> None:
        with self._lock:
            while len(self._threads) < THREADS:
                thread = threading.Thread(target=self._run, name="embedder", daemon=True)
                self._threads.append(thread)
                thread.start()

    def _run(self) -> None:
        while (asked := self._asked.get()) is not None:
            texts, future = asked
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(embedded(self._embedder, texts))
            except BaseException as fault:  # noqa: BLE001 - an embedder may be anyone's package
                future.set_exception(fault)
