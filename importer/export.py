"""Exported files back on disk, as they were imported."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from catalog.errors import InvalidPack
from catalog.requests import ExportedFile
from importer.safe_paths import fault_of_path


def write_export(files: Iterable[ExportedFile], folder: Path) -> tuple[Path, ...]:
    """Writes the files of one skill into a folder, which is made when it is not there.

    Returns the paths written, in order. Files that are there already are never changed.

    Raises:
        InvalidPack: a file is there already, or cannot be written, or its path leads out of
            the folder.
    """
    chosen = list(files)
    for file in chosen:
        fault = fault_of_path(file.path)
        if fault:
            raise InvalidPack(f"'{file.path[:200]}' cannot be written: {fault}")
        if (folder / file.path).exists():
            raise InvalidPack(f"'{file.path}' is there already", path=file.path)
    written = []
    for file in chosen:
        target = folder / file.path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as stream:
                stream.write(file.data)
        except OSError as error:
            raise InvalidPack(f"cannot write '{file.path}': {error.strerror}") from error
        written.append(target)
    return tuple(written)
