"""The files of an open pack, whatever it is made of."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import IO, Protocol

from catalog.errors import InvalidPack
from importer.diagnostics import Diagnostic


class PackFiles(Protocol):
    """All paths at once, the bytes one by one.

    `name` is what the pack is called when its owner gives no name, or empty; `folder` is
    the name of the folder at its top, or empty where there is none. `paths` are relative to
    the pack, sorted, with `/` between parts. `links` maps a link to the folder of the same
    pack that it leads to. `diagnostics` say what was left out.
    """

    @property
    def name(self) -> str: ...

    @property
    def folder(self) -> str: ...

    @property
    def paths(self) -> tuple[str, ...]: ...

    @property
    def links(self) -> Mapping[str, str]: ...

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]: ...

    def read(self, path: str, limit: int) -> bytes | int:
        """The bytes of a file, or its size when it has more than `limit` bytes.

        Raises:
            InvalidPack: the file cannot be read.
            PackTooLarge: more came out of the archive than a whole pack may hold.
        """


class OneFile:
    """One skill file on its own, whatever it is called. `stream` is seekable."""

    def __init__(self, stream: IO[bytes], file_name: str = "SKILL.md", folder: str = "") -> None:
        self._stream = stream
        self.name = folder
        self.folder = folder
        self.paths = (file_name,)
        self.links: Mapping[str, str] = {}
        self.diagnostics: tuple[Diagnostic, ...] = ()

    def read(self, path: str, limit: int) -> bytes | int:
        assert path in self.paths, "only the paths of a pack can be read"
        try:
            self._stream.seek(0)
            data = self._stream.read(limit + 1)
            return data if len(data) <= limit else self._stream.seek(0, os.SEEK_END)
        except OSError as error:
            raise InvalidPack(f"cannot read '{path}': {error.strerror}", path=path) from error
