"""From the bind to the last call: ports, TLS, pings, draining, signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from test_wire_load import SlowCatalog, listing, until

from catalog.catalog import Catalog
from catalog.errors import InvalidConfiguration
from catalog.identity import Identity
from catalog.requests import ListRequest
from server.settings import ServerSettings, TlsSettings, TokenSettings
from skillcatalog.v1 import skillcatalog_pb2 as pb
from skillcatalog.v1.skillcatalog_pb2_grpc import SkillCatalogStub
from tests.wire.conftest import Start, archive, caller, skill_text

ANN = caller()
SECRET = "a secret that is long enough for it"


def test_a_second_server_on_the_port_fails_and_the_first_goes_on(start: Start) -> None:
    first = start()
    with pytest.raises(InvalidConfiguration, match=f"127.0.0.1:{first.server.port}"):
        start(port=first.server.port)
    assert first.search("x", ANN).request_id


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"host": "0.0.0.0"}, "host"),
        ({"host": "0.0.0.0", "tokens": TokenSettings(secret=SECRET)}, "tls"),
        ({"host": "::", "tokens": TokenSettings(secret=SECRET)}, "tls"),
        ({"host": "example.org", "tokens": TokenSettings(secret=SECRET)}, "tls"),
        (
            {
                "host": "203.0.113.7",
                "tokens": TokenSettings(secret=SECRET),
                "allow_plaintext": True,
            },
            "port",
        ),
        ({"tls": TlsSettings(Path("absent.pem"), Path("absent.pem"))}, "tls_certificate"),
    ],
)
def test_an_address_that_may_not_be_used_is_refused(
    start: Start, settings: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidConfiguration) as caught:
        start(**settings)
    assert caught.value.metadata["field"] == field


@pytest.mark.parametrize(
    "settings", [{}, {"insecure_identity": True, "tokens": TokenSettings(secret=SECRET)}]
)
def test_callers_are_verified_in_exactly_one_way(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidConfiguration):
        ServerSettings(**settings)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1"])
def test_loopback_addresses_need_no_tls(start: Start, host: str) -> None:
    assert start(host=host).server.port > 0


def test_a_client_may_ping_every_few_seconds_without_a_call(start: Start) -> None:
    wire = start()
    options = [
        ("grpc.keepalive_time_ms", 5_100),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
    ]
    with grpc.insecure_channel(wire.target, options) as channel:
        stub = SkillCatalogStub(channel)
        states: list[grpc.ChannelConnectivity] = []
        stub.SkillList(pb.SkillListRequest(), metadata=ANN)
        channel.subscribe(states.append)
        # With gRPC's own default the third ping ends the connection.
        time.sleep(17)
        assert set(states) == {grpc.ChannelConnectivity.READY}


def test_health_says_not_serving_before_calls_in_flight_end(start: Start) -> None:
    catalog = SlowCatalog()
    wire = start(catalog, lame_duck_seconds=0.3)
    seen: list[int] = []
    health = health_pb2_grpc.HealthStub(wire.channel)

    def watch() -> None:
        try:
            seen.extend(a.status for a in health.Watch(health_pb2.HealthCheckRequest()))
        except grpc.RpcError:
            seen.append(-1)

    watching = threading.Thread(target=watch)
    watching.start()
    until(lambda: seen == [health_pb2.HealthCheckResponse.SERVING])
    call = listing(wire, ANN)
    until(lambda: catalog.begun)
    stopping = threading.Thread(target=wire.stop)
    stopping.start()
    until(lambda: health_pb2.HealthCheckResponse.NOT_SERVING in seen)
    answer = health.Check(health_pb2.HealthCheckRequest(), timeout=2)
    assert answer.status == health_pb2.HealthCheckResponse.NOT_SERVING
    time.sleep(0.5)
    assert not call.done()
    catalog.let_go.set()
    assert call.result().request_id
    stopping.join(10)
    watching.join(10)
    assert not stopping.is_alive()


def test_calls_that_outlive_the_grace_are_cancelled_and_stop(start: Start) -> None:
    catalog = SlowCatalog()
    wire = start(catalog, grace_seconds=0.2)
    call = listing(wire, ANN)
    until(lambda: catalog.begun)
    wire.stop()
    assert isinstance(call.exception(), grpc.RpcError)
    assert catalog.stopped == ["acme"]


def test_health_says_not_serving_while_the_store_is_gone(start: Start, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    wire = start(Catalog.open(f"sqlite:///{folder / 'skills.db'}"))
    health = health_pb2_grpc.HealthStub(wire.channel)
    # Its connections go, as a network would take them.
    wire.catalog.store._engine.dispose()
    folder.rename(tmp_path / "away")
    with pytest.raises(grpc.RpcError):
        wire.search("x", ANN)

    def status() -> int:
        return health.Check(health_pb2.HealthCheckRequest()).status

    until(lambda: status() == health_pb2.HealthCheckResponse.NOT_SERVING)
    (tmp_path / "away").rename(folder)
    until(lambda: status() == health_pb2.HealthCheckResponse.SERVING)


PROGRAM = """
import sys
from pathlib import Path
from catalog.catalog import Catalog
from server.serving import serve
from server.settings import ServerSettings

catalog = Catalog.open(sys.argv[1])
settings = ServerSettings(port=0, insecure_identity=True, lame_duck_seconds=0.1, grace_seconds=20)
serve(catalog, settings, lambda port: print(port, flush=True))
catalog.close()
"""


@pytest.fixture
def process(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], int, str]]:
    url = f"sqlite:///{tmp_path / 'skills.db'}"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    running = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, url],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    yield running, int(running.stdout.readline()), url
    running.kill()
    running.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_during_an_import_lets_it_finish(
    process: tuple[subprocess.Popen[str], int, str], number: signal.Signals
) -> None:
    running, port, url = process
    pack = archive({f"{n}/SKILL.md": skill_text(f"way-{n}", f"Mend net {n}") for n in range(400)})
    uploaded = threading.Event()

    def parts() -> Iterator[pb.PackImportRequest]:
        yield pb.PackImportRequest(start=pb.PackImportRequest.Start(pack_name="tools"))
        yield pb.PackImportRequest(chunk=pack)
        uploaded.set()

    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        events = SkillCatalogStub(channel).PackImport(parts(), metadata=ANN)
        next(events)
        assert uploaded.wait(10)
        running.send_signal(number)
        report = list(events)[-1].report
    assert report.added == 400
    assert running.wait(20) == 0
    catalog = Catalog.open(url)
    kept = catalog.list(Identity("acme", "ann", "s1"), ListRequest(page_size=1_000))
    catalog.close()
    assert len(kept.cards) == 400
    _, errors = running.communicate()
    assert "Traceback" not in errors
