"""What the operator of a server sets, and every limit of the wire with its default.

These are values: the command line fills them from flags, variables and the configuration
file, and nothing in the server reads a setting from anywhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from catalog.errors import InvalidConfiguration

MEBIBYTE = 1024 * 1024
SHORTEST_SECRET_BYTES = 32


@dataclass(frozen=True, slots=True)
class TokenSettings:
    """How a bearer JWT is verified. Exactly one of the three keys is given.

    Args:
        secret: shared secret for HS256, at least 32 bytes.
        key_file: PEM file with one public key; RSA verifies RS256, P-256 verifies ES256.
            Read again when it changes.
        jwks_file: JSON Web Key Set with RSA and P-256 keys, chosen by `kid`. Read again when
            it changes, so keys are rotated by writing a new file with both.
        audience: a token must be meant for it; None takes only tokens without an audience.
        issuer: a token must come from it; None takes any.
        leeway_seconds: clock skew allowed on `exp`, `nbf` and `iat`.
        claims: claim name of each part of the identity, as `{"tenant": "org"}`; a part that
            is not listed is in the claim of its own name. A name that the token lacks is
            looked up as a path, as `realm_access.roles`.
    """

    secret: str | None = field(default=None, repr=False)
    key_file: Path | None = None
    jwks_file: Path | None = None
    audience: str | None = None
    issuer: str | None = None
    leeway_seconds: float = 30.0
    claims: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        given = [key for key in (self.secret, self.key_file, self.jwks_file) if key is not None]
        if len(given) != 1:
            raise InvalidConfiguration(
                f"{len(given)} token keys are set; a server takes exactly one of a secret, a key "
                "file and a JWKS file",
                field="jwt",
            )
        if self.secret is not None and len(self.secret.encode()) < SHORTEST_SECRET_BYTES:
            raise InvalidConfiguration(
                f"the token secret has {len(self.secret.encode())} bytes; HS256 takes at least "
                f"{SHORTEST_SECRET_BYTES}",
                field="jwt_secret",
                limit=SHORTEST_SECRET_BYTES,
            )


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """PEM files of the server, read again when they change. With `client_ca_file` every client
    shows a certificate of it."""

    certificate_file: Path
    key_file: Path
    client_ca_file: Path | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """Numbers that bound what callers can use. Passing one is an error that names it.

    Args:
        threads: calls that work at the same time.
        threads_per_tenant: of those, for one tenant, so that a slow one leaves some.
        queue: calls that wait for a thread; one more is refused with OVERLOADED.
        queue_per_tenant: of those, for one tenant.
        imports: imports that work at the same time, on threads of their own.
        uploads: archives that are being received, and of one tenant.
        upload_idle_seconds: that a client may let pass between two parts of an archive.
        rate_per_tenant: calls a second that one tenant may make; None for no limit.
        burst_per_tenant: calls that one tenant may make at once above its rate.
        message_bytes: of one message, in and out. Clients have a limit of their own for what
            they receive, of 4 MiB unless they set `grpc.max_receive_message_length`.
        archive_bytes: of one PackImport stream.
        chunk_bytes: of one message of ArtifactGet and SkillExport.
    """

    threads: int = 8
    threads_per_tenant: int = 6
    queue: int = 4_096
    queue_per_tenant: int = 2_048
    imports: int = 2
    imports_per_tenant: int = 1
    uploads: int = 8
    uploads_per_tenant: int = 4
    upload_idle_seconds: float = 60.0
    rate_per_tenant: float | None = None
    burst_per_tenant: int = 100
    message_bytes: int = 4 * MEBIBYTE
    archive_bytes: int = 256 * MEBIBYTE
    chunk_bytes: int = 64 * 1024


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """One server.

    Args:
        host: an address or name to listen on; without TLS a loopback one.
        port: 0 takes a free one, which is announced.
        tokens: how callers are verified; or else
        insecure_identity: callers say who they are in metadata; on loopback only.
        allow_plaintext: listen without TLS on an address that is not loopback, for a proxy
            or mesh that brings its own.
        lame_duck_seconds: between saying NOT_SERVING and refusing new calls.
        grace_seconds: what calls in flight have to finish in when the server stops.
        workers: processes that share the port; this server is one of them.
        metrics_port: of Prometheus on `metrics_host`; None serves none.
        tracing: send OpenTelemetry spans as the OTEL_* variables say (extra `telemetry`).
        log_level: debug, info, warning or error. Queries are readable at debug only.
    """

    host: str = "127.0.0.1"
    port: int = 50051
    tokens: TokenSettings | None = None
    insecure_identity: bool = False
    tls: TlsSettings | None = None
    allow_plaintext: bool = False
    limits: Limits = Limits()
    lame_duck_seconds: float = 0.5
    grace_seconds: float = 30.0
    workers: int = 1
    metrics_host: str = "127.0.0.1"
    metrics_port: int | None = None
    tracing: bool = False
    log_level: str = "info"

    def __post_init__(self) -> None:
        if (self.tokens is None) is not self.insecure_identity:
            raise InvalidConfiguration(
                "a server verifies callers by token or, on loopback, takes --insecure-identity; "
                "give exactly one of the two",
                field="identity",
            )
