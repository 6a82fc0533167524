"""`skillcatalog validate PATH…`: what an import would say, without a catalog."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from server.command_line.exit_codes import ExitCode
from server.command_line.import_packs import STANDARD_INPUT, diagnostic_line
from server.command_line.invocation import OUTPUT, Invocation, command
from server.command_line.output import Format, print_json, print_note, print_text

EXAMPLES = (
    "skillcatalog validate ./skills",
    "skillcatalog validate my-skill/SKILL.md --strict",
    "skillcatalog validate pack.zip --format json",
)


@command(OUTPUT)
def validate(
    invocation: Invocation,
    paths: Annotated[
        list[Path],
        typer.Argument(
            help="Folders, SKILL.md files or archives; - is standard input.",
            metavar="PATH...",
            show_default=False,
        ),
    ],
    strict: Annotated[
        bool, typer.Option("--strict", help="Also what the specification alone forbids.")
    ] = False,
) -> ExitCode:
    """Check skills before they are imported. Exit code 1 when anything is to be mended."""
    from importer.diagnostics import Diagnostic, Severity
    from importer.pack import read_packs

    accepted = refused = 0
    findings: list[Diagnostic] = []
    for path in paths:
        source = sys.stdin.buffer if path == STANDARD_INPUT else path
        for read in read_packs(source, strict=strict):
            findings.extend(read.diagnostics)
            if read.skill is not None:
                accepted += 1
            elif read.path:
                refused += 1
    if invocation.format is Format.JSON:
        print_json(
            {
                "accepted": accepted,
                "refused": refused,
                "diagnostics": [finding.as_json() for finding in findings],
            }
        )
    else:
        for finding in findings:
            print_text(diagnostic_line(finding))
        print_note(f"{accepted} skills would be imported, {refused} refused")
    to_mend = any(finding.severity is not Severity.INFO for finding in findings)
    return ExitCode.FINDINGS if to_mend else ExitCode.OK
