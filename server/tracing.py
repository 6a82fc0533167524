"""OpenTelemetry spans of calls, when the operator asks for them and the libraries are there.

Spans have the names and attributes of the semantic conventions for RPC. A `traceparent` of
the caller is continued.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from catalog.errors import InvalidConfiguration

SERVICE = "skillcatalog.v1.SkillCatalog"


class Span(Protocol):
    def end(self, code: int, reason: str) -> None: ...


class Tracing(Protocol):
    def begin(self, rpc: str, metadata: Sequence[tuple[str, str | bytes]]) -> Span: ...

    def close(self) -> None:
        """Send what is not sent yet."""


class _NoSpan:
    def end(self, code: int, reason: str) -> None:
        """Nobody looks."""


_NO_SPAN = _NoSpan()


class NoTracing:
    """What a server without tracing has in its place."""

    def begin(self, rpc: str, metadata: Sequence[tuple[str, str | bytes]]) -> Span:  # noqa: ARG002
        return _NO_SPAN

    def close(self) -> None:
        """Nothing was kept."""


class OpenTelemetryTracing:
    """Args:
    provider: a TracerProvider of the OpenTelemetry SDK.
    """

    def __init__(self, provider: Any) -> None:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._provider = provider
        self._tracer = provider.get_tracer("skillcatalog")
        self._propagator = TraceContextTextMapPropagator()

    def begin(self, rpc: str, metadata: Sequence[tuple[str, str | bytes]]) -> Span:
        from opentelemetry.trace import SpanKind

        carrier = {key: value for key, value in metadata if isinstance(value, str)}
        return _OpenTelemetrySpan(
            self._tracer.start_span(
                f"{SERVICE}/{rpc}",
                context=self._propagator.extract(carrier),
                kind=SpanKind.SERVER,
                attributes={"rpc.system": "grpc", "rpc.service": SERVICE, "rpc.method": rpc},
            )
        )

    def close(self) -> None:
        self._provider.shutdown()


class _OpenTelemetrySpan:
    def __init__(self, span: Any) -> None:
        self._span = span

    def end(self, code: int, reason: str) -> None:
        from opentelemetry.trace import Status, StatusCode

        self._span.set_attribute("rpc.grpc.status_code", code)
        if reason:
            self._span.set_attribute("error.type", reason)
        if code in _FAULTS_OF_THE_SERVER:
            self._span.set_status(Status(StatusCode.ERROR))
        self._span.end()


# As the conventions have it for server spans: UNKNOWN, DEADLINE_EXCEEDED, UNIMPLEMENTED,
# INTERNAL, UNAVAILABLE and DATA_LOSS.
_FAULTS_OF_THE_SERVER = frozenset({2, 4, 12, 13, 14, 15})


def open_tracing() -> Tracing:
    """Spans to where the OTEL_EXPORTER_OTLP_* variables say.

    Raises:
        InvalidConfiguration: the extra `telemetry` is not installed.
    """
    try:
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise InvalidConfiguration(
            "tracing needs the extra 'telemetry': pip install 'skillcatalog[telemetry]'",
            field="tracing",
        ) from error
    provider = TracerProvider(resource=Resource.create({"service.name": "skillcatalog"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return OpenTelemetryTracing(provider)
