"""A server from its start to its end: bind, become ready, serve, drain."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

import grpc
import structlog
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from catalog.catalog import Catalog
from catalog.errors import EmbedderUnavailable
from server.authentication import Authentication, BearerTokens, PlainMetadata
from server.endpoints import Endpoints
from server.metrics import Metrics
from server.readiness import Readiness
from server.refusals import RefusalAudit
from server.service import SkillCatalogService
from server.settings import ServerSettings
from server.structured_logs import configure_logs
from server.token_verification import TokenVerifier
from server.tracing import NoTracing, Tracing, open_tracing
from server.transport import channel_options, listen
from server.verification_keys import VerificationKeys
from server.work_lane import WorkLane
from skillcatalog.v1 import skillcatalog_pb2 as pb

_SERVICE = pb.DESCRIPTOR.services_by_name["SkillCatalog"]

_log = structlog.get_logger("skillcatalog.server")


class SkillCatalogServer:
    """One listening server on one catalog. Made inside a running event loop.

    Raises:
        InvalidConfiguration: an address, key, certificate or library is not usable; nothing
            listens then.
    """

    def __init__(
        self, catalog: Catalog, settings: ServerSettings, *, tracing: Tracing | None = None
    ) -> None:
        limits = settings.limits
        self._settings = settings
        self.metrics = Metrics()
        self._tracing = tracing or (open_tracing() if settings.tracing else NoTracing())
        self._readiness = Readiness(catalog, self.metrics)
        self._refusals = RefusalAudit(catalog, self.metrics)
        self._work = WorkLane(
            "call",
            threads=limits.threads,
            threads_per_tenant=limits.threads_per_tenant,
            queue=limits.queue,
            queue_per_tenant=limits.queue_per_tenant,
        )
        self._imports = WorkLane(
            "import",
            threads=limits.imports,
            threads_per_tenant=limits.imports_per_tenant,
            queue=limits.uploads,
            queue_per_tenant=limits.uploads_per_tenant,
        )
        self._endpoints = Endpoints(
            _SERVICE,
            SkillCatalogService(
                catalog,
                work=self._work,
                imports=self._imports,
                limits=limits,
                metrics=self.metrics,
                log_level=settings.log_level,
            ),
            authentication=_authentication(settings),
            limits=limits,
            refusals=self._refusals,
            metrics=self.metrics,
            tracing=self._tracing,
            store_failed=self._readiness.doubt,
        )
        catalog.observe = self.metrics.step_ended
        self._watch_gauges(catalog)
        self._begin_embedding(catalog)
        self._stop_metrics: Callable[[], None] | None = None
        self.stopped = False
        self._server = grpc.aio.server(options=channel_options(settings))
        self._server.add_generic_rpc_handlers((self._endpoints.generic_handler(),))
        health_pb2_grpc.add_HealthServicer_to_server(self._readiness.health, self._server)
        reflection.enable_server_reflection(
            (
                _SERVICE.full_name,
                health_pb2.DESCRIPTOR.services_by_name["Health"].full_name,
                reflection.SERVICE_NAME,
            ),
            self._server,
        )
        self.port = listen(self._server, settings)

    async def start(self) -> None:
        """Serve. Health says SERVING once the store has answered a search."""
        settings = self._settings
        if settings.metrics_port is not None:
            self._stop_metrics = self.metrics.serve(settings.metrics_host, settings.metrics_port)
        await self._server.start()
        await self._readiness.begin()
        _log.info("serving", host=settings.host, port=self.port)

    async def stop(self, hurry: asyncio.Event | None = None) -> None:
        """Say NOT_SERVING, take no new calls, and let those in flight end within the grace.

        What is not done by then is cancelled, and stops at its next step with nothing
        written. The catalog is not closed.

        Args:
            hurry: when it is set, the grace is over.
        """
        settings = self._settings
        await self._readiness.end()
        _log.info("draining", in_flight=self._endpoints.in_flight)
        await _first_of(asyncio.sleep(settings.lame_duck_seconds), hurry)
        # Streams of health watchers never end by themselves, so this waits for calls only.
        closing = asyncio.ensure_future(self._server.stop(settings.grace_seconds))
        await asyncio.sleep(0)
        await _first_of(asyncio.wait_for(self._endpoints.idle(), settings.grace_seconds + 1), hurry)
        await self._server.stop(0)
        await closing
        await asyncio.to_thread(self._work.close)
        await asyncio.to_thread(self._imports.close)
        self._refusals.close()
        self._tracing.close()
        if self._stop_metrics is not None:
            await asyncio.to_thread(self._stop_metrics)
        self.stopped = True
        _log.info("stopped")

    def _watch_gauges(self, catalog: Catalog) -> None:
        work, imports, endpoints = self._work, self._imports, self._endpoints
        for name, what, value in (
            ("calls_running", "Threads that work on calls.", lambda: work.running),
            ("calls_waiting", "Calls that wait for a thread.", lambda: work.waiting),
            ("imports_running", "Threads that work on imports.", lambda: imports.running),
            ("imports_waiting", "Imports that wait for a thread.", lambda: imports.waiting),
            ("skills", "Skills of the store, of all tenants.", catalog.store.count_skills),
            ("in_flight", "Calls that have no answer yet.", lambda: endpoints.in_flight),
        ):
            self.metrics.watch(name, what, value)

    def _begin_embedding(self, catalog: Catalog) -> None:
        try:
            catalog.embed_in_background()
        except EmbedderUnavailable as reason:
            _log.info("no semantic search", reason=reason.message)
            return
        for name, what, value in (
            (
                "embedded_skills",
                "Skills of the store that have vectors of the embedder.",
                lambda: catalog.embedding_progress().embedded,
            ),
            (
                "embeddable_skills",
                "Skills of the store.",
                lambda: catalog.embedding_progress().entries,
            ),
            (
                "embedder_failures",
                "Queries that the embedder failed, or was too slow or too busy for.",
                lambda: sum(catalog.embedder_failures.values()),
            ),
        ):
            self.metrics.watch(name, what, value)


def when_signalled(stop: Callable[[], None]) -> None:
    """Call `stop` for every SIGTERM and SIGINT that comes while the running loop runs."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)


