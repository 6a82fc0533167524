"""Zip archives, read with the sizes that come out and never those that are claimed."""

from __future__ import annotations

import copy
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

from catalog.errors import InvalidPack, PackTooLarge
from importer.limits import MAX_ARCHIVE_DIRECTORY_BYTES
from importer.unpacking import Entry, Unpacked

_CHUNK_BYTES = 64 * 1024
_MOST_LINK_BYTES = 4096
_ENCRYPTED = 0x1
_UTF8_NAME = 0x800
_ANY_SIZE = 1 << 62
# All that `zipfile` raises on damaged bytes: most of it is not its own error.
_CORRUPT = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
)
# The record at the end of a zip: signature and fields as PKWARE's APPNOTE 4.3.16 has them.
_END = b"PK\x05\x06"
_END_BYTES = 22
_MOST_COMMENT_BYTES = 65_535
_ZIP64_LOCATOR = b"PK\x06\x07"
_ZIP64_LOCATOR_BYTES = 20
_ZIP64_END_BYTES = 56


class ZipEntries:
    """A reader of zip archives.

    Raises:
        InvalidPack: the archive is corrupt.
        PackTooLarge: its directory is over the limit.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        size = _directory_size(stream)
        if size > MAX_ARCHIVE_DIRECTORY_BYTES:
            raise PackTooLarge(
                f"the directory of the zip has {size:,} bytes; the limit is "
                f"{MAX_ARCHIVE_DIRECTORY_BYTES:,}",
                limit=MAX_ARCHIVE_DIRECTORY_BYTES,
            )
        try:
            self._archive = zipfile.ZipFile(stream)
        except _CORRUPT as error:
            raise InvalidPack("the zip archive is corrupt") from error
        self._unpacked = Unpacked()
        self._infos = self._archive.infolist()
        self.entries = tuple(
            self._entry(position, info) for position, info in enumerate(self._infos)
        )

    def chunks(self, entry: Entry) -> Iterator[bytes]:
        """Raises InvalidPack where the data of the entry is corrupt."""
        # The claimed size would end the reading; with none, the data itself ends it, and
        # its checksum is compared there.
        info = copy.copy(self._infos[entry.position])
        info.file_size = _ANY_SIZE
        try:
            with self._archive.open(info) as file:
                size = 0
                while chunk := file.read(_CHUNK_BYTES):
                    size += len(chunk)
                    self._unpacked.count(entry, size)
                    yield chunk
        except _CORRUPT as error:
            raise InvalidPack(f"the entry '{entry.path[:200]}' is corrupt") from error

    def _entry(self, position: int, info: zipfile.ZipInfo) -> Entry:
        mode = info.external_attr >> 16
        path = _path(info)
        fault = ""
        if info.flag_bits & _ENCRYPTED:
            fault = "it is encrypted"
        elif info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            fault = f"it is packed in a way ({info.compress_type}) that is not read"
        elif mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK):
            fault = "it is a device or a pipe"
        entry = Entry(path, position, info.file_size, path.endswith("/"), None, fault)
        if stat.S_ISLNK(mode) and not fault:
            return Entry(path, position, link_target=self._link_target(entry))
        return entry

    def _link_target(self, entry: Entry) -> str:
        target = b""
        for chunk in self.chunks(entry):
            target += chunk
            if len(target) > _MOST_LINK_BYTES:
                break
        return target.decode("utf-8", "replace")


def _path(info: zipfile.ZipInfo) -> str:
    """The name as stored: `zipfile` turns backslashes round on Windows, cuts names at a NUL,
    and reads UTF-8 without its flag, as some tools write it, as code page 437."""
    if info.flag_bits & _UTF8_NAME:
        return info.orig_filename
    try:
        return info.orig_filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.orig_filename


def _directory_size(stream: IO[bytes]) -> int:
    """The size of the central directory that `zipfile` would read into memory."""
    length = stream.seek(0, os.SEEK_END)
    tail_start = max(0, length - _END_BYTES - _MOST_COMMENT_BYTES)
    stream.seek(tail_start)
    tail = stream.read()
    end = tail.rfind(_END)
    if end < 0 or len(tail) - end < _END_BYTES:
        raise InvalidPack("the zip archive is corrupt: it has no directory")
    (size,) = struct.unpack_from("<L", tail, end + 12)
    locator = tail_start + end - _ZIP64_LOCATOR_BYTES
    if locator < _ZIP64_END_BYTES:
        return int(size)
    stream.seek(locator)
    if stream.read(len(_ZIP64_LOCATOR)) != _ZIP64_LOCATOR:
        return int(size)
    stream.seek(locator - _ZIP64_END_BYTES + 40)
    (size,) = struct.unpack("<Q", stream.read(8))
    return int(size)
