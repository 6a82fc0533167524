"""How fast packs are imported, beside the least that such an import could do.

    python -m benchmarks.importing --packs DIR [DIR ...]

Ours parses, analyses, counts tokens and writes into a new SQLite file, with as many processes
as the command line takes; imports the same again, unchanged; and then into another new file in
one process, as a server does. The floor reads the same files, loads their frontmatter with
PyYAML and inserts them into an FTS5 table: it can neither repair, explain, scope, redact nor
export.
CPU times, of all processes, stand beside wall times, since other work on the machine changes
mostly the latter. The peak of memory is that of the process that writes, since the beginning.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import yaml
from rich.console import Console
from rich.table import Table

from catalog.catalog import Catalog
from catalog.identity import Identity, Role
from catalog.injection.tokens import token_counter
from importer.importing import import_pack
from importer.reading_ahead import usable_processes

WHO = Identity("benchmark", "benchmark", "benchmark", roles=frozenset(Role))


@dataclass(frozen=True, slots=True)
class Row:
    """`skills` were found in `seconds` of wall time and `cpu_seconds` of all processes."""

    what: str
    skills: int
    seconds: float
    cpu_seconds: float
    bytes_on_disk: int
    peak_megabytes: float

    @property
    def rate(self) -> float:
        return self.skills / self.seconds


def measured(what: str, work: Callable[[], int], file: Path) -> Row:
    wall, cpu = time.perf_counter(), cpu_seconds()
    skills = work()
    wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
    on_disk = sum(path.stat().st_size for path in file.parent.glob(f"{file.name}*"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Row(what, skills, wall, cpu, on_disk, peak)


def cpu_seconds() -> float:
    return sum(os.times()[:4])


def ours(catalog: Catalog, packs: list[Path], processes: int) -> int:
    reports = [import_pack(catalog, WHO, folder, processes=processes) for folder in packs]
    return sum(report.total(lambda pack: pack.found) for report in reports)


def floor(file: Path, packs: list[Path]) -> int:
    connection = sqlite3.connect(file)
    connection.execute("CREATE VIRTUAL TABLE skill USING fts5(name, description, body)")
    found = 0
    for path in (path for folder in packs for path in folder.rglob("*")):
        if path.name.lower() not in ("skill.md", "skills.md"):
            continue
        text = path.read_bytes().decode(errors="replace")
        _, _, rest = text.partition("---\n")
        head, _, body = rest.partition("\n---")
        try:
            fields = yaml.load(head, yaml.CSafeLoader)
        except yaml.YAMLError:
            fields = None
        fields = fields if isinstance(fields, dict) else {}
        row = (str(fields.get("name")), str(fields.get("description")), body or text)
        connection.execute("INSERT INTO skill VALUES (?, ?, ?)", row)
        found += 1
    connection.commit()
    connection.close()
    return found


def run(packs: list[Path]) -> list[Row]:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        rows = [
            measured(
                "PyYAML and FTS5 inserts",
                partial(floor, folder / "floor", packs),
                folder / "floor",
            )
        ]
        many = usable_processes()
        for what, name, processes in (
            (f"import into a new file, {many} reading", "ours", many),
            ("import again, unchanged", "ours", many),
            ("import into a new file, one process", "alone", 1),
        ):
            file = folder / name
            # A new counter remembers no counts of an earlier row.
            token_counter.cache_clear()
            with closing(Catalog.open(f"sqlite:///{file}")) as catalog:
                rows.append(measured(what, partial(ours, catalog, packs, processes), file))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--packs", nargs="+", type=Path, required=True)
    parser.add_argument("--format", choices=["table", "json"], default="table")
    arguments = parser.parse_args()
    rows = run(arguments.packs)
    if arguments.format == "json":
        print(json.dumps([{**asdict(row), "skills_per_second": row.rate} for row in rows]))
        return
    table = Table("what", "skills", "skills/s", "CPU ms/skill", "KB/skill on disk", "peak MB")
    for row in rows:
        table.add_row(
            row.what,
            str(row.skills),
            f"{row.rate:,.0f}",
            f"{row.cpu_seconds / row.skills * 1000:.2f}",
            f"{row.bytes_on_disk / row.skills / 1024:.1f}",
            f"{row.peak_megabytes:.0f}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
