"""`skillcatalog validate PATH…`: what an import would say, without a catalog."""

from __future__ import annotations

import sys
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from catalog.errors import InvalidPack, PackTooLarge
from server.command_line.exit_codes import ExitCode, exit_code_of
from server.command_line.import_packs import STANDARD_INPUT
from server.command_line.invocation import Invocation, command
from server.command_line.output import print_error, print_json, print_text

EXAMPLES = (
    "skillcatalog validate ./skills",
    "skillcatalog validate my-skill/SKILL.md other-skill --strict",
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
    paths: Annotated[
        list[Path],
        typer.Argument(
            help="Folders, SKILL.md files and archives; - is standard input.", metavar="PATH..."
        ),
    ],
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse what has a warning; follow the specification.")
    ] = False,
) -> ExitCode:
    """Check skills as an import would, and write nothing."""
    from importer import validation

    parts: list[tuple[Path, validation.Validation]] = []
    failures: list[ExitCode] = []
    for path in paths:
        from_stream = path == STANDARD_INPUT
        source = sys.stdin.buffer if from_stream else path
        try:
            checked = validation.validate(source, strict=strict)
        except (InvalidPack, PackTooLarge) as error:
            # One bad pack never stops the others.
            print_error(error, invocation.format)
            failures.append(exit_code_of(error))
        else:
            parts.append((Path() if from_stream else path, checked))
    if not parts:
        return failures[-1]
    found = validation.joined(parts)
    if invocation.format == ReportFormat.SARIF:
        print_json(validation.as_sarif(found, version("skillcatalog")))
    elif invocation.format == ReportFormat.JSON:
        print_json(validation.as_json(found))
    else:
        for line in validation.as_text(found):
            print_text(line)
    code = ExitCode(found.exit_code)
    return max(code, ExitCode.FINDINGS) if failures else code
