"""Tar archives, read header by header.

The standard library's reader keeps what extended headers and sparse maps say in memory,
however much that is. This one reads files, folders and links under their long names, and
turns everything else into an entry that is refused.
"""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterator
from typing import IO

from catalog.errors import InvalidPack, PackTooLarge
from importer.limits import MAX_PACK_FILES
from importer.unpacking import Entry

_BLOCK = tarfile.BLOCKSIZE
_CHUNK_BYTES = 64 * 1024
_MOST_NAME_BYTES = 64 * 1024
_ALWAYS_FOLLOWS = (tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)


class TarEntries:
    """A reader of seekable, uncompressed tar archives.

    Raises:
        InvalidPack: the archive is corrupt or cut short.
        PackTooLarge: it has more entries than the limit.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._length = stream.seek(0, os.SEEK_END)
        self.entries = tuple(self._entries())

    def chunks(self, entry: Entry) -> Iterator[bytes]:
        """Raises InvalidPack where the archive ends inside the entry."""
        position = entry.position
        left = entry.size
        while left:
            self._stream.seek(position)
            chunk = self._stream.read(min(left, _CHUNK_BYTES))
            if not chunk:
                raise InvalidPack("the tar archive is cut short")
            position += len(chunk)
            left -= len(chunk)
            yield chunk

    def _entries(self) -> Iterator[Entry]:
        position = 0
        count = 0
        said: dict[str, str] = {}
        while header := self._header(position):
            data = position + _BLOCK
            size = _size(header, said)
            position = data + (size + _BLOCK - 1) // _BLOCK * _BLOCK
            if data + size > self._length:
                raise InvalidPack("the tar archive is cut short")
            if header.type in _ALWAYS_FOLLOWS:
                said.update(self._said(header, data))
                continue
            if header.type != tarfile.XGLTYPE:
                count += 1
                if count > MAX_PACK_FILES:
                    raise PackTooLarge(
                        f"the archive has more than {MAX_PACK_FILES:,} entries",
                        limit=MAX_PACK_FILES,
                    )
                yield _entry(header, said, data, size)
            said = {}

    def _header(self, position: int) -> tarfile.TarInfo | None:
        self._stream.seek(position)
        block = self._stream.read(_BLOCK)
        if not block.strip(b"\0"):
            return None
        try:
            return tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except tarfile.HeaderError as error:
            raise InvalidPack("the tar archive is corrupt") from error

    def _said(self, header: tarfile.TarInfo, data: int) -> dict[str, str]:
        """What an extended header says about the entry that follows it."""
        if header.size > _MOST_NAME_BYTES:
            raise InvalidPack(
                f"an extended header has {header.size:,} bytes; the limit is {_MOST_NAME_BYTES:,}"
            )
        self._stream.seek(data)
        block = self._stream.read(header.size)
        if header.type == tarfile.GNUTYPE_LONGNAME:
            return {"path": _text(block)}
        if header.type == tarfile.GNUTYPE_LONGLINK:
            return {"linkpath": _text(block)}
        return _pax_records(block)


def _text(block: bytes) -> str:
    return block.rstrip(b"\0").decode("utf-8", "surrogateescape")


def _pax_records(block: bytes) -> dict[str, str]:
    """The records `<length> <key>=<value>\\n` of POSIX.1-2001."""
    records = {}
    position = 0
    while position < len(block) and block[position : position + 1].isdigit():
        space = block.find(b" ", position, position + 10)
        if space < 0 or not block[position:space].isdigit():
            raise InvalidPack("the tar archive is corrupt: a record has no length")
        end = position + int(block[position:space])
        if not space < end <= len(block):
            raise InvalidPack("the tar archive is corrupt: a record is too long")
        key, _, value = block[space + 1 : end - 1].partition(b"=")
        records[key.decode("utf-8", "replace")] = value.decode("utf-8", "surrogateescape")
        position = end
    return records


def _size(header: tarfile.TarInfo, said: dict[str, str]) -> int:
    if header.type in (tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.DIRTYPE):
        return 0
    written = said.get("size", "")
    size = int(written) if written.isascii() and written.isdigit() else header.size
    if size < 0:
        raise InvalidPack("the tar archive is corrupt: a size is negative")
    return size


def _entry(header: tarfile.TarInfo, said: dict[str, str], position: int, size: int) -> Entry:
    path = said.get("path", header.name)
    if header.type == tarfile.DIRTYPE or (path.endswith("/") and header.isreg()):
        return Entry(path, position, is_folder=True)
    if header.type == tarfile.SYMTYPE:
        return Entry(path, position, link_target=said.get("linkpath", header.linkname))
    if header.type == tarfile.LNKTYPE:
        # A hard link names its target from the top of the archive.
        target = said.get("linkpath", header.linkname)
        up = "../" * path.count("/")
        return Entry(path, position, link_target=target if target.startswith("/") else up + target)
    if header.issparse() or any(key.startswith("GNU.sparse") for key in said):
        return Entry(path, position, fault="it is a sparse file")
    if not header.isreg():
        return Entry(path, position, fault="it is a device or a pipe")
    return Entry(path, position, size)
