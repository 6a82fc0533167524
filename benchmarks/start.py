"""How long commands take to start, and a server to be ready, and what they hold in memory.

    python -m benchmarks.start --packs DIR [DIR ...] [--repeat 3] [--format json]

Each row is a process of its own on a store that holds the packs: the seconds until it ended
or, for servers, until it said that it serves; the CPU seconds of its whole life; and what a
server that has answered nobody yet holds in memory. The median of the repeats, beside an empty
Python and an empty gRPC server.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from benchmarks.resident_memory import resident_megabytes
from catalog.catalog import Catalog
from catalog.identity import Identity, Role
from importer.importing import import_pack

IDENTITY = Identity("benchmark", "operator", "run", roles=frozenset({Role.ADMIN}))
_PYTHON = (sys.executable, "-c")
_COMMAND = (*_PYTHON, "from server.command_line import main; main()")
_SERVERS = {"empty gRPC server", "skillcatalog serve"}
_ASKER = [f"--{part}={getattr(IDENTITY, part)}" for part in ("tenant", "user", "session")]


@dataclass(frozen=True, slots=True)
class Start:
    seconds: float
    cpu_seconds: float
    resident_megabytes: float | None


def measure(packs: Sequence[Path], repeat: int) -> dict[str, Start]:
    """Every row by its name. The rounds alternate, so that all share what the machine does."""
    with tempfile.TemporaryDirectory() as folder:
        store = f"sqlite:///{folder}/skills.db"
        catalog = Catalog.open(store)
        for pack in packs:
            import_pack(catalog, IDENTITY, pack)
        catalog.close()
        commands = {
            "empty Python": (*_PYTHON, "pass"),
            "empty gRPC server": (sys.executable, "-m", "benchmarks.echo_server"),
            "skillcatalog --help": (*_COMMAND, "--help"),
            "skillcatalog search": (*_COMMAND, "search", "a plan", f"--store={store}", *_ASKER),
            "skillcatalog serve": (
                *_COMMAND,
                *("serve", "--insecure-identity", "--port=0", f"--store={store}"),
            ),
        }
        rounds = [
            {name: _start(command, name in _SERVERS) for name, command in commands.items()}
            for _ in range(repeat)
        ]
    return {name: _median([starts[name] for starts in rounds]) for name in commands}


def _start(command: Sequence[str], serves: bool) -> Start:
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    megabytes = None
    with process.stdout as output:
        if serves:
            output.readline()
            seconds = time.perf_counter() - began
            megabytes = resident_megabytes(process.pid)
            process.terminate()
        output.read()
    _, _, used = os.wait4(process.pid, 0)
    if not serves:
        seconds = time.perf_counter() - began
    return Start(seconds, used.ru_utime + used.ru_stime, megabytes)


def _median(starts: Sequence[Start]) -> Start:
    held = [start.resident_megabytes for start in starts if start.resident_megabytes is not None]
    return Start(
        median(start.seconds for start in starts),
        median(start.cpu_seconds for start in starts),
        median(held) if held else None,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--packs", type=Path, nargs="+", required=True)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--format", choices=("table", "json"), default="table")
    arguments = parser.parse_args()
    results = measure(arguments.packs, arguments.repeat)
    if arguments.format == "json":
        print(json.dumps({name: asdict(start) for name, start in results.items()}))
        return
    table = Table("", "seconds", "CPU seconds", "resident MB")
    for name, start in results.items():
        held = start.resident_megabytes
        table.add_row(
            name,
            f"{start.seconds:.2f}",
            f"{start.cpu_seconds:.2f}",
            "" if held is None else f"{held:.0f}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
