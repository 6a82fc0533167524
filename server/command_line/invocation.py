"""One run of a command: its settings, identity and catalog, and where its errors end.

`command` turns a function of an `Invocation` into a typer command: it adds the options that
every command shares, and prints an error of the product and leaves with its exit code.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.errors import InvalidQuery, SkillCatalogError
from server.command_line.exit_codes import ExitCode, exit_code_of
from server.command_line.output import Format, print_error, print_warning

if TYPE_CHECKING:
    from catalog.catalog import Catalog
    from catalog.identity import Identity
    from server.configuration import Configuration
    from server.configuration_sources import Resolved

_SETTINGS_PANEL = "Store and configuration"
_IDENTITY_PANEL = "Identity"


def _text_option(flag: str, help: str, panel: str, metavar: str = "TEXT") -> Any:
    return Annotated[
        str | None,
        typer.Option(flag, help=help, rich_help_panel=panel, metavar=metavar, show_default=False),
    ]


OUTPUT: Mapping[str, Any] = {
    "format": (
        Annotated[Format, typer.Option("--format", help="Tables for people, JSON for programs.")],
        Format.TABLE,
    )
}
STORE: Mapping[str, Any] = {
    "store": (
        _text_option(
            "--store",
            "sqlite:///FILE, memory: or postgresql://… (default: a file in your data folder)",
            _SETTINGS_PANEL,
            "URL",
        ),
        None,
    ),
    "config": (
        Annotated[
            Path | None,
            typer.Option(
                "--config",
                help="Configuration file (default: skillcatalog.toml of this folder).",
                rich_help_panel=_SETTINGS_PANEL,
                metavar="FILE",
                show_default=False,
            ),
        ],
        None,
    ),
}
IDENTITY: Mapping[str, Any] = {
    "tenant": (_text_option("--tenant", "Tenant that asks.", _IDENTITY_PANEL), None),
    "user": (_text_option("--user", "User that asks.", _IDENTITY_PANEL), None),
    "session": (_text_option("--session", "Session that asks.", _IDENTITY_PANEL), None),
    "project": (_text_option("--project", "Project, when there is one.", _IDENTITY_PANEL), None),
    "agent": (_text_option("--agent", "Agent, when there is one.", _IDENTITY_PANEL), None),
    "run": (_text_option("--run", "Run, when there is one.", _IDENTITY_PANEL), None),
    "roles": (
        _text_option(
            "--roles",
            "Roles with commas between: reader, author, importer, admin.",
            _IDENTITY_PANEL,
        ),
        None,
    ),
}
ALL = {**OUTPUT, **STORE, **IDENTITY}


@dataclass(frozen=True)
class Invocation:
    """The shared options of one run, as given."""

    format: StrEnum
    config: Path | None
    flags: Mapping[str, object]

    def resolve(self, **flags: object) -> Resolved:
        """Every setting with its source; `flags` are those that only this command has."""
        from server.configuration_sources import resolve

        resolved = resolve({**self.flags, **flags}, self.config)
        for variable in resolved.unread_variables:
            print_warning(f"variable {variable} is set and no setting has that name", self.format)
        return resolved

    @cached_property
    def configuration(self) -> Configuration:
        return self.resolve().configuration

    @contextmanager
    def catalog(self, *, with_embedder: bool = False) -> Iterator[tuple[Catalog, Identity]]:
        """The catalog of the configured store and who asks; closed at the end of the block.

        Args:
            with_embedder: load the embedder too, when one is configured.

        Raises:
            IdentityRequired: before anything is opened or made.
        """
        from server.configured import identity_of, open_catalog

        identity = identity_of(self.configuration)
        catalog = open_catalog(self.configuration, with_embedder=with_embedder)
        try:
            yield catalog, identity
        finally:
            catalog.close()


def command(
    shared: Mapping[str, Any] = ALL,
) -> Callable[[Callable[..., ExitCode]], Callable[..., None]]:
    """Make a typer command of a function that takes an `Invocation` and its own options."""

    def decorate(function: Callable[..., ExitCode]) -> Callable[..., None]:
        own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
        options = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
            )
            for name, (annotation, default) in shared.items()
        ]

        def run(**given: Any) -> None:
            flags = {name: given.pop(name) for name in shared}
            invocation = Invocation(
                flags.pop("format", Format.TABLE), flags.pop("config", None), flags
            )
            try:
                for name, value in {**flags, **given}.items():
                    _checked_text(name, value)
                code = function(invocation, **given)
            except SkillCatalogError as error:
                print_error(error, invocation.format)
                code = exit_code_of(error)
            raise typer.Exit(code)

        run.__name__ = function.__name__
        run.__doc__ = function.__doc__
        parameters = [
            *(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own),
            *options,
        ]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorate


def _checked_text(name: str, value: Any) -> None:
    """Raises:
    InvalidQuery: text of the command line is not UTF-8. Paths are bytes and may be anything.
    """
    for text in value if isinstance(value, list) else [value]:
        if isinstance(text, str) and (undecoded := _UNDECODED.search(text)):
            raise InvalidQuery(
                f"argument '{name}' is not UTF-8: it holds the byte {ord(undecoded[0]) & 0xFF:#x}",
                field=name,
            )


_UNDECODED = re.compile("[\udc80-\udcff]")
