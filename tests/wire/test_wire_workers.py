"""`serve --workers`: real processes that share a port and a store."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent import futures
from contextlib import ExitStack
from pathlib import Path

import grpc
import pytest

from skillcatalog.v1 import skillcatalog_pb2 as pb
from skillcatalog.v1.skillcatalog_pb2_grpc import SkillCatalogStub
from tests.wire.conftest import Serve, archive, caller, port_of, skill_text

ANN = caller("acme")


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    """The ids of the processes that serve."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [
        int(child)
        for child in children
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


def channels(port: int, count: int, stack: ExitStack) -> list[SkillCatalogStub]:
    """Stubs with a connection each, so that the system spreads them over the workers."""
    options = (("grpc.use_local_subchannel_pool", 1),)
    return [
        SkillCatalogStub(
            stack.enter_context(grpc.insecure_channel(f"127.0.0.1:{port}", options=options))
        )
        for _ in range(count)
    ]


def names_found(stub: SkillCatalogStub, query: str) -> list[str]:
    found = stub.SkillSearch(pb.SkillSearchRequest(query=query), metadata=ANN, timeout=20)
    return [hit.card.name for hit in found.hits]


def import_skill(stub: SkillCatalogStub, name: str, description: str) -> None:
    packed = archive({"s/SKILL.md": skill_text(name, description)})
    parts = [
        pb.PackImportRequest(start=pb.PackImportRequest.Start(pack_name=name)),
        pb.PackImportRequest(chunk=packed),
    ]
    report = list(stub.PackImport(iter(parts), metadata=ANN))[-1].report
    assert report.added == 1


def peers(worker: int, port: int) -> int:
    """How many connections to that port the worker has."""
    files = Path(f"/proc/{worker}/fd")
    sockets = {str(link.readlink()) for link in files.iterdir() if link.is_symlink()}
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(
        line[1].endswith(f":{port:04X}") and line[3] == "01" and f"socket:[{line[9]}]" in sockets
        for line in [*lines, *_lines_of_ipv6()]
    )


def _lines_of_ipv6() -> list[list[str]]:
    file = Path("/proc/net/tcp6")
    return [line.split() for line in file.read_text().splitlines()[1:]] if file.exists() else []


@pytest.mark.skipif(sys.platform != "linux", reason="tells workers apart by /proc")
def test_every_worker_answers_and_finds_at_once_what_another_has_imported(serve: Serve) -> None:
    process = serve("--port", "0", "--workers", "2")
    port = port_of(process)
    with ExitStack() as stack:
        stubs = channels(port, 16, stack)
        for stub in stubs:
            assert names_found(stub, "mend a net") == []
        assert all(peers(worker, port) for worker in workers_of(process))
        for number in range(3):
            import_skill(stubs[number], f"net-{number}", "Mend a net")
            for stub in stubs:
                assert len(names_found(stub, "mend a net")) == number + 1
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0


def test_sigterm_lets_calls_in_flight_of_every_worker_finish(serve: Serve) -> None:
    process = serve("--port", "0", "--workers", "2")
    port = port_of(process)
    pack = archive({f"{n}/SKILL.md": skill_text(f"n-{n}", f"Mend net {n}") for n in range(150)})
    with ExitStack() as stack, futures.ThreadPoolExecutor(4) as pool:
        calls = []
        for n, stub in enumerate(channels(port, 4, stack)):
            parts = [
                pb.PackImportRequest(start=pb.PackImportRequest.Start(pack_name=f"p{n}")),
                pb.PackImportRequest(chunk=pack),
            ]
            call = stub.PackImport(iter(parts), metadata=caller(f"t{n}", roles="importer"))
            next(call)
            calls.append(pool.submit(lambda call=call: list(call)[-1].report.added))
        process.send_signal(signal.SIGTERM)
        assert [call.result(60) for call in calls] == [150] * 4
    assert process.wait(30) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="finds workers by /proc")
def test_a_worker_that_dies_ends_the_service(serve: Serve) -> None:
    process = serve("--port", "0", "--workers", "2")
    port_of(process)
    first, second = workers_of(process)
    os.kill(first, signal.SIGKILL)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 7
    assert "one of 2 workers ended by itself with code -9" in errors
    assert not Path(f"/proc/{second}").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="finds workers by /proc")
def test_workers_end_when_their_parent_is_killed(serve: Serve) -> None:
    process = serve("--port", "0", "--workers", "2")
    port_of(process)
    workers = workers_of(process)
    assert len(workers) == 2
    process.kill()
    ends = time.monotonic() + 20
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < ends, "a worker goes on without its parent"
        time.sleep(0.05)


@pytest.mark.parametrize(("first", "second"), [("1", "2"), ("2", "2")])
def test_a_second_service_on_the_port_is_refused(serve: Serve, first: str, second: str) -> None:
    port = port_of(serve("--port", "0", "--workers", first))
    refused = serve("--port", str(port), "--workers", second)
    output, errors = refused.communicate(timeout=30)
    assert (refused.returncode, output) == (2, "")
    assert "another process has the port" in errors


def test_workers_need_a_store_that_they_can_share(serve: Serve) -> None:
    refused = serve("--port", "0", "--workers", "2", store="memory:")
    _, errors = refused.communicate(timeout=30)
    assert refused.returncode == 2
    assert "INVALID_CONFIGURATION" in errors
    assert "each would have a catalog of its own" in errors


def test_what_no_worker_can_do_is_said_once(serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("This is no database. " * 500)
    refused = serve("--workers", "2", "--port", "0", store=f"sqlite:///{tmp_path / 'text.db'}")
    output, errors = refused.communicate(timeout=30)
    assert (refused.returncode, output) == (7, "")
    assert errors.count("STORE_UNAVAILABLE") == 1
    assert "Traceback" not in errors
