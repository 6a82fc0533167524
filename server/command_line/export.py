"""`skillcatalog export NAME`: the files of a skill, exactly as they were imported."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from catalog.errors import InvalidPack
from importer.safe_paths import fault_of_path
from server.command_line import selection
from server.command_line.exit_codes import ExitCode
from server.command_line.invocation import Invocation, command
from server.command_line.output import Format, print_json, print_text

EXAMPLES = (
    "skillcatalog export starter:plain-business-email",
    "skillcatalog export tidy-git-history --to ./skills/tidy --allow-tool Bash",
)


@command()
def export(
    invocation: Invocation,
    name: Annotated[str, typer.Argument(help="Bare or qualified name.")],
    to: Annotated[
        Path | None,
        typer.Option(
            help="Folder to write into; files that are there are never changed (default: a new "
            "folder here with the skill's name).",
            metavar="FOLDER",
            show_default=False,
        ),
    ] = None,
    allow_tool: selection.AllowedTools = None,
    allow_namespace: selection.AllowedNamespaces = None,
    allow_tag: selection.AllowedTags = None,
) -> ExitCode:
    """Write a skill's files as they were imported, to the byte."""
    from importer.export import write_export

    capability = selection.capability(allow_tool, allow_namespace, allow_tag)
    with invocation.catalog() as (catalog, identity), selection.telling_how_to_see_more():
        files = catalog.export(identity, name, capability)
    written = [str(path) for path in write_export(files, to or _new_folder(name))]
    if invocation.format is Format.JSON:
        print_json({"written": written})
    else:
        for path in written:
            print_text(path)
    return ExitCode.OK


def _new_folder(name: str) -> Path:
    """The folder of a skill that was asked for by that name: its last part, whatever its pack."""
    bare = name.rpartition(":")[2].rpartition("/")[2]
    fault = fault_of_path(bare)
    if fault is None and Path(bare).exists():
        fault = "it is there already"
    if fault is not None:
        raise InvalidPack(f"'{bare}' cannot be made here: {fault}; name a folder with --to")
    return Path(bare)
