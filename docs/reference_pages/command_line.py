"""cli.md: every command with its arguments, options and examples, and every setting."""

from __future__ import annotations

import inspect
from enum import EnumType
from inspect import Parameter
from typing import get_args

from typer.models import ArgumentInfo, ParameterInfo

from reference_pages.markdown import table
from server.command_line.application import COMMANDS, Command
from server.command_line.exit_codes import MEANINGS
from server.configuration import Configuration, variable

INTRODUCTION = """\
# Command line

`skillcatalog COMMAND --help` says the same as this page, `skillcatalog --version` which version
is installed. `python -m server.command_line` is the same program.

Results go to standard output, remarks, errors and the progress bar to standard error; the bar
shows on a terminal only. `--format json` prints one line of JSON, and an error as one JSON
object with `reason`, `code`, `message` and `metadata`; without it an error is the line
`REASON: message`.

Settings come from flags, then `SKILLCATALOG_*` variables, then `skillcatalog.toml` of the
present folder (or the file that `--config` or `SKILLCATALOG_CONFIG` names). A setting has one
name in all three: `--tenant`, `SKILLCATALOG_TENANT`, `tenant = "…"`. A relative path in the
file is relative to the file. `skillcatalog config` shows what was resolved and from where.
A key of the file that is no setting is refused; a `SKILLCATALOG_*` variable that is none is warned
of on standard error, as it may be meant for another program.

Every command that reads or writes skills needs an identity: tenant, user and session, and a
role for some. There is no default one; `skillcatalog quickstart` writes a local one.

## Exit codes

"""


def page() -> str:
    return (
        INTRODUCTION
        + table(("code", "meaning"), ((int(code), text) for code, text in MEANINGS.items()))
        + "".join(map(_section, COMMANDS))
        + "\n## Settings\n\n"
        + table(("setting", "variable", "default", "meaning"), map(_setting, _SETTINGS))
    )


_SETTINGS = tuple(Configuration.model_fields)


def _section(command: Command) -> str:
    parameters = list(inspect.signature(command.function).parameters.values())
    arguments = [parameter for parameter in parameters if _is_argument(parameter)]
    options = [parameter for parameter in parameters if not _is_argument(parameter)]
    usage = " ".join(["skillcatalog", command.name, "[OPTIONS]", *map(_placeholder, arguments)])
    rows = [(f"`{_placeholder(argument)}`", _info(argument).help) for argument in arguments]
    rows += [(f"`{_flag(option)}`", _help(option)) for option in options]
    return (
        f"\n## {command.name}\n\n{inspect.getdoc(command.function)}\n\n`{usage}`\n\n"
        + table(("argument or option", "meaning"), rows)
        + "\n```sh\n"
        + "\n".join(command.examples)
        + "\n```\n"
    )


def _info(parameter: Parameter) -> ParameterInfo:
    return next(part for part in get_args(parameter.annotation) if isinstance(part, ParameterInfo))


def _is_argument(parameter: Parameter) -> bool:
    return isinstance(_info(parameter), ArgumentInfo)


def _flag(option: Parameter) -> str:
    flag = f"--{option.name.replace('_', '-')}"
    return flag if _base_type(option) is bool else f"{flag} {_placeholder(option)}"


def _placeholder(parameter: Parameter) -> str:
    if metavar := _info(parameter).metavar:
        return metavar
    base = _base_type(parameter)
    if isinstance(base, EnumType):
        return "|".join(str(member.value) for member in base)
    if _is_argument(parameter):
        return parameter.name.upper()
    return {int: "N", float: "X"}.get(base, "TEXT")


def _base_type(parameter: Parameter) -> type:
    """The type itself: `Origin` of `list[Origin] | None`."""
    base = get_args(parameter.annotation)[0]
    while inner := [part for part in get_args(base) if part is not type(None)]:
        base = inner[0]
    return base


def _help(option: Parameter) -> str:
    text = _info(option).help or ""
    default = option.default
    if default in (None, "", False, Parameter.empty):
        return text
    return f"{text} Default: {getattr(default, 'value', default)}."


def _setting(name: str) -> tuple[str, str, str, str]:
    field = Configuration.model_fields[name]
    default = "" if field.default_factory or field.default is None else _shown(field.default)
    return f"`{name}`", f"`{variable(name)}`", default, field.description or ""


def _shown(default: object) -> str:
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, tuple):
        return ", ".join(map(str, default))
    return "" if default == {} else str(default)