def serve(
    catalog: Catalog,
    settings: ServerSettings,
    started: Callable[[int], None] | None = None,
    when_told: Callable[[Callable[[], None]], None] = when_signalled,
) -> None:
    """Serve until told to stop, drain, and return. Told a second time, the grace ends.

    Args:
        started: called with the port when the server is ready.
        when_told: called on the running loop with what is to be called to stop.

    Raises:
        InvalidConfiguration: as `SkillCatalogServer`.
    """
    configure_logs(settings.log_level)
    asyncio.run(_serve(catalog, settings, started, when_told))


async def _serve(
    catalog: Catalog,
    settings: ServerSettings,
    started: Callable[[int], None] | None,
    when_told: Callable[[Callable[[], None]], None],
) -> None:
    stopping, hurry = asyncio.Event(), asyncio.Event()

    def told() -> None:
        (hurry if stopping.is_set() else stopping).set()

    when_told(told)
    server = SkillCatalogServer(catalog, settings)
    await server.start()
    if started is not None:
        started(server.port)
    await stopping.wait()
    await server.stop(hurry)


def _authentication(settings: ServerSettings) -> Authentication:
    if settings.tokens is None:
        return PlainMetadata()
    keys = VerificationKeys(settings.tokens)
    return BearerTokens(TokenVerifier(settings.tokens, keys), settings.tokens.claims)


async def _first_of(wait: object, hurry: asyncio.Event | None) -> None:
    """Wait for one or the other."""
    waits = {asyncio.ensure_future(wait)}  # type: ignore[call-overload]
    if hurry is not None:
        waits.add(asyncio.ensure_future(hurry.wait()))
    _, pending = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for unneeded in pending:
        unneeded.cancel()
