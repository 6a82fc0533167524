"""Servers in processes of their own, whose CPU time can be asked for."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection

from benchmarks.echo_server import started_echo_server
from catalog.catalog import Catalog
from server.serving import SkillCatalogServer
from server.settings import ServerSettings
from server.structured_logs import configure_logs


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """A running server: its port, its process, and the CPU seconds that this has used."""

    port: int
    process_id: int
    _connection: Connection

    def cpu_seconds(self) -> float:
        self._connection.send("cpu")
        seconds: float = self._connection.recv()
        return seconds


@contextmanager
def catalog_server(store_url: str) -> Iterator[ServerProcess]:
    """The catalog's server as an operator starts it, its log lines thrown away."""
    with _process(_serve_catalog, store_url) as server:
        yield server


@contextmanager
def echo_server() -> Iterator[ServerProcess]:
    """An empty grpc.aio service: bytes in, the same bytes out."""
    with _process(_serve_echo, "") as server:
        yield server


@contextmanager
def _process(target: Callable[[Connection, str], None], argument: str) -> Iterator[ServerProcess]:
    # Not by fork, which gRPC does not survive.
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=target, args=(theirs, argument), daemon=True)
    process.start()
    try:
        yield ServerProcess(ours.recv(), process.pid or 0, ours)
        ours.send("stop")
        process.join(timeout=30)
    finally:
        process.kill()
        process.join()


def _serve_catalog(connection: Connection, store_url: str) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    configure_logs("info")
    catalog = Catalog.open(store_url)

    async def serve() -> None:
        server = SkillCatalogServer(
            catalog, ServerSettings(port=0, insecure_identity=True, lame_duck_seconds=0)
        )
        await server.start()
        await _answer(connection, server.port)
        await server.stop()

    asyncio.run(serve())
    catalog.close()


def _serve_echo(connection: Connection, _: str) -> None:
    async def serve() -> None:
        server, port = await started_echo_server()
        await _answer(connection, port)
        await server.stop(0)

    asyncio.run(serve())


async def _answer(connection: Connection, port: int) -> None:
    """Say the port, then the CPU time whenever asked, until told to stop."""
    stopping = asyncio.Event()

    def said() -> None:
        if connection.recv() == "cpu":
            connection.send(time.process_time())
        else:
            stopping.set()

    connection.send(port)
    asyncio.get_running_loop().add_reader(connection.fileno(), said)
    await stopping.wait()
