"""`skillcatalog copy --to URL`: a whole catalog into another store, checked at the end."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from server.command_line.exit_codes import ExitCode
from server.command_line.invocation import OUTPUT, STORE, Invocation, command
from server.command_line.output import Format, print_json, print_note, print_table, progress

EXAMPLES = (
    "skillcatalog copy --store sqlite:///skills.db --to postgresql://owner@db.example.com/skills",
)


@command({**OUTPUT, **STORE})
def copy(
    invocation: Invocation,
    to: Annotated[str, typer.Option(help="Store to copy into.", metavar="URL")],
) -> ExitCode:
    """Copy every tenant into another store. An interrupted copy goes on where it was.

    Exit code 1 when the two differ at the end: something wrote meanwhile.
    """
    from catalog.stores.copying import copy_catalog

    with progress("copying") as advance:
        report = copy_catalog(
            invocation.configuration.store, to, lambda _table, done, total: advance(done, total)
        )
    if invocation.format is Format.JSON:
        print_json(asdict(report))
    else:
        print_table(
            ("rows", "copied", "table"),
            ((count, report.copied[name], name) for name, count in report.rows.items()),
            numbers=("rows", "copied"),
        )
        for line in report.disagreements:
            print_note(line)
    return ExitCode.FINDINGS if report.disagreements else ExitCode.OK
