"""`skillcatalog export NAME`: the files of a skill, exactly as they were imported."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from server.command_line import selection
from server.command_line.exit_codes import ExitCode
from server.command_line.invocation import Invocation, command
from server.command_line.output import Format, print_json, print_text

EXAMPLES = (
    "skillcatalog export tidy-git-history --to ./tidy-git-history --allow-tool Bash",
    "skillcatalog export starter:plain-business-email --to ./plain-business-email",
)


@command()
def export(
    invocation: Invocation,
    name: Annotated[str, typer.Argument(help="Bare or qualified name.")],
    to: Annotated[
        Path,
        typer.Option(
            help="Folder to write into; files that are there are never changed.", metavar="FOLDER"
        ),
    ],
    allow_tool: selection.AllowedTools = None,
    allow_namespace: selection.AllowedNamespaces = None,
    allow_tag: selection.AllowedTags = None,
) -> ExitCode:
    """Write a skill's files as they were imported, to the byte."""
    from importer.export import write_export

    capability = selection.capability(allow_tool, allow_namespace, allow_tag)
    with invocation.catalog() as (catalog, identity):
        files = catalog.export(identity, name, capability)
    written = [str(path) for path in write_export(files, to)]
    if invocation.format is Format.JSON:
        print_json({"written": written})
    else:
        for path in written:
            print_text(path)
    return ExitCode.OK
