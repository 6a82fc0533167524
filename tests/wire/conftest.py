"""Real servers on a loopback port, in this process or one of their own, and channels into them."""

from __future__ import annotations

import asyncio
import io
import os
import re
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from catalog.catalog import Catalog
from server.serving import SkillCatalogServer
from server.settings import ServerSettings
from skillcatalog.v1 import skillcatalog_pb2 as pb
from skillcatalog.v1.skillcatalog_pb2_grpc import SkillCatalogStub

Metadata = tuple[tuple[str, str | bytes], ...]


def caller(
    tenant: str = "acme",
    user: str = "ann",
    session: str = "s1",
    roles: str = "reader,author,importer",
    **parts: str,
) -> Metadata:
    """The metadata of a caller of a server that trusts its callers."""
    said = {"tenant": tenant, "user": user, "session": session, "roles": roles, **parts}
    return tuple((f"x-skillcatalog-{part}", value) for part, value in said.items())


def skill_text(name: str, description: str, body: str = "# How\n\nDo it.\n", **fields: str) -> str:
    lines = "".join(f"{key}: {value}\n" for key, value in fields.items())
    return f"---\nname: {name}\ndescription: {description}\n{lines}---\n{body}"


def archive(files: Mapping[str, str | bytes]) -> bytes:
    """A zip of those files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as into:
        for path, content in files.items():
            into.writestr(path, content)
    return packed.getvalue()


@dataclass
class Refused:
    """What a refused call ended with."""

    code: str
    message: str
    reason: str
    metadata: dict[str, str]
    request_id: str
    domain: str


def refused(error: grpc.RpcError) -> Refused:
    info, request = error_details_pb2.ErrorInfo(), error_details_pb2.RequestInfo()
    status = rpc_status.from_call(error)
    for detail in status.details if status else ():
        detail.Unpack(info) if detail.Is(info.DESCRIPTOR) else detail.Unpack(request)
    return Refused(
        error.code().name,
        error.details() or "",
        info.reason,
        dict(info.metadata),
        request.request_id,
        info.domain,
    )


@contextmanager
def refusal() -> Iterator[Callable[[], Refused]]:
    """Expects the call in the block to be refused; the value gives what with."""
    with pytest.raises(grpc.RpcError) as caught:
        yield lambda: refused(caught.value)


@dataclass
class Wire:
    """A running server and a channel into it."""

    server: SkillCatalogServer
    catalog: Catalog
    channel: grpc.Channel
    loop: asyncio.AbstractEventLoop

    @property
    def stub(self) -> SkillCatalogStub:
        return SkillCatalogStub(self.channel)

    @property
    def target(self) -> str:
        return f"127.0.0.1:{self.server.port}"

    def stop(self) -> None:
        asyncio.run_coroutine_threadsafe(self.server.stop(), self.loop).result(30)

    def import_pack(
        self, data: bytes, metadata: Metadata, name: str = "tools", **start: Any
    ) -> list[pb.PackImportResponse]:
        """Send an archive in two chunks and take all events."""
        half = len(data) // 2
        parts = [
            pb.PackImportRequest(start=pb.PackImportRequest.Start(pack_name=name, **start)),
            *(pb.PackImportRequest(chunk=chunk) for chunk in (data[:half], data[half:])),
        ]
        return list(self.stub.PackImport(iter(parts), metadata=metadata))

    def import_skills(
        self, files: Mapping[str, str | bytes], metadata: Metadata, **start: Any
    ) -> pb.PackReport:
        return self.import_pack(archive(files), metadata, **start)[-1].report

    def search(self, query: str, metadata: Metadata, **fields: Any) -> pb.SkillSearchResponse:
        return self.stub.SkillSearch(
            pb.SkillSearchRequest(query=query, **fields), metadata=metadata
        )

    def names_found(self, query: str, metadata: Metadata) -> list[str]:
        return [hit.card.qualified_name for hit in self.search(query, metadata).hits]


Start = Callable[..., Wire]
Serve = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts servers: `start(catalog=…, **settings)`; all are stopped behind the test."""
    with ExitStack() as stack:

        def started(catalog: Catalog | None = None, tracing: Any = None, **settings: Any) -> Wire:
            catalog = catalog or Catalog.open("memory:")
            defaults: dict[str, Any] = {"port": 0, "lame_duck_seconds": 0, "grace_seconds": 2}
            if "tokens" not in settings:
                defaults["insecure_identity"] = True
            return stack.enter_context(
                _running(catalog, ServerSettings(**(defaults | settings)), tracing)
            )

        yield started


@pytest.fixture
def wire(start: Start) -> Wire:
    """A server with the usual limits on an empty catalog in memory."""
    return start()


@contextmanager
def _running(catalog: Catalog, settings: ServerSettings, tracing: Any) -> Iterator[Wire]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def start() -> SkillCatalogServer:
        server = SkillCatalogServer(catalog, settings, tracing=tracing)
        await server.start()
        return server

    try:
        server = asyncio.run_coroutine_threadsafe(start(), loop).result(30)
        with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
            wire = Wire(server, catalog, channel, loop)
            yield wire
            if not server.stopped:
                wire.stop()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(5)
        catalog.close()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts `skillcatalog serve` with those arguments; what still runs is killed at the end."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    running: list[subprocess.Popen[str]] = []

    def serve(*arguments: str, store: str = "") -> subprocess.Popen[str]:
        program = "from server.command_line import main\nif __name__ == '__main__': main()"
        program_file = tmp_path / "skillcatalog_program.py"
        program_file.write_text(program)
        store = store or f"sqlite:///{tmp_path / 'skills.db'}"
        command = [sys.executable, str(program_file), "serve", "--insecure-identity"]
        process = subprocess.Popen(
            [*command, "--store", store, *arguments],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        return process

    yield serve
    for process in running:
        process.terminate()
        process.communicate(timeout=30)


def port_of(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    line = process.stdout.readline()
    announced = re.search(r":(\d+)$", line)
    if announced is None:
        raise AssertionError(line + process.communicate()[1])
    return int(announced[1])
