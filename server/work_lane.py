"""Threads for blocking work: a bounded number, a bounded queue, a fair turn for each tenant.

Everything here but the work itself runs on the event loop, so nothing needs a lock.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Callable
from concurrent import futures
from typing import TypeVar

from catalog.errors import Overloaded

T = TypeVar("T")


class WorkLane:
    """Runs work on `threads` threads, at most `threads_per_tenant` of them for one tenant.

    What finds no thread waits. Tenants that wait take turns, whatever the length of their
    queues, so that a tenant who sends much waits for itself.
    """

    def __init__(
        self,
        name: str,
        *,
        threads: int,
        threads_per_tenant: int,
        queue: int,
        queue_per_tenant: int,
    ) -> None:
        self._threads = threads
        self._threads_per_tenant = threads_per_tenant
        self._queue = queue
        self._queue_per_tenant = queue_per_tenant
        self._executor = futures.ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._running: Counter[str] = Counter()
        self._running_total = 0
        self._queues: OrderedDict[str, dict[asyncio.Future[None], None]] = OrderedDict()
        self._waiting_total = 0

    @property
    def running(self) -> int:
        return self._running_total

    @property
    def waiting(self) -> int:
        return self._waiting_total

    async def run(self, tenant: str, work: Callable[[], T]) -> T:
        """The result of `work`. Cancelled while it waits, it never starts; cancelled while
        it runs, the thread stays taken until the work ends.

        Raises:
            Overloaded: as many calls wait as may.
        """
        if self._may_start(tenant) and tenant not in self._queues:
            self._take(tenant)
        else:
            await self._turn(tenant)
        loop = asyncio.get_running_loop()
        result: asyncio.Future[T] = loop.create_future()
        self._executor.submit(work).add_done_callback(
            lambda done: loop.call_soon_threadsafe(self._finished, tenant, done, result)
        )
        return await result

    def close(self) -> None:
        """Waits for what runs."""
        self._executor.shutdown(wait=True)

    def _may_start(self, tenant: str) -> bool:
        return (
            self._running_total < self._threads and self._running[tenant] < self._threads_per_tenant
        )

    def _take(self, tenant: str) -> None:
        self._running[tenant] += 1
        self._running_total += 1

    async def _turn(self, tenant: str) -> None:
        queue = self._queues.get(tenant)
        if self._waiting_total >= self._queue or (
            queue is not None and len(queue) >= self._queue_per_tenant
        ):
            raise Overloaded(
                f"{self._waiting_total} calls wait for the server; it takes {self._queue}, and "
                f"{self._queue_per_tenant} of one tenant; try again later",
                queue=self._queue,
                queue_per_tenant=self._queue_per_tenant,
            )
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(tenant, {})[turn] = None
        self._waiting_total += 1
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._forget(tenant, turn)
            else:
                self._release(tenant)
            raise

    def _finished(self, tenant: str, done: futures.Future[T], result: asyncio.Future[T]) -> None:
        self._release(tenant)
        if result.cancelled():
            return
        error = done.exception()
        if error is not None:
            result.set_exception(error)
        else:
            result.set_result(done.result())

    def _release(self, tenant: str) -> None:
        self._running_total -= 1
        self._running[tenant] -= 1
        if not self._running[tenant]:
            del self._running[tenant]
        if self._waiting_total:
            self._hand_out()

    def _hand_out(self) -> None:
        for tenant in list(self._queues):
            if self._running_total >= self._threads:
                return
            if not self._may_start(tenant):
                continue
            queue = self._queues.pop(tenant)
            turn = next(iter(queue))
            del queue[turn]
            if queue:
                # Behind everybody else who waits.
                self._queues[tenant] = queue
            self._waiting_total -= 1
            if not turn.cancelled():
                self._take(tenant)
                turn.set_result(None)

    def _forget(self, tenant: str, turn: asyncio.Future[None]) -> None:
        queue = self._queues.get(tenant, {})
        if turn in queue:
            del queue[turn]
            self._waiting_total -= 1
            if not queue:
                del self._queues[tenant]
