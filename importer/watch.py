"""Packs under watch: what changes on disk is imported again and search sees it at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

from watchfiles import watch

from catalog.errors import InvalidPack, SkillCatalogError
from importer.report import ImportReport
from importer.safe_paths import is_left_by_tools


def watch_packs(
    paths: tuple[Path, ...],
    import_again: Callable[[Path], ImportReport],
    stop: Event,
) -> Iterator[tuple[Path, ImportReport | SkillCatalogError]]:
    """Imports each pack at once, then again whenever something in it changes.

    A pack that cannot be read at a moment (half written, moved away) is told and stays under
    watch; what is stored of it stays, because an import is all or nothing.

    Args:
        paths: folders, skill files or archives.
        import_again: imports one of them.
        stop: ends the watch when it is set.

    Returns the outcome of every import as it happens.

    Raises:
        InvalidPack: a folder to watch is not there, or the system watches no more of them.
    """
    packs = {path: Path(path).absolute() for path in paths}
    # A file is watched through its folder: editors replace files rather than write them.
    roots = {place if place.is_dir() else place.parent for place in packs.values()}
    changes_until_stopped = watch(
        *roots,
        stop_event=stop,
        watch_filter=None,
        step=_QUIET_MILLISECONDS,
        rust_timeout=_QUIET_MILLISECONDS,
        yield_on_timeout=True,
    )
    # The watch begins with its first answer, so no change falls between it and the imports.
    try:
        next(changes_until_stopped, None)
    except OSError as error:
        raise InvalidPack(f"cannot watch the packs: {error}") from error
    for path in paths:
        yield path, _outcome(import_again, path)
    for changes in changes_until_stopped:
        changed = [Path(changed) for _, changed in changes if _matters(Path(changed))]
        for path, place in packs.items():
            if any(place == file or place in file.parents for file in changed):
                yield path, _outcome(import_again, path)


_QUIET_MILLISECONDS = 100


def _outcome(
    import_again: Callable[[Path], ImportReport], path: Path
) -> ImportReport | SkillCatalogError:
    try:
        return import_again(path)
    except SkillCatalogError as error:
        return error


def _matters(path: Path) -> bool:
    return not any(is_left_by_tools(part) for part in path.parts)
