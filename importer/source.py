"""Where a pack is read from: a folder, one file, an archive, or a stream of one."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, TypeAlias

from catalog.errors import InvalidPack, PackTooLarge
from importer.archive import archive_kind, open_archive
from importer.fences import Fences, split_frontmatter
from importer.folder import Folder
from importer.limits import MAX_ARCHIVE_BYTES
from importer.pack_files import OneFile, PackFiles

PackSource: TypeAlias = Path | bytes | IO[bytes]


@contextmanager
def open_source(source: PackSource) -> Iterator[PackFiles]:
    """Opens a folder, a skill file, an archive (zip, tar, tar.gz), or the bytes of one.

    A binary stream (standard input, an upload) is read once, to its end, and holds an
    archive or the text of one skill file. Nothing outside the source is ever read.

    A path to one file is a skill when it is named like one, ends in `.md` or begins with a
    frontmatter; a stream may hold any text.

    Raises:
        InvalidPack: there is no such path, it cannot be read, it is empty or neither an
            archive nor a skill, or the archive is corrupt.
        PackTooLarge: a limit on the whole pack is passed.
    """
    if isinstance(source, bytes):
        with _open_stream(BytesIO(source)) as files:
            yield files
    elif not isinstance(source, Path):
        with SpooledTemporaryFile(max_size=_SPOOL_BYTES) as spooled:
            _spool(source, spooled)
            with _open_stream(spooled) as files:
                yield files
    elif source.is_dir():
        yield Folder(source)
    else:
        with _opened(source) as stream, _open_stream(stream, source) as files:
            yield files


_SPOOL_BYTES = 4 * 1024 * 1024
_CHUNK_BYTES = 64 * 1024
_HEAD_BYTES = 4096
_OTHER_PACKINGS = {
    b"\xfd7zXZ\0": "xz",
    b"BZh": "bzip2",
    b"7z\xbc\xaf\x27\x1c": "7-Zip",
    b"Rar!\x1a\x07": "RAR",
    b"\x28\xb5\x2f\xfd": "Zstandard",
}
_MARKDOWN_ENDINGS = (".md", ".markdown")
_ARCHIVE_ENDINGS = (".tar.gz", ".tgz", ".tar", ".zip", ".skill")


def _opened(path: Path) -> IO[bytes]:
    try:
        # A pipe would be waited for, and a device has no end.
        if not stat.S_ISREG(path.stat().st_mode):
            raise InvalidPack(
                f"'{path.name}' is no file and no folder; pipe it to standard input, which is -"
            )
        stream = path.open("rb")
        stream.read(1)
    except OSError as error:
        raise InvalidPack(f"cannot read '{path.name}': {error.strerror}") from error
    return stream


@contextmanager
def _open_stream(stream: IO[bytes], path: Path | None = None) -> Iterator[PackFiles]:
    size = stream.seek(0, os.SEEK_END)
    if size > MAX_ARCHIVE_BYTES:
        raise _archive_too_large()
    if not size:
        raise InvalidPack("the pack is empty: it has no bytes")
    _refuse_other_packing(stream)
    kind = archive_kind(stream)
    if kind:
        with open_archive(stream, kind, _name_of_archive(path.name) if path else "") as files:
            yield files
    elif path and not _may_be_skill(stream, path):
        raise InvalidPack(
            f"'{path.name}' is neither an archive nor a skill: a skill file ends in .md or begins "
            "with frontmatter (---); on standard input any text is one"
        )
    elif path:
        yield OneFile(stream, path.name, path.absolute().parent.name)
    else:
        yield OneFile(stream)


def _refuse_other_packing(stream: IO[bytes]) -> None:
    stream.seek(0)
    head = stream.read(_HEAD_BYTES)
    for beginning, packing in _OTHER_PACKINGS.items():
        if head.startswith(beginning):
            raise InvalidPack(f"the archive is packed with {packing}; zip, tar and tar.gz are read")


def _may_be_skill(stream: IO[bytes], path: Path) -> bool:
    if path.suffix.casefold() in _MARKDOWN_ENDINGS:
        return True
    stream.seek(0)
    head = stream.read(_HEAD_BYTES).decode("utf-8", "replace").lstrip("\ufeff")
    return split_frontmatter(head).fences in (Fences.CLOSED, Fences.UNCLOSED)


def _spool(source: IO[bytes], spooled: IO[bytes]) -> None:
    size = 0
    while chunk := source.read(_CHUNK_BYTES):
        size += len(chunk)
        if size > MAX_ARCHIVE_BYTES:
            raise _archive_too_large()
        spooled.write(chunk)


def _archive_too_large() -> PackTooLarge:
    return PackTooLarge(
        f"the archive has more than {MAX_ARCHIVE_BYTES:,} bytes", limit=MAX_ARCHIVE_BYTES
    )


def _name_of_archive(file_name: str) -> str:
    for ending in _ARCHIVE_ENDINGS:
        if file_name.lower().endswith(ending):
            return file_name[: -len(ending)]
    return file_name
