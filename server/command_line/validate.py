"""`skillcatalog validate PATH`: what an import would say, without a catalog."""

from __future__ import annotations

import sys
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from server.command_line.exit_codes import ExitCode
from server.command_line.import_packs import STANDARD_INPUT
from server.command_line.invocation import Invocation, command
from server.command_line.output import print_json, print_text

EXAMPLES = (
    "skillcatalog validate ./skills",
    "skillcatalog validate my-skill/SKILL.md --strict",
    "skillcatalog validate pack.zip --format sarif > skills.sarif",
)


class ReportFormat(StrEnum):
    TABLE = "table"
    JSON = "json"
    SARIF = "sarif"


_REPORT = {
    "format": (
        Annotated[
            ReportFormat,
            typer.Option(help="Lines for people, JSON for programs, SARIF for code review."),
        ],
        ReportFormat.TABLE,
    )
}


@command(_REPORT)
def validate(
    invocation: Invocation,
    path: Annotated[
        Path,
        typer.Argument(help="Folder, SKILL.md file or archive; - is standard input."),
    ],
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse what has a warning; follow the specification.")
    ] = False,
) -> ExitCode:
    """Check skills as an import would, and write nothing."""
    from importer import validation

    source = sys.stdin.buffer if path == STANDARD_INPUT else path
    found = validation.validate(source, strict=strict)
    if invocation.format == ReportFormat.SARIF:
        print_json(validation.as_sarif(found, version("skillcatalog")))
    elif invocation.format == ReportFormat.JSON:
        print_json(validation.as_json(found))
    else:
        for line in validation.as_text(found):
            print_text(line)
    return ExitCode(found.exit_code)
