"""The typer application: one line a command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Annotated

import typer

from server.command_line import (
    audit,
    config,
    copy,
    directory,
    doctor,
    export,
    get,
    health,
    import_packs,
    lifecycle,
    list_skills,
    propose,
    quickstart,
    reindex,
    search,
    serve,
    validate,
)
from server.command_line.output import print_text

app = typer.Typer(
    name="skillcatalog",
    help="A skill catalog and retrieval service for agent planners.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(asked: bool) -> None:
    if asked:
        print_text(f"skillcatalog {version('skillcatalog')}")
        raise typer.Exit


@app.callback()
def _before_every_command(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    function: Callable[..., None]
    examples: Sequence[str]


COMMANDS = (
    Command("quickstart", quickstart.quickstart, quickstart.EXAMPLES),
    Command("import", import_packs.import_packs, import_packs.EXAMPLES),
    Command("search", search.search, search.EXAMPLES),
    Command("get", get.get, get.EXAMPLES),
    Command("list", list_skills.list_skills, list_skills.EXAMPLES),
    Command("serve", serve.serve, serve.EXAMPLES),
    Command("health", health.health, health.EXAMPLES),
    Command("directory", directory.directory, directory.EXAMPLES),
    Command("export", export.export, export.EXAMPLES),
    Command("propose", propose.propose, propose.EXAMPLES),
    Command("history", lifecycle.history, lifecycle.HISTORY_EXAMPLES),
    Command("rollback", lifecycle.rollback, lifecycle.ROLLBACK_EXAMPLES),
    Command("promote", lifecycle.promote, lifecycle.PROMOTE_EXAMPLES),
    Command("pin", lifecycle.pin, lifecycle.PIN_EXAMPLES),
    Command("delete", lifecycle.delete, lifecycle.DELETE_EXAMPLES),
    Command("audit", audit.audit, audit.EXAMPLES),
    Command("reindex", reindex.reindex, reindex.EXAMPLES),
    Command("doctor", doctor.doctor, doctor.EXAMPLES),
    Command("copy", copy.copy, copy.EXAMPLES),
    Command("validate", validate.validate, validate.EXAMPLES),
    Command("config", config.config, config.EXAMPLES),
)

for command in COMMANDS:
    # A blank line between two lines is what keeps them apart in the help.
    app.command(command.name, epilog="\n\n".join(("Examples:", *command.examples)))(
        command.function
    )
