"""Whether the server says SERVING: it does when its store answers a search.

The health service has the two names that clients ask for: the empty one and that of the
catalog's service. It runs on the event loop, so it answers while every thread is taken.
"""

from __future__ import annotations

import asyncio

import structlog
from grpc_health.v1 import health_pb2
from grpc_health.v1.health import aio as asynchronous_health  # type: ignore[attr-defined]

from catalog.catalog import Catalog
from catalog.errors import SkillCatalogError
from catalog.identity import Identity
from catalog.search.request import SearchRequest
from server.metrics import Metrics
from server.tracing import SERVICE

SECONDS_BETWEEN_LOOKS = 5.0
SECONDS_FOR_A_LOOK = 5.0
_NAMES = ("", SERVICE)
# It owns nothing, so it sees no more than everybody does.
_LOOKER = Identity(tenant="skillcatalog readiness", user="readiness", session="readiness")
_LOOK = SearchRequest(query="readiness", limit=1)

_log = structlog.get_logger("skillcatalog.server")


class Readiness:
    """Keeps the health service true until the server drains."""

    def __init__(
        self, catalog: Catalog, metrics: Metrics, seconds: float = SECONDS_BETWEEN_LOOKS
    ) -> None:
        self.health = asynchronous_health.HealthServicer()
        self._catalog = catalog
        self._metrics = metrics
        self._seconds = seconds
        self._doubt = asyncio.Event()
        self._serving: bool | None = None
        self._watching: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Say NOT_SERVING, look for the first time, and go on looking."""
        await self._say(False)
        await self._look()
        self._watching = asyncio.create_task(self._watch())

    def doubt(self) -> None:
        """Look again at once: a call has found the store unavailable."""
        self._doubt.set()

    async def end(self) -> None:
        """NOT_SERVING from now on."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait({self._watching})
        await self.health.enter_graceful_shutdown()
        self._metrics.ready.set(0)

    async def _watch(self) -> None:
        while True:
            try:
                async with asyncio.timeout(self._seconds):
                    await self._doubt.wait()
            except TimeoutError:
                pass
            self._doubt.clear()
            await self._look()

    async def _look(self) -> None:
        looking = asyncio.ensure_future(asyncio.to_thread(self._catalog.search, _LOOKER, _LOOK))
        done, _ = await asyncio.wait({looking}, timeout=SECONDS_FOR_A_LOOK)
        if not done:
            await self._say(False)
            await asyncio.wait({looking})
        fault = looking.exception()
        if fault is not None and not isinstance(fault, SkillCatalogError):
            _log.error("the store fails", fault=repr(fault))
        await self._say(fault is None)

    async def _say(self, serving: bool) -> None:
        if serving is self._serving:
            return
        if self._serving is not None:
            _log.info("health", serving=serving)
        self._serving = serving
        status = health_pb2.HealthCheckResponse
        for name in _NAMES:
            await self.health.set(name, status.SERVING if serving else status.NOT_SERVING)
        self._metrics.ready.set(serving)
