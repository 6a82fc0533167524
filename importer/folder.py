"""A folder on disk as a pack."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from catalog.errors import InvalidPack, PackTooLarge
from importer.diagnostics import Diagnostic, diagnostic
from importer.limits import MAX_PACK_FILES
from importer.safe_paths import (
    fault_of_path,
    is_left_by_tools,
    is_too_deep,
    printable_path,
)


class Folder:
    """A folder on disk. Links to files and folders inside it count, all others do not."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._real_root = os.path.realpath(root)
        self.name = self.folder = root.absolute().name
        self.links: dict[str, str] = {}
        self._findings: list[Diagnostic] = []
        self.paths = tuple(sorted(self._walk()))
        self.diagnostics = tuple(self._findings)

    def read(self, path: str, limit: int) -> bytes | int:
        try:
            with open(f"{self._root}/{path}", "rb") as file:  # noqa: PTH123 - twice as fast
                data = file.read(limit + 1)
                return data if len(data) <= limit else os.fstat(file.fileno()).st_size
        except OSError as error:
            raise InvalidPack(f"cannot read '{path}': {error.strerror}", path=path) from error

    def _walk(self) -> Iterator[str]:
        pending = [""]
        count = 0
        while pending:
            folder = pending.pop()
            try:
                entries = sorted(os.scandir(self._root / folder), key=lambda entry: entry.name)
            except OSError as error:
                if not folder:
                    raise InvalidPack(f"cannot read '{self.name}': {error.strerror}") from error
                message = f"the folder cannot be read: {error.strerror}"
                self._findings.append(diagnostic("path-refused", message, folder))
                continue
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if is_left_by_tools(entry.name) or not self._is_usable(path):
                    continue
                if entry.is_symlink():
                    if self._is_link_to_file(path):
                        count += 1
                        yield path
                elif entry.is_dir():
                    pending.append(path)
                elif entry.is_file():
                    count += 1
                    yield path
                else:
                    message = "it is a device or a pipe"
                    self._findings.append(diagnostic("entry-refused", message, path))
                if count > MAX_PACK_FILES:
                    raise PackTooLarge(
                        f"the pack has more than {MAX_PACK_FILES:,} files", limit=MAX_PACK_FILES
                    )

    def _is_usable(self, path: str) -> bool:
        fault = fault_of_path(path)
        if fault:
            self._findings.append(diagnostic("path-refused", fault, printable_path(path)))
        elif is_too_deep(path):
            self._findings.append(diagnostic("path-too-deep", "it is left out", path))
        else:
            return True
        return False

    def _is_link_to_file(self, path: str) -> bool:
        """Notes a link to a folder, refuses one that leads nowhere good."""
        target = os.path.realpath(self._root / path)
        reason = self._fault_of_target(path, target)
        if reason:
            self._findings.append(diagnostic("link-refused", reason, path))
            return False
        if stat.S_ISDIR(Path(target).stat().st_mode):
            self.links[path] = os.path.relpath(target, self._real_root).replace(os.sep, "/")
            return False
        return True

    def _fault_of_target(self, path: str, target: str) -> str:
        inside = target == self._real_root or target.startswith(self._real_root + os.sep)
        if not inside:
            return "it leads out of the pack"
        try:
            mode = Path(target).stat().st_mode
        except OSError:
            return "it leads nowhere or round in a loop"
        if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
            return "it leads to something that is no file and no folder"
        place = os.path.realpath((self._root / path).parent)
        if f"{place}{os.sep}".startswith(f"{target}{os.sep}"):
            return "it leads to a folder that holds it"
        return ""
