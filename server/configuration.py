"""What the operator has set: flags over SKILLCATALOG_* variables over skillcatalog.toml.

A setting has one name in all three: `store` is `--store`, `SKILLCATALOG_STORE` and
`store = "…"`. Each resolved value knows where it came from.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from platformdirs import user_data_path
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    InitSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from catalog.errors import IdentityRequired, InvalidConfiguration
from catalog.identity import MANDATORY_PARTS, Identity, Role

FILE_NAME = "skillcatalog.toml"
FILE_VARIABLE = "SKILLCATALOG_CONFIG"
VARIABLE_PREFIX = "SKILLCATALOG_"
SQLITE_PREFIX = "sqlite:///"


def default_store_url() -> str:
    """A SQLite file in the data folder of the user who runs the process."""
    return f"{SQLITE_PREFIX}{user_data_path('skillcatalog', appauthor=False) / 'skills.db'}"


class Configuration(BaseSettings):
    """Every setting, checked. Make one with `resolve`, which also says where each came from."""

    model_config = SettingsConfigDict(
        env_prefix=VARIABLE_PREFIX, extra="forbid", frozen=True, hide_input_in_errors=True
    )

    store: str = Field(
        default_factory=default_store_url,
        description="Where the skills are: sqlite:///FILE, memory: or postgresql://…",
    )
    tenant: str | None = Field(None, description="Tenant of the identity that asks.")
    user: str | None = Field(None, description="User of the identity that asks.")
    session: str | None = Field(None, description="Session of the identity that asks.")
    project: str | None = Field(None, description="Project of the identity, when it has one.")
    agent: str | None = Field(None, description="Agent of the identity, when it has one.")
    run: str | None = Field(None, description="Run of the identity, when it has one.")
    roles: Annotated[tuple[Role, ...], NoDecode] = Field(
        (Role.READER,), description="Roles of the identity: reader, author, importer, admin."
    )

    @field_validator("roles", mode="before")
    @classmethod
    def _split_roles(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        # `resolve` has read every source already and hands over what won.
        return (init_settings,)

    def identity(self) -> Identity:
        """Who asks.

        Raises:
            IdentityRequired: a part is missing or not acceptable; the message says how to
                give one.
        """
        missing = [part for part in MANDATORY_PARTS if getattr(self, part) is None]
        if missing:
            part = missing[0]
            raise IdentityRequired(
                f"identity part '{part}' is missing: give --{part}, "
                f"{VARIABLE_PREFIX}{part.upper()} or {part} in {FILE_NAME}; "
                "`skillcatalog quickstart` writes a local identity",
                part=part,
                missing=", ".join(missing),
            )
        return Identity(
            tenant=self.tenant or "",
            user=self.user or "",
            session=self.session or "",
            project=self.project,
            agent=self.agent,
            run=self.run,
            roles=frozenset(self.roles),
        )


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
        "variable": EnvSettingsSource(Configuration)(),
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
    store = values.get("store")
    if isinstance(store, str):
        values["store"] = _beside(path, store)
    return values


def _beside(path: Path, store: str) -> str:
    """A relative database file in a configuration file is relative to that file."""
    if not store.startswith(SQLITE_PREFIX):
        return store
    return f"{SQLITE_PREFIX}{path.absolute().parent / store.removeprefix(SQLITE_PREFIX)}"


def _origin(kind: str, name: str, path: Path | None) -> str:
    if kind == "flag":
        return f"flag --{name.replace('_', '-')}"
    if kind == "variable":
        return f"variable {VARIABLE_PREFIX}{name.upper()}"
    return f"file {path}"


def _as_invalid_configuration(
    error: ValidationError, origins: Mapping[str, str]
) -> InvalidConfiguration:
    first = error.errors(include_url=False, include_input=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "configuration"
    source = origins.get(name, "default")
    return InvalidConfiguration(
        f"setting '{name}' ({source}): {first['msg'][:1].lower()}{first['msg'][1:]}", field=name
    )


def _unread_variables() -> tuple[str, ...]:
    known = {f"{VARIABLE_PREFIX}{name.upper()}" for name in Configuration.model_fields}
    known.add(FILE_VARIABLE)
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
