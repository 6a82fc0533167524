"""The typer application: one line a command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import typer

from server.command_line import (
    config,
    get,
    import_packs,
    list_skills,
    search,
    validate,
)

app = typer.Typer(
    name="skillcatalog",
    help="A skill catalog and retrieval service for agent planners.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    function: Callable[..., None]
    examples: Sequence[str]


COMMANDS = (
    Command("import", import_packs.import_packs, import_packs.EXAMPLES),
    Command("search", search.search, search.EXAMPLES),
    Command("get", get.get, get.EXAMPLES),
    Command("list", list_skills.list_skills, list_skills.EXAMPLES),
    Command("validate", validate.validate, validate.EXAMPLES),
    Command("config", config.config, config.EXAMPLES),
)

for command in COMMANDS:
    # A blank line between two lines is what keeps them apart in the help.
    app.command(command.name, epilog="\n\n".join(("Examples:", *command.examples)))(
        command.function
    )
