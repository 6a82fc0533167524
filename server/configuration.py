"""Every setting of the operator; `configured` says what they come to.

A setting has one name everywhere: `store` is `--store`, `SKILLCATALOG_STORE` and
`store = "…"` in skillcatalog.toml. Which of them counts is for `configuration_sources`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from platformdirs import user_data_path
from pydantic import Field, SecretStr, field_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from catalog.embedding.registry import DEFAULT_BATCH_SIZE, DEFAULT_TIMEOUT_SECONDS
from catalog.identity import Role
from catalog.injection.redaction import RedactionPolicy
from catalog.stores.open import SQLITE_PREFIX
from server.settings import Limits, ServerSettings

FILE_NAME = "skillcatalog.toml"
VARIABLE_PREFIX = "SKILLCATALOG_"
_LANGUAGE_AND_MODEL = re.compile(r"(?:[a-z]{2}:)?[A-Za-z]\w*", re.ASCII)
_LIMITS = Limits()
_SERVER = ServerSettings(insecure_identity=True)


def variable(setting: str) -> str:
    return f"{VARIABLE_PREFIX}{setting.upper()}"


def default_store_path() -> Path:
    """A SQLite file in the data folder of the user who runs the process."""
    return user_data_path("skillcatalog", appauthor=False) / "skills.db"


def default_store_url() -> str:
    return f"{SQLITE_PREFIX}{default_store_path()}"


class Configuration(BaseSettings):
    """Every setting, checked. Make one with `configuration_sources.resolve`."""

    model_config = SettingsConfigDict(
        env_prefix=VARIABLE_PREFIX, extra="forbid", frozen=True, hide_input_in_errors=True
    )

    store: str = Field(
        default_factory=default_store_url,
        description="Where the skills are: sqlite:///FILE, memory: or postgresql://…; "
        "a file in the user's data folder when nothing is set.",
    )
    redaction: RedactionPolicy = Field(
        RedactionPolicy.ALWAYS,
        description="Whether texts are redacted: always, on_request (when a caller asks) or off.",
    )
    tenant_redaction: Annotated[dict[str, RedactionPolicy], NoDecode] = Field(
        {},
        description="The same of single tenants, where it is another: tenant to policy, in a "
        "variable acme=off,globex=on_request.",
    )
    redaction_person_names: str = Field(
        "",
        description="Installed spaCy model by which names of persons are masked too, with its "
        "language in front where that is not English: de:de_core_news_sm; needs the extra ner.",
    )

    tenant: str | None = Field(None, description="Tenant of the identity that asks.")
    user: str | None = Field(None, description="User of the identity that asks.")
    session: str | None = Field(None, description="Session of the identity that asks.")
    project: str | None = Field(None, description="Project of the identity, when it has one.")
    agent: str | None = Field(None, description="Agent of the identity, when it has one.")
    run: str | None = Field(None, description="Run of the identity, when it has one.")
    roles: Annotated[tuple[Role, ...], NoDecode] = Field(
        (Role.READER,),
        description="Roles of the identity, with commas between: reader, author, importer, admin.",
    )

    embedder: str | None = Field(
        None,
        description="Kind of embedder for the modes semantic and hybrid: sentence-transformers, "
        "openai-compatible or one of another package; none when unset.",
    )
    embedder_model: str = Field("", description="Folder or name of the embedder's model.")
    embedder_device: str | None = Field(
        None, description="Where the model runs, as cpu or cuda:1; the library chooses when unset."
    )
    embedder_batch_size: int = Field(
        DEFAULT_BATCH_SIZE, ge=1, description="Texts that are embedded at once."
    )
    embedder_url: str | None = Field(
        None, description="Base URL of an embeddings endpoint, without /embeddings."
    )
    embedder_api_key: SecretStr | None = Field(None, description="Bearer token of the endpoint.")
    embedder_dimension: int | None = Field(
        None, ge=1, description="Dimension of the vectors; the endpoint is asked when unset."
    )
    embedder_max_tokens: int | None = Field(
        None, ge=16, description="Tokens that the endpoint reads of a text."
    )
    embedder_timeout_seconds: float = Field(
        DEFAULT_TIMEOUT_SECONDS, gt=0, description="Of one request to the endpoint."
    )

    host: str = Field(_SERVER.host, description="Address or name that the server listens on.")
    port: int = Field(
        _SERVER.port, ge=0, le=65_535, description="Port of the server; 0 takes a free one."
    )
    insecure_identity: bool = Field(
        False, description="Callers say who they are in metadata; on loopback only."
    )
    allow_plaintext: bool = Field(
        False, description="Serve without TLS on an address that is not loopback."
    )
    tls_certificate_file: Path | None = Field(None, description="PEM certificate of the server.")
    tls_key_file: Path | None = Field(None, description="PEM private key of the server.")
    tls_client_ca_file: Path | None = Field(
        None, description="PEM authority; every client must show a certificate of it."
    )
    jwt_secret: SecretStr | None = Field(
        None, description="Shared secret of HS256 tokens, at least 32 bytes."
    )
    jwt_key_file: Path | None = Field(
        None, description="PEM public key of RS256 or ES256 tokens, read again when it changes."
    )
    jwt_jwks_file: Path | None = Field(
        None, description="JSON Web Key Set, read again when it changes."
    )
    jwt_audience: str | None = Field(None, description="Audience that tokens must be meant for.")
    jwt_issuer: str | None = Field(None, description="Issuer that tokens must come from.")
    jwt_leeway_seconds: float = Field(
        30.0, ge=0, description="Clock skew allowed on the times of a token."
    )
    jwt_claims: dict[str, str] = Field(
        {},
        description="Claim of each part of the identity that is not in the claim of its own name.",
    )
    metrics_host: str = Field(_SERVER.metrics_host, description="Address of the metrics.")
    metrics_port: int | None = Field(
        None, ge=0, le=65_535, description="Port of the Prometheus metrics; none when unset."
    )
    tracing: bool = Field(
        False, description="Send OpenTelemetry spans, as the OTEL_* variables say."
    )
    log_level: str = Field(_SERVER.log_level, description="debug, info, warning or error.")
    lame_duck_seconds: float = Field(
        _SERVER.lame_duck_seconds,
        ge=0,
        description="Between saying NOT_SERVING and refusing new calls.",
    )
    grace_seconds: float = Field(
        _SERVER.grace_seconds, ge=0, description="What calls in flight have to finish in."
    )
    workers: int = Field(
        _SERVER.workers, ge=1, le=64, description="Server processes that share the port."
    )

    threads: int = Field(_LIMITS.threads, ge=1, description="Calls that work at the same time.")
    threads_per_tenant: int = Field(
        _LIMITS.threads_per_tenant, ge=1, description="Of those, for one tenant."
    )
    queue: int = Field(_LIMITS.queue, ge=0, description="Calls that wait for a thread.")
    queue_per_tenant: int = Field(
        _LIMITS.queue_per_tenant, ge=0, description="Of those, for one tenant."
    )
    imports: int = Field(_LIMITS.imports, ge=1, description="Imports that work at the same time.")
    imports_per_tenant: int = Field(
        _LIMITS.imports_per_tenant, ge=1, description="Of those, for one tenant."
    )
    uploads: int = Field(
        _LIMITS.uploads, ge=1, description="Archives that are received at the same time."
    )
    uploads_per_tenant: int = Field(
        _LIMITS.uploads_per_tenant, ge=1, description="Of those, from one tenant."
    )
    upload_idle_seconds: float = Field(
        _LIMITS.upload_idle_seconds, gt=0, description="Seconds between two parts of an archive."
    )
    rate_per_tenant: float | None = Field(
        None, gt=0, description="Calls a second that one tenant may make; no limit when unset."
    )
    burst_per_tenant: int = Field(
        _LIMITS.burst_per_tenant, ge=1, description="Calls at once above that rate."
    )
    message_bytes: int = Field(
        _LIMITS.message_bytes, ge=65_536, description="Bytes of one message, in and out."
    )
    archive_bytes: int = Field(
        _LIMITS.archive_bytes, ge=1, description="Bytes of one PackImport stream."
    )
    chunk_bytes: int = Field(
        _LIMITS.chunk_bytes, ge=1, description="Bytes of one chunk of a file on the wire."
    )

    @field_validator("roles", mode="before")
    @classmethod
    def _split_roles(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("tenant_redaction", mode="before")
    @classmethod
    def _split_tenants(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        policies: dict[str, str] = {}
        for pair in filter(None, map(str.strip, value.split(","))):
            tenant, _, policy = (part.strip() for part in pair.rpartition("="))
            if not tenant or tenant in policies:
                raise ValueError(
                    "it takes TENANT=POLICY, each tenant once, with commas between; a policy is "
                    f"one of: {', '.join(RedactionPolicy)}"
                )
            policies[tenant] = policy
        return policies

    @field_validator("redaction_person_names")
    @classmethod
    def _check_model(cls, value: str) -> str:
        if value and not _LANGUAGE_AND_MODEL.fullmatch(value):
            raise ValueError("it takes the name of a spaCy model, or LANGUAGE:MODEL as en:NAME")
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
