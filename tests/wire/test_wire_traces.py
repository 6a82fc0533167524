"""What a call leaves behind: metrics, log lines, spans and audit events."""

from __future__ import annotations

import io
import json
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from catalog.catalog import Catalog
from catalog.errors import IdentityRequired, InvalidConfiguration
from catalog.identity import Identity, Role
from server import structured_logs
from server.metrics import Metrics
from server.tracing import OpenTelemetryTracing
from skillcatalog.v1 import skillcatalog_pb2 as pb
from tests.wire.conftest import Start, Wire, caller, refusal, skill_text

ANN = caller()
ADMIN = caller(roles="admin")
SKILL = {"s/SKILL.md": skill_text("mend", "Mend a net", "Knot by knot.\n")}


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Gives the log lines so far, each as an object."""
    written = io.StringIO()
    monkeypatch.setattr(structured_logs.sys, "stderr", written)

    def so_far(level: str = "info") -> list[dict[str, Any]]:
        return [json.loads(line) for line in written.getvalue().splitlines()]

    structured_logs.configure_logs("info")
    yield so_far
    structlog.reset_defaults()


def test_a_call_is_one_json_line_without_its_query(start: Start, lines: Any) -> None:
    wire = start()
    answer = wire.search("mend the secret net", ANN)
    wire.search("mend the secret net", ANN)
    wire.stop()
    first, second = [line for line in lines() if line["event"] == "call"]
    assert first["rpc"] == "SkillSearch"
    assert first["code"] == "OK"
    assert first["tenant"] == "acme"
    assert first["request_id"] == answer.request_id
    assert first["query"] == second["query"]
    assert "secret" not in json.dumps(lines())


def test_at_level_debug_the_query_is_there(start: Start, lines: Any) -> None:
    wire = start(log_level="debug")
    wire.search("mend the net", ANN)
    wire.stop()
    assert "mend the net" in {line.get("query") for line in lines()}


def test_a_fault_of_ours_is_logged_with_its_cause(start: Start, lines: Any) -> None:
    class Faulty(Catalog):
        def list(self, *_: object) -> object:
            raise KeyError("the cause")

    wire = start(Faulty(Catalog.open("memory:").store))
    with refusal() as gave:
        wire.stub.SkillList(pb.SkillListRequest(), metadata=ANN)
    wire.stop()
    (line,) = [line for line in lines() if line["event"] == "request failed"]
    assert line["request_id"] == gave().request_id
    assert line["exception"][0]["exc_type"] == "KeyError"
    assert all("locals" not in frame for frame in line["exception"][0]["frames"])


def test_prometheus_reads_calls_refusals_tokens_and_imports(start: Start) -> None:
    wire = start(metrics_port=0)
    wire.import_skills(SKILL, ANN)
    wire.search("mend a net", ANN)
    with refusal():
        wire.search("", ANN)
    with refusal():
        wire.search("x", ())
    url = f"http://127.0.0.1:{wire.server.metrics.port}/metrics"
    with urllib.request.urlopen(url) as answer:
        text = answer.read().decode()
    for line in (
        'skillcatalog_requests_total{code="OK",rpc="SkillSearch"} 1.0',
        'skillcatalog_requests_total{code="INVALID_ARGUMENT",rpc="SkillSearch"} 1.0',
        'skillcatalog_requests_total{code="UNAUTHENTICATED",rpc="SkillSearch"} 1.0',
        'skillcatalog_request_seconds_count{rpc="PackImport"} 1.0',
        'skillcatalog_refusals_total{reason="IDENTITY_REQUIRED"} 1.0',
        'skillcatalog_imported_skills_total{change="added"} 1.0',
        "skillcatalog_ready 1.0",
        "skillcatalog_in_flight 0.0",
    ):
        assert line in text
    assert 'skillcatalog_tokens_served_total{rpc="SkillSearch"}' in text
    assert "acme" not in text


def test_prometheus_reads_steps_what_was_masked_and_the_size_of_the_catalog(start: Start) -> None:
    wire = start(metrics_port=0)
    body = "# How\n\nAsk maria.fischer@net-menders.example, not [REDACTED:MY_OWN_LABEL].\n"
    wire.import_skills({"s/SKILL.md": skill_text("net", "Mend a net", body)}, ANN)
    wire.import_skills(SKILL, caller("globex"))
    wire.search("mend a net", ANN)
    wire.search("mend a net", ANN)
    wire.stub.SkillGet(pb.SkillGetRequest(names=["net"]), metadata=ANN)
    with urllib.request.urlopen(f"http://127.0.0.1:{wire.server.metrics.port}/metrics") as answer:
        text = answer.read().decode()
    for line in (
        'skillcatalog_step_seconds_count{step="names"} 1.0',
        'skillcatalog_step_seconds_count{step="budget"}',
        'skillcatalog_step_seconds_count{step="redaction"}',
        'skillcatalog_step_seconds_count{step="full_text"}',
        'skillcatalog_step_seconds_count{step="regex"}',
        'skillcatalog_step_seconds_count{step="filter"}',
        'skillcatalog_step_seconds_count{step="page"}',
        'skillcatalog_redactions_total{entity="EMAIL"} 1.0',
        'skillcatalog_redactions_total{entity="other"} 1.0',
        "skillcatalog_skills 2.0",
    ):
        assert line in text
    assert "globex" not in text
    assert "MY_OWN_LABEL" not in text


def test_a_taken_metrics_port_is_a_clear_error() -> None:
    metrics = Metrics()
    stop = metrics.serve("127.0.0.1", 0)
    try:
        with pytest.raises(InvalidConfiguration, match=str(metrics.port)):
            Metrics().serve("127.0.0.1", metrics.port)
    finally:
        stop()


def test_a_span_follows_the_conventions_and_continues_the_caller_s_trace(start: Start) -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    wire = start(tracing=OpenTelemetryTracing(provider))
    trace = "0af7651916cd43dd8448eb211c80319c"
    wire.search("x", (*ANN, ("traceparent", f"00-{trace}-b7ad6b7169203331-01")))
    with refusal():
        wire.search("", ANN)
    wire.stop()
    first, second = exporter.get_finished_spans()
    assert first.name == "skillcatalog.v1.SkillCatalog/SkillSearch"
    assert format(first.context.trace_id, "032x") == trace
    assert dict(first.attributes) == {
        "rpc.system": "grpc",
        "rpc.service": "skillcatalog.v1.SkillCatalog",
        "rpc.method": "SkillSearch",
        "rpc.grpc.status_code": 0,
    }
    assert second.attributes["rpc.grpc.status_code"] == 3
    assert second.attributes["error.type"] == "INVALID_QUERY"
    assert second.status.is_ok


def _refused_events(catalog: Catalog, tenant: str) -> list[Any]:
    page = catalog.audit(Identity(tenant, "root", "s", roles=frozenset({Role.ADMIN})), 1_000)
    return [event for event in page.events if event.outcome == "refused"]


def test_refused_roles_are_in_the_audit_trail_of_their_tenant(wire: Wire) -> None:
    with refusal() as gave:
        wire.import_skills(SKILL, caller(roles="reader"))
    wire.server._refusals._writer.submit(int).result(5)
    (event,) = _refused_events(wire.catalog, "acme")
    assert (event.action, event.reason, event.user) == ("pack_import", "ROLE_REQUIRED", "ann")
    assert event.request_id == gave().request_id


def test_a_flood_of_refused_callers_does_not_flood_the_audit_trail(wire: Wire) -> None:
    recorded: list[tuple[str, str]] = []
    catalog = wire.catalog
    record = catalog.audit_refusal

    def counted(identity: Any, action: str, error: Any, **more: str) -> None:
        recorded.append((action, more["subject"]))
        record(identity, action, error, **more)

    catalog.audit_refusal = counted  # type: ignore[method-assign]
    for _ in range(300):
        with refusal():
            wire.search("x", ())
    wire.stop()
    single = [one for one in recorded if not one[1]]
    assert 50 <= len(single) < 80
    assert recorded[-1] == ("skill_search", f"{300 - len(single)} more refusals")


def test_a_refused_identity_is_recorded_without_a_tenant() -> None:
    catalog = Catalog.open("memory:")
    catalog.audit_refusal(None, "skill_search", IdentityRequired("no"))
    assert _refused_events(catalog, "acme") == []
