"""What comes out of an archive, counted against the limit of a whole pack."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import IO

from catalog.errors import InvalidPack, PackTooLarge
from importer.limits import MAX_UNPACKED_BYTES

_CHUNK_BYTES = 64 * 1024
_GZIP_WINDOW = 16 + zlib.MAX_WBITS


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of an archive as its reader found it.

    `link_target` is None for what is no link; `fault` says why an entry cannot be used, or
    is empty. `position` is where the reader finds the entry again.
    """

    path: str
    position: int
    size: int = 0
    is_folder: bool = False
    link_target: str | None = None
    fault: str = ""


class Unpacked:
    """The bytes that came out of one archive so far; reading an entry again is free."""

    def __init__(self) -> None:
        self._bytes = 0
        self._of_entry: dict[int, int] = {}

    def count(self, entry: Entry, size: int) -> None:
        """Takes note that `size` bytes of the entry have come out.

        Raises:
            PackTooLarge: more than `MAX_UNPACKED_BYTES` came out of the archive.
        """
        known = self._of_entry.get(entry.position, 0)
        if size > known:
            self._of_entry[entry.position] = size
            self._bytes += size - known
        if self._bytes > MAX_UNPACKED_BYTES:
            raise _too_much()


def gunzip(packed: IO[bytes], unpacked: IO[bytes]) -> None:
    """Inflates all members of a gzip stream.

    Raises:
        InvalidPack: the stream is corrupt or cut short.
        PackTooLarge: more than `MAX_UNPACKED_BYTES` come out.
    """
    packed.seek(0)
    inflater = zlib.decompressobj(_GZIP_WINDOW)
    pending = packed.read(_CHUNK_BYTES)
    size = 0
    try:
        while True:
            chunk = inflater.decompress(pending, _CHUNK_BYTES)
            size += len(chunk)
            if size > MAX_UNPACKED_BYTES:
                raise _too_much()
            unpacked.write(chunk)
            pending = inflater.unconsumed_tail
            if inflater.eof:
                # Another member may follow; zero bytes are padding.
                pending = (inflater.unused_data or packed.read(_CHUNK_BYTES)).lstrip(b"\0")
                if not pending:
                    break
                inflater = zlib.decompressobj(_GZIP_WINDOW)
            elif not pending:
                pending = packed.read(_CHUNK_BYTES)
                if not pending and not chunk:
                    break
    except zlib.error as error:
        raise InvalidPack("the gzip stream is corrupt") from error
    if not inflater.eof:
        raise InvalidPack("the gzip stream is cut short")


def _too_much() -> PackTooLarge:
    return PackTooLarge(
        f"more than {MAX_UNPACKED_BYTES:,} bytes come out of the archive",
        limit=MAX_UNPACKED_BYTES,
    )
