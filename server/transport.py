"""The port: address, TLS, message limits and what pings a client may send."""

from __future__ import annotations

import ipaddress

import grpc

from catalog.errors import InvalidConfiguration
from server.settings import ServerSettings

LEAST_MILLISECONDS_BETWEEN_PINGS = 5_000
"""Clients may send keepalive pings this often, also without a call in flight. gRPC's own
default of five minutes ends in GOAWAY `too_many_pings` for clients that ping more often."""

MESSAGES_RECEIVED_TO_BE_REFUSED = 4
"""A request up to this many times over the limit is received and refused with all details;
gRPC refuses a longer one before anybody sees it, as RESOURCE_EXHAUSTED without any."""

KEEPALIVE_MILLISECONDS = 60_000
"""The server pings a silent client after this, and gives it 20 seconds to answer."""

MOST_CALLS_NOT_YET_READ = 65_536
"""Calls that have arrived and that the server has not looked at. gRPC's own default begins to
drop them at 1,000, as CANCELLED and without a reason; here they are read and refused."""


def channel_options(settings: ServerSettings) -> list[tuple[str, int]]:
    return [
        # Two services on one port would each get some of the calls.
        ("grpc.so_reuseport", int(settings.workers > 1)),
        (
            "grpc.max_receive_message_length",
            MESSAGES_RECEIVED_TO_BE_REFUSED * settings.limits.message_bytes,
        ),
        ("grpc.max_send_message_length", settings.limits.message_bytes),
        ("grpc.server.max_pending_requests", MOST_CALLS_NOT_YET_READ),
        ("grpc.server.max_pending_requests_hard_limit", MOST_CALLS_NOT_YET_READ),
        ("grpc.http2.min_ping_interval_without_data_ms", LEAST_MILLISECONDS_BETWEEN_PINGS),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.keepalive_time_ms", KEEPALIVE_MILLISECONDS),
        ("grpc.keepalive_timeout_ms", 20_000),
    ]


def listen(server: grpc.aio.Server, settings: ServerSettings) -> int:
    """Bind the address and return its port.

    Raises:
        InvalidConfiguration: the address may not be used as configured, or is taken.
    """
    loopback = is_loopback(settings.host)
    if settings.insecure_identity and not loopback:
        raise InvalidConfiguration(
            f"--insecure-identity believes every caller, so it needs a loopback address; "
            f"'{settings.host}' is none",
            field="host",
        )
    if settings.tls is None and not loopback and not settings.allow_plaintext:
        raise InvalidConfiguration(
            f"'{settings.host}' is no loopback address and there is no TLS; give a certificate "
            "and key, or --allow-plaintext behind a proxy that brings its own",
            field="tls",
        )
    address = f"[{settings.host}]" if ":" in settings.host else settings.host
    target = f"{address}:{settings.port}"
    credentials = _credentials(settings)
    try:
        if credentials is None:
            port = server.add_insecure_port(target)
        else:
            port = server.add_secure_port(target, credentials)
    except RuntimeError as error:
        raise taken(target) from error
    if port == 0:
        raise taken(target)
    return port


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def taken(target: str) -> InvalidConfiguration:
    """The refusal to listen there."""
    return InvalidConfiguration(
        f"cannot listen on {target}: another process has the port, the address is not of this "
        "machine, or the port is not allowed",
        field="port",
    )


def _credentials(settings: ServerSettings) -> grpc.ServerCredentials | None:
    if settings.tls is None:
        return None
    # Only a server with TLS needs to load what reads certificates.
    from server.tls_certificates import TlsCertificates

    return TlsCertificates(settings.tls).credentials()
