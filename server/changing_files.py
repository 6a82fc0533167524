"""Files that an operator replaces under a running server: keys and certificates."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

_SECONDS_BETWEEN_LOOKS = 1.0

_Signature = tuple[tuple[int, int, int] | None, ...]


class ChangingFiles:
    """Tells when one of the files is another than before, looking once a second at most."""

    def __init__(self, files: Iterable[Path], clock: Callable[[], float] = time.monotonic) -> None:
        self._files = tuple(files)
        self._clock = clock
        self._looked_at = clock()
        self._seen = self._signature()

    def changed(self) -> bool:
        """Whether a file was replaced or written since this was last True, or was made."""
        if not self._files or self._clock() - self._looked_at < _SECONDS_BETWEEN_LOOKS:
            return False
        self._looked_at = self._clock()
        signature = self._signature()
        changed = signature != self._seen
        self._seen = signature
        return changed

    def _signature(self) -> _Signature:
        return tuple(map(_signature_of, self._files))


def _signature_of(file: Path) -> tuple[int, int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
