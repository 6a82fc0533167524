"""Every RPC of the descriptor is closed to those who were not let in."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import grpc
import jwt
import pytest
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from catalog.access import ROLES, require_role
from catalog.errors import RoleRequired
from catalog.identity import Identity, Role
from server.call import action_of
from server.settings import TokenSettings
from skillcatalog.v1 import skillcatalog_pb2 as pb
from tests.wire.conftest import Refused, Start, Wire, caller, refused, skill_text

SECRET = "a secret that is long enough for it"
METHODS = {method.name: method for method in pb.DESCRIPTOR.services_by_name["SkillCatalog"].methods}


def _ended(wire: Wire, rpc: str, metadata: Any) -> Refused | None:
    """What an empty request was refused with, if it was."""
    method = METHODS[rpc]
    message = GetMessageClass(method.input_type)()
    request: Any = iter([message]) if method.client_streaming else message
    try:
        answer = getattr(wire.stub, rpc)(request, metadata=metadata)
        if isinstance(answer, Iterator):
            list(answer)
    except grpc.RpcError as error:
        return refused(error)
    return None


def _call(wire: Wire, rpc: str, metadata: Any) -> Refused:
    found = _ended(wire, rpc, metadata)
    assert found is not None
    return found


@pytest.mark.parametrize("rpc", METHODS)
@pytest.mark.parametrize(
    "metadata", [(), caller()[1:], caller(tenant=" "), (("authorization", "Bearer x.y.z"),)]
)
def test_nobody_gets_in_without_an_identity(wire: Wire, rpc: str, metadata: Any) -> None:
    found = _call(wire, rpc, metadata)
    assert (found.code, found.reason) == ("UNAUTHENTICATED", "IDENTITY_REQUIRED")


@pytest.mark.parametrize("rpc", METHODS)
def test_each_role_opens_what_the_table_says_and_reading_to_all(wire: Wire, rpc: str) -> None:
    accepted = ROLES[action_of(rpc)]
    for role in Role:
        found = _ended(wire, rpc, caller(roles=role))
        opens = role in accepted or role is Role.ADMIN or Role.READER in accepted
        assert (found is None or found.reason != "ROLE_REQUIRED") is opens, (rpc, role)


@pytest.mark.parametrize("rpc", METHODS)
def test_nobody_gets_in_without_a_role(start: Start, rpc: str) -> None:
    wire = start(tokens=TokenSettings(secret=SECRET))
    claims = {"tenant": "acme", "user": "ann", "session": "s1", "exp": time.time() + 60}
    token = jwt.encode({**claims, "roles": ["some-other-role"]}, SECRET)
    found = _call(wire, rpc, (("authorization", f"Bearer {token}"),))
    assert (found.code, found.reason) == ("PERMISSION_DENIED", "ROLE_REQUIRED")


def test_an_author_reads_what_it_wrote(wire: Wire) -> None:
    author = caller(roles="author")
    request = pb.SkillProposeRequest(markdown=skill_text("glaze-fix", "Repairs crawling glaze"))
    wire.stub.SkillPropose(request, metadata=author)
    assert wire.names_found("glaze-fix", author) == ["glaze-fix"]
    got = wire.stub.SkillGet(pb.SkillGetRequest(names=["glaze-fix"]), metadata=author)
    assert "Do it." in got.text


def test_every_rpc_has_a_row_in_the_table_of_roles() -> None:
    assert {action_of(rpc) for rpc in METHODS} <= set(ROLES)


def test_an_rpc_without_a_row_is_denied_to_the_admin_too() -> None:
    with pytest.raises(RoleRequired):
        require_role(Identity("t", "u", "s", roles=frozenset(Role)), action_of("SkillForget"))


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
