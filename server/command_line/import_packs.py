"""`skillcatalog import PATH…`: packs into the catalog, each whole or not at all."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from catalog.errors import InvalidPack, PackTooLarge, SkillCatalogError
from catalog.scope import ScopeKind
from server.command_line.embedding import embed
from server.command_line.exit_codes import ExitCode, exit_code_of
from server.command_line.invocation import Invocation, command
from server.command_line.output import (
    Format,
    one_line,
    print_error,
    print_json,
    print_note,
    print_table,
    print_text,
    progress,
)

if TYPE_CHECKING:
    from importer.diagnostics import Diagnostic
    from importer.report import ImportReport, PackReport

EXAMPLES = (
    "skillcatalog import ./skills",
    "skillcatalog import pack.zip other-pack.tar.gz --dry-run",
    "skillcatalog import ./skills --strict --format json",
    "skillcatalog import ./skills --watch",
    "curl -sSf https://example.com/pack.tar.gz | skillcatalog import - --pack-name example",
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
    watch: Annotated[
        bool,
        typer.Option("--watch", help="Go on and import again whenever a pack changes."),
    ] = False,
) -> ExitCode:
    """Import packs of Markdown skills. Importing again changes only what changed."""
    from importer.importing import import_pack
    from importer.reading_ahead import usable_processes

    has_embedder = invocation.configuration.embedder is not None
    with invocation.catalog(with_embedder=has_embedder) as (catalog, identity):

        def import_one(path: Path, taken: Collection[str] = ()) -> ImportReport:
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
                    processes=usable_processes(),
                    taken=taken,
                )
            if has_embedder and not dry_run:
                embed(catalog, identity)
            return report

        if watch:
            return _watch(invocation, paths, import_one)
        return _import_all(invocation, paths, import_one)


def _import_all(
    invocation: Invocation,
    paths: list[Path],
    import_one: Callable[[Path, Collection[str]], ImportReport],
) -> ExitCode:
    from importer.report import ImportReport

    packs: list[PackReport] = []
    failures: list[ExitCode] = []
    for path in paths:
        try:
            packs.extend(import_one(path, {pack.pack for pack in packs}).packs)
        except (InvalidPack, PackTooLarge) as error:
            # One bad pack never stops the others.
            print_error(error, invocation.format)
            failures.append(exit_code_of(error))
    if not packs:
        return failures[-1]
    whole = ImportReport(tuple(packs))
    print_report(invocation, whole)
    code = ExitCode(whole.exit_code)
    return max(code, ExitCode.FINDINGS) if failures else code


def _watch(
    invocation: Invocation, paths: list[Path], import_one: Callable[[Path], ImportReport]
) -> ExitCode:
    from importer.watch import watch_packs

    stop = Event()

    def stop_soon(*_: object) -> None:
        # An exception would come anywhere, also where it is lost; a second Ctrl-C is one.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        stop.set()

    signal.signal(signal.SIGINT, stop_soon)
    for _, outcome in watch_packs(tuple(paths), import_one, stop):
        if isinstance(outcome, SkillCatalogError):
            print_error(outcome, invocation.format)
        else:
            print_report(invocation, outcome)
        sys.stdout.flush()
    print_note("stopped")
    return ExitCode.OK


def print_report(invocation: Invocation, report: ImportReport) -> None:
    if invocation.format is Format.JSON:
        print_json(report.as_json())
        return
    print_table(
        (*_COUNTS, "pack"),
        (
            (
                pack.found,
                pack.added,
                pack.updated,
                pack.unchanged,
                pack.removed,
                pack.deleted_here,
                pack.duplicates,
                pack.refused,
                f"{pack.pack} (dry run, nothing written)" if pack.dry_run else pack.pack,
            )
            for pack in report.packs
        ),
        numbers=_COUNTS,
    )
    for pack in report.packs:
        if pack.dry_run:
            _print_changes(pack)
    _print_findings(report)


def _print_changes(pack: PackReport) -> None:
    """What a dry run would do, by name: a person decides by it."""
    from catalog.lifecycle import Change

    for change in Change:
        names = [made.qualified_name for made in pack.changes if made.change is change]
        for name in names[:MAX_CHANGES_TOLD]:
            print_text(one_line(f"{change} {name}"))
        if len(names) > MAX_CHANGES_TOLD:
            print_text(f"{change} and {len(names) - MAX_CHANGES_TOLD:,} more (all: --format json)")


def _print_findings(report: ImportReport) -> None:
    """The first errors and warnings in full, all else counted by code."""
    findings = sorted(report.diagnostics, key=lambda found: _URGENCY[found.severity])
    told = [found for found in findings if found.severity != "info"][:MAX_FINDINGS_TOLD]
    for found in told:
        print_note(diagnostic_line(found))
    if len(told) < len(findings):
        counts = ", ".join(f"{code} {count:,}" for code, count in report.codes.items())
        print_note(
            f"{len(findings):,} findings: {counts} "
            "(all of them: skillcatalog validate PATH, or --format json)"
        )


MAX_FINDINGS_TOLD = 20
MAX_CHANGES_TOLD = 20
_COUNTS = ("found", "added", "updated", "unchanged", "removed", "deleted here", "copies", "refused")
_URGENCY = {"error": 0, "warning": 1, "info": 2}


def diagnostic_line(diagnostic: Diagnostic) -> str:
    line = f":{diagnostic.line}" if diagnostic.line else ""
    return (
        f"{diagnostic.severity} {diagnostic.code} {diagnostic.path}{line}: "
        f"{diagnostic.message} ({diagnostic.action})"
    )
