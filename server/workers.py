"""Several server processes on one port of one machine, for `serve --workers`.

The parent holds the port and serves nothing itself. Workers take no signals: the parent tells
them to stop through a pipe, and its end of the pipe closing says the same, so that neither a
signal to the whole process group nor the death of the parent leaves a worker behind.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from catalog.errors import SkillCatalogError, StoreUnavailable
from server.configuration import Configuration
from server.configured import open_catalog, server_settings
from server.settings import ServerSettings
from server.transport import taken

_READY = None
_STOP = b"stop"


def serve_with_workers(configuration: Configuration, started: Callable[[int], None]) -> None:
    """Serve with `configuration.workers` processes until SIGTERM or SIGINT, and drain them all.

    A worker that ends by itself is not started again: the others drain and the service ends,
    so that whoever supervises it sees the fault.

    Args:
        started: called with the port when every worker is ready.

    Raises:
        InvalidConfiguration: as `SkillCatalogServer`; or another service has the port, also
            one that shares it among its own workers.
        StoreUnavailable: a worker cannot open the store, or a worker ended by itself.
    """
    settings = server_settings(configuration)
    with ExitStack() as stack:
        settings = replace(settings, port=_held_port(settings, stack))
        signals = stack.enter_context(_signals())
        workers = [
            _Worker.spawned(configuration, _of_worker(settings, place))
            for place in range(settings.workers)
        ]
        try:
            _watch(workers, signals, lambda: started(settings.port))
        finally:
            _drain(workers, signals)


@dataclass(frozen=True, slots=True, eq=False)
class _Worker:
    process: SpawnProcess
    pipe: Connection

    @classmethod
    def spawned(cls, configuration: Configuration, settings: ServerSettings) -> _Worker:
        # A fork would copy locks that threads of this process hold.
        spawning = multiprocessing.get_context("spawn")
        ours, theirs = spawning.Pipe()
        process = spawning.Process(
            target=_serve_until_told, args=(configuration, settings, theirs), name="worker"
        )
        process.start()
        theirs.close()
        return cls(process, ours)

    def stop(self) -> None:
        # One that has ended needs no word.
        with contextlib.suppress(BrokenPipeError):
            self.pipe.send_bytes(_STOP)


def _watch(workers: Sequence[_Worker], signals: socket.socket, started: Callable[[], None]) -> None:
    """Returns at the first signal; raises at the first worker that ends."""
    of_pipe = {worker.pipe: worker for worker in workers}
    starting = set(of_pipe)
    while True:
        for found in wait([signals, *of_pipe]):
            if found is signals:
                signals.recv(1)
                return
            assert isinstance(found, Connection)
            try:
                fault = found.recv()
            except (EOFError, ConnectionResetError) as end:
                raise _ended(of_pipe[found], len(workers)) from end
            if fault is not _READY:
                raise fault
            starting.discard(found)
            if not starting:
                started()


def _ended(worker: _Worker, of: int) -> StoreUnavailable:
    worker.process.join()
    return StoreUnavailable(
        f"one of {of} workers ended by itself with code {worker.process.exitcode}; "
        "the service has stopped, start it again",
        field="workers",
    )


def _drain(workers: Sequence[_Worker], signals: socket.socket) -> None:
    """Wait for the calls in flight of all; another signal ends their grace."""
    for worker in workers:
        worker.stop()
    running = {worker.process.sentinel: worker for worker in workers}
    while running:
        for found in wait([signals, *running]):
            if found is signals:
                signals.recv(1)
                for worker in running.values():
                    worker.stop()
            else:
                assert isinstance(found, int)
                del running[found]
    for worker in workers:
        worker.process.join()
        worker.pipe.close()


def _of_worker(settings: ServerSettings, place: int) -> ServerSettings:
    """Each worker counts for itself, so each shows its metrics on a port of its own."""
    if not settings.metrics_port:
        return settings
    return replace(settings, metrics_port=settings.metrics_port + place)


def _held_port(settings: ServerSettings, stack: ExitStack) -> int:
    """Take the port away from every other service, without listening.

    Sockets that share a port must all say so, so one that does not say it tells first
    whether the port is anybody's.
    """
    port = settings.port
    try:
        addresses = socket.getaddrinfo(settings.host, port, type=socket.SOCK_STREAM)
        for family, kind, protocol, _, address in addresses:
            for shared in (False, True):
                held = stack.enter_context(socket.socket(family, kind, protocol))
                held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, shared)
                if family == socket.AF_INET6:
                    held.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                held.bind((address[0], port, *address[2:]))
                port = held.getsockname()[1]
                if not shared:
                    held.close()
    except OSError as error:
        raise taken(f"{settings.host}:{settings.port}") from error
    return port


@contextmanager
def _signals() -> Iterator[socket.socket]:
    """A socket with one byte for every SIGTERM and SIGINT of this process."""
    reading, writing = socket.socketpair()
    numbers = (signal.SIGTERM, signal.SIGINT)
    before = [signal.signal(number, lambda *_: writing.send(_STOP[:1])) for number in numbers]
    try:
        with reading, writing:
            yield reading
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _serve_until_told(
    configuration: Configuration, settings: ServerSettings, pipe: Connection
) -> None:
    """The whole life of a worker."""
    from server.serving import serve

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)

    def when_told(stop: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()

        def told() -> None:
            try:
                pipe.recv_bytes()
            except (EOFError, ConnectionResetError):
                loop.remove_reader(pipe.fileno())
            stop()

        loop.add_reader(pipe.fileno(), told)

    try:
        catalog = open_catalog(configuration, with_embedder=True)
        try:
            serve(catalog, settings, lambda _port: pipe.send(_READY), when_told)
        finally:
            catalog.close()
    except SkillCatalogError as fault:
        # The cause may not travel, and its text is not for callers.
        fault.__cause__ = None
        pipe.send(fault)
