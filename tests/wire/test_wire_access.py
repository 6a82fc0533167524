"""Every RPC of the descriptor is closed to those who were not let in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from conftest import Refused, Wire, caller, refusal
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from catalog.errors import RoleRequired
from catalog.identity import Identity, Role
from server.access import ROLES, require_access
from skillcatalog.v1 import skillcatalog_pb2 as pb

METHODS = {method.name: method for method in pb.DESCRIPTOR.services_by_name["SkillCatalog"].methods}


def _call(wire: Wire, rpc: str, metadata: Any) -> Refused:
    method = METHODS[rpc]
    message = GetMessageClass(method.input_type)()
    request: Any = iter([message]) if method.client_streaming else message
    with refusal() as gave:
        answer = getattr(wire.stub, rpc)(request, metadata=metadata)
        if isinstance(answer, Iterator):
            list(answer)
    return gave()


@pytest.mark.parametrize("rpc", METHODS)
@pytest.mark.parametrize(
    "metadata", [(), caller()[1:], caller(tenant=" "), (("authorization", "Bearer x.y.z"),)]
)
def test_nobody_gets_in_without_an_identity(wire: Wire, rpc: str, metadata: Any) -> None:
    found = _call(wire, rpc, metadata)
    assert (found.code, found.reason) == ("UNAUTHENTICATED", "IDENTITY_REQUIRED")


@pytest.mark.parametrize("rpc", METHODS)
def test_nobody_gets_in_without_a_role(wire: Wire, rpc: str) -> None:
    found = _call(wire, rpc, caller(roles="reader" if Role.READER not in ROLES[rpc] else "author"))
    assert (found.code, found.reason) == ("PERMISSION_DENIED", "ROLE_REQUIRED")


def test_every_rpc_has_a_row_in_the_table_of_roles() -> None:
    assert set(ROLES) == set(METHODS)


def test_an_rpc_without_a_row_is_denied_to_the_admin_too() -> None:
    with pytest.raises(RoleRequired):
        require_access("SkillForget", Identity("t", "u", "s", roles=frozenset(Role)))


def test_health_and_reflection_are_open(wire: Wire) -> None:
    health = health_pb2_grpc.HealthStub(wire.channel)
    for service in ("", "skillcatalog.v1.SkillCatalog"):
        answer = health.Check(health_pb2.HealthCheckRequest(service=service))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
    reflection = reflection_pb2_grpc.ServerReflectionStub(wire.channel)
    listed = next(
        reflection.ServerReflectionInfo(
            iter([reflection_pb2.ServerReflectionRequest(list_services="")])
        )
    )
    names = {service.name for service in listed.list_services_response.service}
    assert "skillcatalog.v1.SkillCatalog" in names


def test_an_unknown_method_is_unimplemented(wire: Wire) -> None:
    call = wire.channel.unary_unary("/skillcatalog.v1.SkillCatalog/SkillForget")
    with pytest.raises(grpc.RpcError) as caught:
        call(b"", metadata=caller(roles="admin"))
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
