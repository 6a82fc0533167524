"""`skillcatalog health`: whether a server is ready, for probes of containers and supervisors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
)


@command(OUTPUT)
def health(
    invocation: Invocation,
    address: Annotated[str, typer.Option(help="HOST:PORT of the server.")] = "127.0.0.1:50051",
    timeout: Annotated[float, typer.Option(help="Seconds to wait for the answer.")] = 2.0,
    tls_ca_file: Annotated[
        Path | None,
        typer.Option(
            help="PEM authority of the server's certificate (default: no TLS).",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
) -> ExitCode:
    """Ask a server whether it is ready. Exit code 0 when it serves, 7 when it does not."""
    import grpc
    from grpc_health.v1 import health_pb2, health_pb2_grpc

    with _channel(address, tls_ca_file) as channel:
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


def _channel(address: str, tls_ca_file: Path | None) -> grpc.Channel:
    import grpc

    if tls_ca_file is None:
        return grpc.insecure_channel(address)
    try:
        authority = tls_ca_file.read_bytes()
    except OSError as error:
        raise InvalidConfiguration(
            f"tls_ca_file cannot be read: {error.strerror}", field="tls_ca_file"
        ) from error
    return grpc.secure_channel(address, grpc.ssl_channel_credentials(authority))
