"""Refused callers in the audit trail, and no more of them than the trail can bear.

Anybody can be refused as often as they like. The first refusals of a tenant (or of nobody)
are events of their own; past a rate they are counted, and the counts become events once a
minute. Writing happens on one thread beside the calls, so a locked store holds up nothing.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from concurrent import futures

import structlog

from catalog.catalog import Catalog
from catalog.errors import SkillCatalogError, StoreUnavailable
from catalog.identity import Identity
from server.metrics import Metrics
from server.token_bucket import TokenBuckets

EVENTS_AT_ONCE = 50
EVENTS_A_SECOND = 1.0
SECONDS_BETWEEN_SUMMARIES = 60.0
_MOST_UNWRITTEN = 500

_log = structlog.get_logger("skillcatalog.server")


class RefusalAudit:
    """Records refusals from the event loop without ever waiting."""

    def __init__(
        self, catalog: Catalog, metrics: Metrics, summary_seconds: float = SECONDS_BETWEEN_SUMMARIES
    ) -> None:
        self._catalog = catalog
        self._metrics = metrics
        self._summary_seconds = summary_seconds
        self._buckets = TokenBuckets(EVENTS_A_SECOND, EVENTS_AT_ONCE)
        self._writer = futures.ThreadPoolExecutor(1, thread_name_prefix="refusals")
        self._unwritten = 0
        self._counted: Counter[tuple[str, type[SkillCatalogError]]] = Counter()
        self._summary: asyncio.TimerHandle | None = None

    def record(
        self, identity: Identity | None, action: str, refusal: SkillCatalogError, request_id: str
    ) -> None:
        self._metrics.refused(refusal.reason)
        tenant = identity.tenant if identity else ""
        if self._unwritten < _MOST_UNWRITTEN and self._buckets.take(tenant):
            self._write(identity, action, refusal, "", request_id)
            return
        self._metrics.refusals_summarised(1)
        # A tenant's own counts would be kept for as many names as callers can think of.
        self._counted[action, type(refusal)] += 1
        if self._summary is None:
            self._summary = asyncio.get_running_loop().call_later(
                self._summary_seconds, self._summarise
            )

    def close(self) -> None:
        """Write the counts, and wait until all is written."""
        if self._summary is not None:
            self._summary.cancel()
            self._summarise()
        self._writer.shutdown(wait=True)

    def _summarise(self) -> None:
        self._summary = None
        counted, self._counted = self._counted, Counter()
        for (action, kind), count in counted.items():
            self._write(None, action, kind("summary"), f"{count} more refusals", "")

    def _write(
        self,
        identity: Identity | None,
        action: str,
        refusal: SkillCatalogError,
        subject: str,
        request_id: str,
    ) -> None:
        self._unwritten += 1
        loop = asyncio.get_running_loop()

        def write() -> None:
            try:
                self._catalog.audit_refusal(
                    identity, action, refusal, subject=subject, request_id=request_id
                )
            except StoreUnavailable as error:
                _log.error("refusal not audited", request_id=request_id, fault=error.message)

        self._writer.submit(write).add_done_callback(lambda _: self._written(loop))

    def _written(self, loop: asyncio.AbstractEventLoop) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(self._count_down)

    def _count_down(self) -> None:
        self._unwritten -= 1
