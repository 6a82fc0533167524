"""`skillcatalog serve`: the gRPC server on the configured store."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from server.command_line.exit_codes import ExitCode
from server.command_line.invocation import OUTPUT, STORE, Invocation, command
from server.command_line.output import Format, print_json, print_text

EXAMPLES = (
    "skillcatalog serve --insecure-identity",
    "skillcatalog serve --host 0.0.0.0 --jwt-jwks-file jwks.json --jwt-audience skillcatalog "
    "--tls-certificate-file cert.pem --tls-key-file key.pem",
    "SKILLCATALOG_JWT_SECRET=… skillcatalog serve --workers 4 --metrics-port 9464",
)

_CALLERS = "Who may call"


def _file(help: str) -> object:
    return typer.Option(help=help, metavar="FILE", rich_help_panel=_CALLERS, show_default=False)


@command({**OUTPUT, **STORE})
def serve(
    invocation: Invocation,
    host: Annotated[
        str | None, typer.Option(help="Address or name (default: 127.0.0.1).", show_default=False)
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(help="Port; 0 takes a free one (default: 50051).", show_default=False),
    ] = None,
    insecure_identity: Annotated[
        bool,
        typer.Option(
            "--insecure-identity",
            help="Callers say who they are in metadata; on loopback only.",
            rich_help_panel=_CALLERS,
        ),
    ] = False,
    jwt_key_file: Annotated[Path | None, _file("PEM public key of RS256 or ES256 tokens.")] = None,
    jwt_jwks_file: Annotated[Path | None, _file("JSON Web Key Set of tokens.")] = None,
    jwt_audience: Annotated[
        str | None,
        typer.Option(
            help="Audience that tokens must be meant for.",
            rich_help_panel=_CALLERS,
            show_default=False,
        ),
    ] = None,
    jwt_issuer: Annotated[
        str | None,
        typer.Option(
            help="Issuer that tokens must come from.", rich_help_panel=_CALLERS, show_default=False
        ),
    ] = None,
    tls_certificate_file: Annotated[Path | None, _file("PEM certificate of the server.")] = None,
    tls_key_file: Annotated[Path | None, _file("PEM private key of the server.")] = None,
    tls_client_ca_file: Annotated[
        Path | None, _file("PEM authority; clients must show a certificate of it.")
    ] = None,
    allow_plaintext: Annotated[
        bool,
        typer.Option(
            "--allow-plaintext",
            help="No TLS on an address that is not loopback, behind a proxy that has it.",
            rich_help_panel=_CALLERS,
        ),
    ] = False,
    metrics_port: Annotated[
        int | None,
        typer.Option(help="Port of the Prometheus metrics (default: none).", show_default=False),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(help="Processes that share the port (default: 1).", show_default=False),
    ] = None,
    log_level: Annotated[
        str | None,
        typer.Option(help="debug, info, warning or error (default: info).", show_default=False),
    ] = None,
) -> ExitCode:
    """Serve the catalog over gRPC until SIGTERM or Ctrl-C; then drain and stop.

    Every other setting is a variable or a key of the configuration file.
    """
    from server.configured import open_catalog, server_settings

    configuration = invocation.resolve(
        host=host,
        port=port,
        # A switch that is not given says nothing, so that the file may.
        insecure_identity=insecure_identity or None,
        jwt_key_file=jwt_key_file,
        jwt_jwks_file=jwt_jwks_file,
        jwt_audience=jwt_audience,
        jwt_issuer=jwt_issuer,
        tls_certificate_file=tls_certificate_file,
        tls_key_file=tls_key_file,
        tls_client_ca_file=tls_client_ca_file,
        allow_plaintext=allow_plaintext or None,
        metrics_port=metrics_port,
        workers=workers,
        log_level=log_level,
    ).configuration
    settings = server_settings(configuration)

    def started(port: int) -> None:
        if invocation.format is Format.JSON:
            print_json({"host": settings.host, "port": port})
        else:
            print_text(f"serving on {settings.host}:{port}")
        sys.stdout.flush()

    if settings.workers > 1:
        from server.workers import serve_with_workers

        serve_with_workers(configuration, started)
        return ExitCode.OK
    from server.serving import serve as serve_until_signalled

    # Before anybody calls: a model takes a while to load.
    catalog = open_catalog(configuration, with_embedder=True)
    try:
        serve_until_signalled(catalog, settings, started)
    finally:
        catalog.close()
    return ExitCode.OK
