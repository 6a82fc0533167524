"""The typer application: one line a command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

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


def _register(name: str, function: Callable[..., Any], examples: Sequence[str]) -> None:
    # A blank line between two lines keeps them apart in help and in Markdown alike.
    epilog = "\n\n".join(("Examples:", *(f"    {example}" for example in examples)))
    app.command(name, epilog=epilog)(function)


_register("import", import_packs.import_packs, import_packs.EXAMPLES)
_register("search", search.search, search.EXAMPLES)
_register("get", get.get, get.EXAMPLES)
_register("list", list_skills.list_skills, list_skills.EXAMPLES)
_register("validate", validate.validate, validate.EXAMPLES)
_register("config", config.config, config.EXAMPLES)
