"""Errors of the catalog as gRPC statuses. The only place that knows both."""

from __future__ import annotations

from dataclasses import dataclass

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from catalog.errors import SkillCatalogError, StoreUnavailable
from catalog.injection.redaction import masked

DOMAIN = "skillcatalog"


@dataclass(frozen=True, slots=True)
class WireError:
    """What a refused call ends with."""

    code: grpc.StatusCode
    message: str
    trailing_metadata: tuple[tuple[str, str | bytes], ...]


def wire_error(error: SkillCatalogError, request_id: str) -> WireError:
    """The status of an error, with google.rpc.ErrorInfo and google.rpc.RequestInfo.

    Names, paths and texts that it quotes are masked, whatever the policy is.
    """
    # What an engine says of its fault may hold names of its machine.
    message = _STORE_UNAVAILABLE if isinstance(error, StoreUnavailable) else masked(error.message)
    info = error_details_pb2.ErrorInfo(
        reason=error.reason, domain=DOMAIN, metadata=_metadata(error)
    )
    return _status(grpc.StatusCode[error.code], message, request_id, info)


def internal_error(request_id: str) -> WireError:
    """The status of a fault of ours: its log line is found by the request id."""
    message = f"the server failed; its log has the cause under request {request_id}"
    return _status(grpc.StatusCode.INTERNAL, message, request_id, None)


def not_built(what: str, request_id: str) -> WireError:
    """The status of something that the wire has and this server does not."""
    return _status(
        grpc.StatusCode.UNIMPLEMENTED, f"{what} is not available on this server", request_id, None
    )


# A database may be lost between its commit and its word of it.
_STORE_UNAVAILABLE = "the store is not available; a change was kept whole or not at all; try again"
# Trailers hold at most 8 KiB unless both ends say otherwise, and past it the whole answer is
# lost. The message is in them twice, once with three bytes for each that is not ASCII.
_MOST_MESSAGE_BYTES = 1_000
_MOST_METADATA_BYTES = 2_000


def _cut(text: str, size: int) -> str:
    encoded = text.encode(errors="replace")
    return text if len(encoded) <= size else encoded[:size].decode(errors="ignore")


def _metadata(error: SkillCatalogError) -> dict[str, str]:
    kept: dict[str, str] = {}
    left = _MOST_METADATA_BYTES
    for key, value in error.metadata.items():
        kept[key] = _cut(masked(value), left)
        left -= len(kept[key].encode())
    return kept


def _status(
    code: grpc.StatusCode,
    message: str,
    request_id: str,
    info: error_details_pb2.ErrorInfo | None,
) -> WireError:
    details = []
    if info is not None:
        details.append(any_pb2.Any())
        details[-1].Pack(info)
    details.append(any_pb2.Any())
    details[-1].Pack(error_details_pb2.RequestInfo(request_id=request_id))
    status = rpc_status.to_status(
        status_pb2.Status(
            code=code.value[0], message=_cut(message, _MOST_MESSAGE_BYTES), details=details
        )
    )
    return WireError(status.code, status.details, tuple(status.trailing_metadata))
