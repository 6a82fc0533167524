"""Where settings come from: flags over SKILLCATALOG_* variables over skillcatalog.toml."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr, ValidationError
from pydantic_settings import (
    EnvSettingsSource,
    InitSettingsSource,
    SettingsError,
    TomlConfigSettingsSource,
)

from catalog.errors import InvalidConfiguration
from catalog.stores.open import SQLITE_PREFIX
from server.configuration import FILE_NAME, VARIABLE_PREFIX, Configuration, variable

FILE_VARIABLE = f"{VARIABLE_PREFIX}CONFIG"


@dataclass(frozen=True, slots=True)
class Setting:
    """One resolved value. `source` is `flag --x`, `variable X`, `file PATH` or `default`."""

    name: str
    value: object
    source: str

    @property
    def shown(self) -> str:
        """The value as it may be printed: secrets and passwords masked, empty when unset."""
        if self.value is None:
            return ""
        if isinstance(self.value, SecretStr):
            return str(self.value)
        if isinstance(self.value, tuple):
            return ", ".join(str(part) for part in self.value)
        if isinstance(self.value, Mapping):
            return ", ".join(f"{key}={part}" for key, part in self.value.items())
        if self.name == "store":
            return _without_password(str(self.value))
        return str(self.value)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A configuration with the source of each value.

    `unread_variables` are SKILLCATALOG_* variables that no setting has: a slip of the pen,
    or meant for another program.
    """

    configuration: Configuration
    settings: tuple[Setting, ...]
    unread_variables: tuple[str, ...]


def resolve(flags: Mapping[str, object], file: Path | None = None) -> Resolved:
    """Settle every setting.

    Args:
        flags: values given on the command line by setting name; None means not given.
        file: the configuration file; None takes SKILLCATALOG_CONFIG, or else
            skillcatalog.toml of the current folder when there is one.

    Raises:
        InvalidConfiguration: the file cannot be read, a key of it is unknown, or a value is
            not what its setting takes.
    """
    sources = {
        "flag": InitSettingsSource(
            Configuration, {name: value for name, value in flags.items() if value is not None}
        )(),
        "variable": _variable_values(),
    }
    path = _configuration_file(file)
    if path is not None:
        sources["file"] = _file_values(path)
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for kind, found in sources.items():
        for name, value in found.items():
            if name not in values:
                values[name] = value
                origins[name] = _origin(kind, name, path)
    try:
        configuration = Configuration(**values)
    except ValidationError as error:
        raise _as_invalid_configuration(error, origins) from None
    return Resolved(
        configuration,
        tuple(
            Setting(name, getattr(configuration, name), origins.get(name, "default"))
            for name in Configuration.model_fields
        ),
        _unread_variables(),
    )


def _variable_values() -> dict[str, Any]:
    try:
        return EnvSettingsSource(Configuration)()
    except SettingsError as error:
        raise InvalidConfiguration(f"a variable is no JSON object: {error}") from None


def _configuration_file(file: Path | None) -> Path | None:
    if file is not None:
        return file
    if named := os.environ.get(FILE_VARIABLE):
        return Path(named)
    here = Path(FILE_NAME)
    return here if here.exists() else None


def _file_values(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise InvalidConfiguration(
            f"configuration file '{path.name}' does not exist or is not a file", field="config"
        )
    try:
        values = TomlConfigSettingsSource(Configuration, path)()
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidConfiguration(
            f"configuration file '{path.name}' is not valid TOML: {error}", field="config"
        ) from None
    except OSError as error:
        raise InvalidConfiguration(
            f"configuration file '{path.name}' cannot be read: {error.strerror}", field="config"
        ) from None
    if unknown := sorted(set(values) - set(Configuration.model_fields)):
        raise InvalidConfiguration(
            f"configuration file '{path.name}' has a key that is no setting: {unknown[0]}",
            field=unknown[0],
        )
    return {name: _beside(path, name, value) for name, value in values.items()}


def _beside(path: Path, name: str, value: Any) -> Any:
    """A relative path in a configuration file is relative to that file."""
    folder = path.absolute().parent
    if not isinstance(value, str):
        return value
    if name == "store" and value.startswith(SQLITE_PREFIX):
        return f"{SQLITE_PREFIX}{folder / value.removeprefix(SQLITE_PREFIX)}"
    return str(folder / value) if name.endswith("_file") else value


def _origin(kind: str, name: str, path: Path | None) -> str:
    if kind == "flag":
        return f"flag --{name.replace('_', '-')}"
    if kind == "variable":
        return f"variable {variable(name)}"
    return f"file {path}"


def _as_invalid_configuration(
    error: ValidationError, origins: Mapping[str, str]
) -> InvalidConfiguration:
    first = error.errors(include_url=False, include_input=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "configuration"
    source = origins.get(name, "default")
    message = first["msg"].removeprefix("Value error, ")
    return InvalidConfiguration(
        f"setting '{name}' ({source}): {message[:1].lower()}{message[1:]}", field=name
    )


def _unread_variables() -> tuple[str, ...]:
    known = {FILE_VARIABLE, *map(variable, Configuration.model_fields)}
    return tuple(
        sorted(
            name for name in os.environ if name.startswith(VARIABLE_PREFIX) and name not in known
        )
    )


def _without_password(url: str) -> str:
    if url.startswith("sqlite:") or "://" not in url:
        return url
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        parsed = make_url(url)
    except ArgumentError:
        return f"{url.split('://')[0]}://***"
    if "password" in parsed.query:
        parsed = parsed.update_query_dict({"password": "***"})
    return parsed.render_as_string(hide_password=True)
