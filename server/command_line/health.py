"""`skillcatalog health`: whether a server is ready, for probes of containers and supervisors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.errors import InvalidConfiguration
from server.command_line.exit_codes import ExitCode
from server.command_line.invocation import OUTPUT, Invocation, command
from server.command_line.output import Format, print_json, print_text

if TYPE_CHECKING:
    import grpc

EXAMPLES = (
    "skillcatalog health",
    "skillcatalog health --address catalog.example.com:50051 --tls-ca-file ca.pem",
    "skillcatalog health --tls-ca-file ca.pem --tls-server-name catalog.example.com "
    "--tls-client-certificate-file probe.pem --tls-client-key-file probe.key",
)


def _file(help: str) -> Any:
    return typer.Option(help=help, metavar="FILE", show_default=False)


@command(OUTPUT)
def health(
    invocation: Invocation,
    address: Annotated[str, typer.Option(help="HOST:PORT of the server.")] = "127.0.0.1:50051",
    timeout: Annotated[float, typer.Option(help="Seconds to wait for the answer.")] = 2.0,
    tls_ca_file: Annotated[
        Path | None, _file("PEM authority of the server's certificate (default: no TLS).")
    ] = None,
    tls_client_certificate_file: Annotated[
        Path | None, _file("PEM certificate to show to a server that asks for one.")
    ] = None,
    tls_client_key_file: Annotated[Path | None, _file("PEM key of that certificate.")] = None,
    tls_server_name: Annotated[
        str,
        typer.Option(
            help="Name that the server's certificate has, where it is not the address's.",
            metavar="NAME",
            show_default=False,
        ),
    ] = "",
) -> ExitCode:
    """Ask a server whether it is ready. Exit code 0 when it serves, 7 when it does not."""
    import grpc
    from grpc_health.v1 import health_pb2, health_pb2_grpc

    identity = (tls_client_certificate_file, tls_client_key_file)
    with _channel(address, tls_ca_file, identity, tls_server_name) as channel:
        try:
            answer = health_pb2_grpc.HealthStub(channel).Check(
                health_pb2.HealthCheckRequest(), timeout=timeout
            )
        except grpc.RpcError as error:
            status = error.code().name
        else:
            status = health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)
    if invocation.format is Format.JSON:
        print_json({"address": address, "status": status})
    else:
        print_text(status)
    return ExitCode.OK if status == "SERVING" else ExitCode.UNAVAILABLE


def _channel(
    address: str,
    authority: Path | None,
    identity: tuple[Path | None, Path | None],
    server_name: str,
) -> grpc.Channel:
    import grpc

    certificate, key = identity
    if (certificate is None) is not (key is None):
        raise InvalidConfiguration(
            "tls_client_certificate_file and tls_client_key_file are given together",
            field="tls_client_certificate_file",
        )
    if authority is None:
        if certificate is not None or server_name:
            raise InvalidConfiguration(
                "TLS needs tls_ca_file, the authority of the server", field="tls_ca_file"
            )
        return grpc.insecure_channel(address)
    credentials = grpc.ssl_channel_credentials(
        _content(authority, "tls_ca_file"),
        None if key is None else _content(key, "tls_client_key_file"),
        None if certificate is None else _content(certificate, "tls_client_certificate_file"),
    )
    options = [("grpc.ssl_target_name_override", server_name)] if server_name else []
    return grpc.secure_channel(address, credentials, options)


def _content(file: Path, field: str) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InvalidConfiguration(
            f"{field} cannot be read: {error.strerror}", field=field
        ) from error
