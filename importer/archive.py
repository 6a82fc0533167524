"""Archives as packs: zip, tar and tar.gz, never unpacked to disk by their own paths.

No number that an archive claims about itself is believed. What comes out is counted while
it comes, against a limit for one file and one for the whole pack; the directory is checked
before it is parsed; every path and link is judged before anything is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from tempfile import SpooledTemporaryFile
from typing import IO, Protocol

from catalog.errors import InvalidPack, PackTooLarge
from importer.diagnostics import Diagnostic, diagnostic
from importer.limits import MAX_PACK_FILES
from importer.safe_paths import (
    fault_of_path,
    is_left_by_tools,
    is_too_deep,
    normalized_path,
    printable_path,
    resolved_link,
)
from importer.tar_entries import TarEntries
from importer.unpacking import Entry, gunzip
from importer.zip_entries import ZipEntries

_SPOOL_BYTES = 4 * 1024 * 1024


class ArchiveKind(StrEnum):
    ZIP = "zip"
    GZIP = "gzip"
    TAR = "tar"


def archive_kind(stream: IO[bytes]) -> ArchiveKind | None:
    """What kind of archive a seekable stream holds, by its first bytes; None for none."""
    stream.seek(0)
    head = stream.read(512)
    stream.seek(0)
    if head[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return ArchiveKind.ZIP
    if head[:2] == b"\x1f\x8b":
        return ArchiveKind.GZIP
    if head[257:262] == b"ustar":
        return ArchiveKind.TAR
    return None


class ArchiveReader(Protocol):
    """One kind of archive: its entries in order, and the bytes of one."""

    entries: tuple[Entry, ...]

    def chunks(self, entry: Entry) -> Iterator[bytes]: ...


class ArchiveFiles:
    """The files of an archive as `PackFiles`. Where all lie in one folder, that folder is
    the pack's top and its name is `folder`."""

    def __init__(self, name: str, reader: ArchiveReader) -> None:
        self.name = name
        self._reader = reader
        self._findings: list[Diagnostic] = []
        self._entries: dict[str, Entry] = {}
        self.links: dict[str, str] = {}
        if len(reader.entries) > MAX_PACK_FILES:
            raise PackTooLarge(
                f"the archive has more than {MAX_PACK_FILES:,} entries", limit=MAX_PACK_FILES
            )
        links = [entry for entry in reader.entries if self._take(entry)]
        self._resolve(links)
        self.folder = self._lift_top_folder()
        self.paths = tuple(sorted(self._entries))
        self.diagnostics = tuple(self._findings)

    def read(self, path: str, limit: int) -> bytes | int:
        data = bytearray()
        size = 0
        for chunk in self._reader.chunks(self._entries[path]):
            size += len(chunk)
            if size <= limit:
                data += chunk
        return bytes(data) if size <= limit else size

    def _take(self, entry: Entry) -> bool:
        """Keeps a file, refuses what is bad; true for a link, which is for later."""
        if entry.is_folder:
            return False
        fault = fault_of_path(entry.path)
        path = normalized_path(entry.path)
        if any(is_left_by_tools(part) for part in path.split("/")):
            return False
        if fault or not path:
            shown = printable_path(entry.path)
            self._findings.append(diagnostic("path-refused", fault or "it is empty", shown))
        elif is_too_deep(path):
            self._findings.append(diagnostic("path-too-deep", "it is left out", path))
        elif entry.fault:
            self._findings.append(diagnostic("entry-refused", entry.fault, path))
        elif entry.link_target is not None:
            return True
        else:
            if path in self._entries:
                self._findings.append(diagnostic("entry-repeated", "it is there again", path))
            self._entries[path] = entry
        return False

    def _resolve(self, links: Iterable[Entry]) -> None:
        folders = {
            "/".join(parts[:depth])
            for parts in (path.split("/") for path in self._entries)
            for depth in range(1, len(parts))
        }
        for link in links:
            path = normalized_path(link.path)
            target = resolved_link(path, link.link_target or "")
            if target in self._entries and target is not None:
                self._entries.setdefault(path, self._entries[target])
            elif (
                target in folders and target is not None and not f"{path}/".startswith(f"{target}/")
            ):
                self.links[path] = target
            else:
                reason = f"it leads to '{(link.link_target or '')[:80]}'"
                self._findings.append(diagnostic("link-refused", reason, path))

    def _lift_top_folder(self) -> str:
        tops = {path.partition("/")[0] for path in (*self._entries, *self.links)}
        if len(tops) != 1 or any("/" not in path for path in (*self._entries, *self.links)):
            return ""
        (top,) = tops
        start = len(top) + 1
        self._entries = {path[start:]: entry for path, entry in self._entries.items()}
        self.links = {path[start:]: target[start:] for path, target in self.links.items()}
        self._findings = [
            replace(finding, path=finding.path.removeprefix(f"{top}/"))
            for finding in self._findings
        ]
        return top


@contextmanager
def open_archive(stream: IO[bytes], kind: ArchiveKind, name: str) -> Iterator[ArchiveFiles]:
    """Opens an archive.

    Args:
        stream: seekable; stays open for as long as the files are read.
        name: what the pack is called when its owner gives no name.

    Raises:
        InvalidPack: the archive is corrupt.
        PackTooLarge: its directory, its entries or what comes out is over the limit.
    """
    if kind is ArchiveKind.ZIP:
        yield ArchiveFiles(name, ZipEntries(stream))
    elif kind is ArchiveKind.TAR:
        yield ArchiveFiles(name, TarEntries(stream))
    else:
        with SpooledTemporaryFile(max_size=_SPOOL_BYTES) as unpacked:
            gunzip(stream, unpacked)
            if archive_kind(unpacked) is not ArchiveKind.TAR:
                raise InvalidPack("the gzip file holds no tar archive")
            yield ArchiveFiles(name, TarEntries(unpacked))
