"""An archive that a client streams in, kept in a temporary file until it is imported."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from tempfile import TemporaryFile
from typing import IO

from catalog.errors import DeadlineExceeded, InvalidPack, Overloaded, PackTooLarge
from server.settings import MEBIBYTE, Limits
from skillcatalog.v1 import skillcatalog_pb2 as pb

_PROGRESS_BYTES = MEBIBYTE
_ENDINGS = (".tar.gz", ".tgz", ".tar", ".zip", ".skill")


class Uploads:
    """Counts what is being received, so that temporary files stay few."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._by_tenant: Counter[str] = Counter()

    @contextmanager
    def file(self, tenant: str) -> Iterator[IO[bytes]]:
        """A temporary file for one upload of the tenant, gone behind the block.

        Raises:
            Overloaded: too many are being received already.
        """
        limits = self._limits
        if (
            self._by_tenant.total() >= limits.uploads
            or self._by_tenant[tenant] >= limits.uploads_per_tenant
        ):
            raise Overloaded(
                f"{self._by_tenant.total()} archives are being received; the server takes "
                f"{limits.uploads}, and {limits.uploads_per_tenant} of one tenant",
                uploads=limits.uploads,
                uploads_per_tenant=limits.uploads_per_tenant,
            )
        self._by_tenant[tenant] += 1
        try:
            with TemporaryFile(prefix="skillcatalog-") as file:
                yield file
        finally:
            self._by_tenant[tenant] -= 1
            if not self._by_tenant[tenant]:
                del self._by_tenant[tenant]

    async def receive(
        self, parts: AsyncIterator[pb.PackImportRequest], file: IO[bytes]
    ) -> AsyncIterator[int]:
        """Write the chunks behind the start into the file; yields the bytes received so far,
        about once a mebibyte and at the end.

        Raises:
            InvalidPack: a part is no chunk, or there is none.
            PackTooLarge: the archive is over the limit.
            DeadlineExceeded: no part came for too long.
        """
        received = unwritten = 0
        buffer: list[bytes] = []
        while (part := await next_part(parts, self._limits)) is not None:
            if part.WhichOneof("part") != "chunk":
                raise InvalidPack("every part behind the first is a chunk", field="part")
            buffer.append(part.chunk)
            received += len(part.chunk)
            unwritten += len(part.chunk)
            if received > self._limits.archive_bytes:
                raise PackTooLarge(
                    f"the archive has more than {self._limits.archive_bytes} bytes",
                    limit=self._limits.archive_bytes,
                )
            if unwritten >= _PROGRESS_BYTES:
                await asyncio.to_thread(file.writelines, buffer)
                buffer, unwritten = [], 0
                yield received
        await asyncio.to_thread(file.writelines, buffer)
        file.seek(0)
        yield received


async def next_part(
    parts: AsyncIterator[pb.PackImportRequest], limits: Limits
) -> pb.PackImportRequest | None:
    """The next part of a stream, None behind the last.

    Raises:
        DeadlineExceeded: none came within the limit, so that a client that stopped sending
            does not keep its place.
    """
    try:
        async with asyncio.timeout(limits.upload_idle_seconds):
            return await anext(parts, None)
    except TimeoutError as error:
        raise DeadlineExceeded(
            f"no part of the archive came for {limits.upload_idle_seconds:g} s",
            upload_idle_seconds=str(limits.upload_idle_seconds),
        ) from error


async def start_of(
    parts: AsyncIterator[pb.PackImportRequest], limits: Limits
) -> pb.PackImportRequest.Start:
    """The first part of a PackImport.

    Raises:
        InvalidPack: there is none, or it is a chunk.
    """
    part = await next_part(parts, limits)
    if part is None or part.WhichOneof("part") != "start":
        raise InvalidPack("the first part of a PackImport is its start", field="start")
    return part.start


def pack_name(start: pb.PackImportRequest.Start) -> str | None:
    """The name given, or else that of the file without its ending."""
    if start.pack_name:
        return start.pack_name
    name = PurePosixPath(start.file_name.replace("\\", "/")).name
    for ending in _ENDINGS:
        if name.lower().endswith(ending):
            return name[: -len(ending)] or None
    return None
