"""What the settings come to: the catalog, the identity that asks, and what a server is told."""

from __future__ import annotations

from dataclasses import fields

from catalog.catalog import Catalog
from catalog.embedding import Embedder, EmbedderSettings, open_embedder
from catalog.errors import EmbedderUnavailable, IdentityRequired, InvalidConfiguration
from catalog.identity import MANDATORY_PARTS, Identity
from catalog.injection.redaction import RedactionRule
from catalog.injection.redaction.person_name import PersonNameRule
from catalog.stores.open import MEMORY
from server.configuration import (
    FILE_NAME,
    Configuration,
    default_store_path,
    default_store_url,
    variable,
)
from server.settings import Limits, ServerSettings, TlsSettings, TokenSettings


def embedder_settings(configuration: Configuration) -> EmbedderSettings | None:
    """None where no embedder is configured."""
    if configuration.embedder is None:
        return None
    key = configuration.embedder_api_key
    return EmbedderSettings(
        configuration.embedder,
        configuration.embedder_model,
        device=configuration.embedder_device,
        batch_size=configuration.embedder_batch_size,
        url=configuration.embedder_url,
        api_key=key.get_secret_value() if key is not None else None,
        dimension=configuration.embedder_dimension,
        max_tokens=configuration.embedder_max_tokens,
        timeout_seconds=configuration.embedder_timeout_seconds,
    )


def open_catalog(configuration: Configuration, *, with_embedder: bool = False) -> Catalog:
    """The catalog on the configured store, under the configured redaction.

    Args:
        with_embedder: load the embedder, when one is configured; it takes a while. Where
            it is not to be had the catalog opens without, and says why when it is asked.

    Raises:
        InvalidConfiguration: the store's URL is of no known form, or what masks names of
            persons is not installed.
        StoreUnavailable: the store cannot be opened.
    """
    if configuration.store == default_store_url():
        # The only folder that is made unasked: nobody named it.
        default_store_path().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    embedder = _loaded_embedder(configuration) if with_embedder else None
    return Catalog.open(
        configuration.store,
        redaction=configuration.redaction,
        tenant_redaction=configuration.tenant_redaction,
        redaction_rules=_redaction_rules(configuration),
        embedder=embedder,
    )


def _redaction_rules(configuration: Configuration) -> tuple[RedactionRule, ...]:
    if not configuration.redaction_person_names:
        return ()
    language, _, model = configuration.redaction_person_names.rpartition(":")
    return (PersonNameRule(language or "en", model),)


def _loaded_embedder(configuration: Configuration) -> Embedder | EmbedderUnavailable | None:
    settings = embedder_settings(configuration)
    if settings is None:
        return None
    try:
        return open_embedder(settings)
    except EmbedderUnavailable as reason:
        return reason


def identity_of(configuration: Configuration) -> Identity:
    """Who asks.

    Raises:
        IdentityRequired: a part is missing or not acceptable; the message says how to
            give one.
    """
    missing = [part for part in MANDATORY_PARTS if getattr(configuration, part) is None]
    if missing:
        part = missing[0]
        raise IdentityRequired(
            f"identity part '{part}' is missing: give --{part}, {variable(part)} or "
            f"{part} in {FILE_NAME}; `skillcatalog quickstart` writes a local identity",
            part=part,
            missing=", ".join(missing),
        )
    return Identity(
        tenant=configuration.tenant or "",
        user=configuration.user or "",
        session=configuration.session or "",
        project=configuration.project,
        agent=configuration.agent,
        run=configuration.run,
        roles=frozenset(configuration.roles),
    )


def server_settings(configuration: Configuration) -> ServerSettings:
    """Raises:
    InvalidConfiguration: not exactly one way to know callers, half of a TLS pair, a
        token key that cannot be one, or several workers on a store in memory.
    """
    if configuration.workers > 1 and configuration.store == MEMORY:
        raise InvalidConfiguration(
            f"{configuration.workers} workers cannot share a store of {MEMORY}, each would have a "
            "catalog of its own; give a file or a database",
            field="workers",
        )
    return ServerSettings(
        host=configuration.host,
        port=configuration.port,
        tokens=_token_settings(configuration),
        insecure_identity=configuration.insecure_identity,
        tls=_tls_settings(configuration),
        allow_plaintext=configuration.allow_plaintext,
        limits=Limits(
            **{limit.name: getattr(configuration, limit.name) for limit in fields(Limits)}
        ),
        lame_duck_seconds=configuration.lame_duck_seconds,
        grace_seconds=configuration.grace_seconds,
        workers=configuration.workers,
        metrics_host=configuration.metrics_host,
        metrics_port=configuration.metrics_port,
        tracing=configuration.tracing,
        log_level=configuration.log_level,
    )


def _token_settings(configuration: Configuration) -> TokenSettings | None:
    if not (configuration.jwt_secret or configuration.jwt_key_file or configuration.jwt_jwks_file):
        return None
    return TokenSettings(
        secret=configuration.jwt_secret.get_secret_value() if configuration.jwt_secret else None,
        key_file=configuration.jwt_key_file,
        jwks_file=configuration.jwt_jwks_file,
        audience=configuration.jwt_audience,
        issuer=configuration.jwt_issuer,
        leeway_seconds=configuration.jwt_leeway_seconds,
        claims=configuration.jwt_claims,
    )


def _tls_settings(configuration: Configuration) -> TlsSettings | None:
    certificate, key = configuration.tls_certificate_file, configuration.tls_key_file
    if certificate is None and key is None and configuration.tls_client_ca_file is None:
        return None
    if certificate is None or key is None:
        raise InvalidConfiguration(
            "TLS needs both tls_certificate_file and tls_key_file", field="tls"
        )
    return TlsSettings(certificate, key, configuration.tls_client_ca_file)
