"""The skills of a large pack read in processes of their own, while earlier ones are written.

Reading and analysing a skill takes several times as long as writing it, and one Python
process does one thing at a time. What comes out is the same, in the same order, however many
processes there are; a batch each is under way, so memory does not grow with the pack.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Final, TypeVar

from catalog.errors import InvalidPack
from importer.unread_skill import ReadySkill, UnreadSkill

MAX_PROCESSES: Final = 4
"""More would wait for the one that writes."""

WORTH_PROCESSES: Final = 300
"""Skills; fewer are read in less time than processes take to start."""

_READ_BEFORE: Final = 16
_BATCH: Final = 16
_BATCH_BYTES: Final = 1024 * 1024
_SECONDS_TO_END: Final = 5

Context = TypeVar("Context")
_Batch = list[tuple[Context, UnreadSkill]]


def usable_processes() -> int:
    """How many an import that has the machine to itself does well to ask for."""
    return min(os.cpu_count() or 1, MAX_PROCESSES)


def read_ahead(
    unread: Iterable[tuple[Context, UnreadSkill]], *, indexed: bool, expected: int, processes: int
) -> Generator[tuple[Context, ReadySkill]]:
    """Every skill made ready, in order, beside what it came with.

    Args:
        indexed: make what the index keeps of each too.
        expected: about how many there are; with few, no process is started.
        processes: how many may read beside this one; 1 for none. They end with the generator.

    Raises:
        InvalidPack: one of the processes ended before its work was done.
    """
    waiting = iter(unread)
    alone = None if processes < 2 or expected < WORTH_PROCESSES else _READ_BEFORE
    # Of a pack that is there already few skills are left to read, or none.
    for context, skill in islice(waiting, alone):
        yield context, skill.ready(indexed=indexed)
    batches = _batches(waiting)
    first = next(batches, None)
    if first is None:
        return
    readers = [_Reader(indexed) for _ in range(processes)]
    try:
        under_way: deque[tuple[_Reader, _Batch[Context]]] = deque()
        for reader, batch in zip(readers, chain([first], batches), strict=False):
            reader.begin([skill for _, skill in batch])
            under_way.append((reader, batch))
        while under_way:
            reader, batch = under_way.popleft()
            ready = reader.finish()
            following = next(batches, None)
            if following is not None:
                reader.begin([skill for _, skill in following])
                under_way.append((reader, following))
            for (context, _), read in zip(batch, ready, strict=True):
                yield context, read
    finally:
        for reader in readers:
            reader.end()


def _batches(waiting: Iterator[tuple[Context, UnreadSkill]]) -> Iterator[_Batch[Context]]:
    batch: _Batch[Context] = []
    size = 0
    for context, skill in waiting:
        batch.append((context, skill))
        size += len(skill.source) if isinstance(skill.source, bytes) else 0
        size += sum(artifact.size for artifact in skill.artifacts)
        if len(batch) == _BATCH or size > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class _Reader:
    """One process; between a `begin` and its `finish` it reads a batch.

    It waits on a pipe, so it ends with this process, however that ends.
    """

    def __init__(self, indexed: bool) -> None:
        self._indexed = indexed
        paths = [path or str(Path.cwd()) for path in sys.path]
        self._process = subprocess.Popen(
            # Not from the working directory, where anybody's modules may lie.
            [sys.executable, "-P", "-m", "importer.reading_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )
        assert self._process.stdin
        assert self._process.stdout
        self._to, self._from = self._process.stdin, self._process.stdout

    def begin(self, skills: list[UnreadSkill]) -> None:
        try:
            pickle.dump((self._indexed, skills), self._to, pickle.HIGHEST_PROTOCOL)
            self._to.flush()
        except OSError as error:
            raise self._ended_early() from error

    def finish(self) -> list[ReadySkill]:
        try:
            ready: list[ReadySkill] = pickle.load(self._from)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            raise self._ended_early() from error
        return ready

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._from.close()
        try:
            self._to.close()
        except OSError:
            # What was not yet sent has nobody to read it.
            return

    def _ended_early(self) -> InvalidPack:
        try:
            code = self._process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        return InvalidPack(
            "a process that read skills of the pack ended before its work was done "
            f"(exit code {code}); nothing of the pack is written"
        )
