"""`skillcatalog import PATH…`: packs into the catalog, each whole or not at all."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from catalog.errors import InvalidPack, PackTooLarge
from catalog.scope import ScopeKind
from server.command_line.exit_codes import ExitCode, exit_code_of
from server.command_line.invocation import Invocation, command
from server.command_line.output import (
    Format,
    print_error,
    print_json,
    print_note,
    print_table,
    progress,
)

if TYPE_CHECKING:
    from importer.diagnostics import Diagnostic
    from importer.report import ImportReport

EXAMPLES = (
    "skillcatalog import ./skills",
    "skillcatalog import pack.zip other-pack.tar.gz --dry-run",
    "skillcatalog import ./skills --strict --format json",
    "curl -s https://example.com/pack.tar.gz | skillcatalog import - --pack-name example",
)
STANDARD_INPUT = Path("-")


@command()
def import_packs(
    invocation: Invocation,
    paths: Annotated[
        list[Path],
        typer.Argument(
            help="Folders, SKILL.md files, .zip or .tar.gz archives; - is standard input.",
            metavar="PATH...",
            show_default=False,
        ),
    ],
    scope: Annotated[ScopeKind, typer.Option(help="Who the skills belong to.")] = ScopeKind.TENANT,
    pack_name: Annotated[
        str | None,
        typer.Option(
            help="Name of the pack (default: the folder's or archive's).",
            metavar="NAME",
            show_default=False,
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Refuse skills with warnings; follow the specification."),
    ] = False,
    no_prune: Annotated[
        bool, typer.Option("--no-prune", help="Keep skills that the source no longer has.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Report what would change and write nothing.")
    ] = False,
) -> ExitCode:
    """Import packs of Markdown skills. Importing again changes only what changed."""
    from importer.importing import import_pack
    from importer.report import ImportReport, PackReport

    reports: list[PackReport] = []
    failure: ExitCode | None = None
    with invocation.catalog() as (catalog, identity):
        for path in paths:
            try:
                with progress(f"importing {path}") as advance:
                    report = import_pack(
                        catalog,
                        identity,
                        sys.stdin.buffer if path == STANDARD_INPUT else path,
                        scope=scope,
                        pack_name=pack_name,
                        strict=strict,
                        prune=not no_prune,
                        dry_run=dry_run,
                        progress=advance,
                    )
            except (InvalidPack, PackTooLarge) as error:
                # One bad pack never stops the others.
                print_error(error, invocation.format)
                failure = exit_code_of(error)
            else:
                reports.extend(report.packs)
    if not reports:
        return failure or ExitCode.USAGE
    whole = ImportReport(tuple(reports))
    if invocation.format is Format.JSON:
        print_json(whole.as_json())
    else:
        print_report(whole)
    code = ExitCode(whole.exit_code)
    return max(code, ExitCode.FINDINGS) if failure else code


def print_report(report: ImportReport) -> None:
    print_table(
        ("found", "added", "updated", "unchanged", "removed", "refused", "pack"),
        (
            (
                pack.found,
                pack.added,
                pack.updated,
                pack.unchanged,
                pack.removed,
                pack.refused,
                f"{pack.pack} (dry run, nothing written)" if pack.dry_run else pack.pack,
            )
            for pack in report.packs
        ),
        numbers=("found", "added", "updated", "unchanged", "removed", "refused"),
    )
    for diagnostic in report.diagnostics:
        print_note(diagnostic_line(diagnostic))


def diagnostic_line(diagnostic: Diagnostic) -> str:
    line = f":{diagnostic.line}" if diagnostic.line else ""
    return (
        f"{diagnostic.severity} {diagnostic.code} {diagnostic.path}{line}: "
        f"{diagnostic.message} ({diagnostic.action})"
    )
