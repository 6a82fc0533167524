"""Every RPC of the descriptor behind one door: identity, role, rate, work, answer, traces.

The descriptor is walked, not a list of methods: an RPC whose action is not in the table of
roles is refused for everybody, and one that the service does not have is UNIMPLEMENTED for those
who may call it. Unary and streaming calls pass the same lines.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import grpc
import structlog
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from catalog.access import require_role
from catalog.errors import (
    IdentityRequired,
    MessageTooLarge,
    Overloaded,
    RoleRequired,
    SkillCatalogError,
    StoreUnavailable,
)
from catalog.identity import Identity
from server.authentication import Authentication
from server.call import Call, action_of, new_request_id
from server.incoming import message_of, messages_of
from server.metrics import Metrics
from server.refusals import RefusalAudit
from server.settings import Limits
from server.token_bucket import TokenBuckets
from server.tracing import Tracing
from server.translation import WireError, internal_error, not_built, wire_error

Context = Any  # grpc.aio.ServicerContext, generic over messages that this file does not know
Handler = Callable[[Any, Context], Awaitable[bytes | None]]

_log = structlog.get_logger("skillcatalog.server")


class Endpoints:
    """The handlers of a service.

    Args:
        methods: the service's own methods by name of their RPC: `async def (request, call)`
            for one answer, an async generator for a stream of them. An answer is a message
            or its bytes.
        store_failed: told when a call found the store unavailable.
    """

    def __init__(
        self,
        service: ServiceDescriptor,
        methods: object,
        *,
        authentication: Authentication,
        limits: Limits,
        refusals: RefusalAudit,
        metrics: Metrics,
        tracing: Tracing,
        store_failed: Callable[[], None],
    ) -> None:
        self._service = service
        self._methods = methods
        self._authentication = authentication
        self._limits = limits
        self._refusals = refusals
        self._metrics = metrics
        self._tracing = tracing
        self._store_failed = store_failed
        self._rates = (
            None
            if limits.rate_per_tenant is None
            else TokenBuckets(limits.rate_per_tenant, limits.burst_per_tenant)
        )
        self.in_flight = 0
        self._idle = asyncio.Event()
        self._idle.set()

    def generic_handler(self) -> grpc.GenericRpcHandler[Any, Any]:
        return grpc.method_handlers_generic_handler(
            self._service.full_name,
            {method.name: self._rpc_handler(method) for method in self._service.methods},
        )

    async def idle(self) -> None:
        """Returns when no call is in flight."""
        await self._idle.wait()

    def _rpc_handler(self, method: MethodDescriptor) -> grpc.RpcMethodHandler[Any, Any]:
        kinds = {
            (False, False): grpc.unary_unary_rpc_method_handler,
            (False, True): grpc.unary_stream_rpc_method_handler,
            (True, False): grpc.stream_unary_rpc_method_handler,
            (True, True): grpc.stream_stream_rpc_method_handler,
        }
        wrap: Any = kinds[method.client_streaming, method.server_streaming]
        # Both ways as bytes: of answers the size is known before they are sent, and what is
        # wrong with a request is told in our own words.
        handler: grpc.RpcMethodHandler[Any, Any] = wrap(
            self._handler(method),
            request_deserializer=None,
            response_serializer=None,
        )
        return handler

    def _handler(self, method: MethodDescriptor) -> Handler:
        rpc = method.name
        behaviour = getattr(self._methods, rpc, None)
        streams = method.server_streaming
        kind = GetMessageClass(method.input_type)
        read = messages_of if method.client_streaming else message_of
        most_bytes = self._limits.message_bytes

        async def handle(sent: Any, context: Context) -> bytes | None:
            arrival = _Arrival(rpc, context, new_request_id(), time.perf_counter())
            metadata = context.invocation_metadata() or ()
            span = self._tracing.begin(rpc, metadata)
            self.in_flight += 1
            self._idle.clear()
            refusal: WireError | None = None
            answer: bytes | None = None
            ended = _Ended("CANCELLED", 1)
            try:
                call = self._admitted(arrival, metadata)
                arrival.call = call
                if behaviour is None:
                    refusal = not_built(rpc, arrival.request_id)
                    ended = _refused(refusal)
                else:
                    working = behaviour(read(sent, kind, most_bytes), call)
                    if streams:
                        await self._stream(working, context)
                    else:
                        answer = self._sized(await working)
                    ended = _OK
            except SkillCatalogError as error:
                refusal = self._refusal(error, arrival)
                ended = _refused(refusal, error.reason)
            except asyncio.CancelledError:
                if arrival.call is not None:
                    arrival.call.abandoned = True
                raise
            except Exception:  # noqa: BLE001 - the edge: a caller gets an id, the log the cause
                _log.exception("request failed", rpc=rpc, request_id=arrival.request_id)
                refusal = internal_error(arrival.request_id)
                ended = _refused(refusal)
            finally:
                span.end(ended.number, ended.reason)
                self._leave(arrival, ended)
            if refusal is not None:
                await context.abort(refusal.code, refusal.message, refusal.trailing_metadata)
            return answer

        return handle

    def _admitted(self, arrival: _Arrival, metadata: Any) -> Call:
        """Raises:
        IdentityRequired, RoleRequired: the caller may not call this.
        Overloaded: its tenant calls more often than it may.
        """
        identity = self._authentication.identity(metadata)
        arrival.identity = identity
        try:
            require_role(identity, action_of(arrival.rpc))
        except RoleRequired as error:
            self._refusals.record(identity, action_of(arrival.rpc), error, arrival.request_id)
            raise
        if self._rates is not None and not self._rates.take(identity.tenant):
            raise Overloaded(
                f"the tenant calls more often than {self._limits.rate_per_tenant:g} times a "
                "second; try again later",
                rate_per_tenant=str(self._limits.rate_per_tenant),
                burst_per_tenant=self._limits.burst_per_tenant,
            )
        left = arrival.context.time_remaining()
        deadline = None if left is None else time.monotonic() + left
        return Call(arrival.rpc, identity, arrival.request_id, deadline)

    async def _stream(self, answers: AsyncIterator[Message], context: Context) -> None:
        async with aclosing(answers):  # type: ignore[type-var]
            async for answer in answers:
                await context.write(self._sized(answer))

    def _sized(self, answer: Message | bytes) -> bytes:
        """Raises:
        MessageTooLarge: no client that keeps to the limit could receive it.
        """
        data = answer if isinstance(answer, bytes) else answer.SerializeToString()
        if len(data) > self._limits.message_bytes:
            raise MessageTooLarge(
                f"the answer has {len(data)} bytes and a message holds "
                f"{self._limits.message_bytes}; ask for less with max_tokens, sections or a "
                "smaller page, or raise the limit on both ends",
                needed=len(data),
                limit=self._limits.message_bytes,
            )
        return data

    def _refusal(self, error: SkillCatalogError, arrival: _Arrival) -> WireError:
        if isinstance(error, IdentityRequired):
            self._refusals.record(
                arrival.identity, action_of(arrival.rpc), error, arrival.request_id
            )
        elif not isinstance(error, RoleRequired):
            self._metrics.refused(error.reason)
        if isinstance(error, StoreUnavailable):
            self._store_failed()
            _log.error("store unavailable", request_id=arrival.request_id, fault=error.message)
        return wire_error(error, arrival.request_id)

    def _leave(self, arrival: _Arrival, ended: _Ended) -> None:
        self.in_flight -= 1
        if not self.in_flight:
            self._idle.set()
        seconds = time.perf_counter() - arrival.began
        self._metrics.call_ended(arrival.rpc, ended.code, seconds)
        call = arrival.call
        _log.info(
            "call",
            rpc=arrival.rpc,
            code=ended.code,
            reason=ended.reason,
            milliseconds=round(seconds * 1000, 3),
            request_id=arrival.request_id,
            tenant=call.identity.tenant if call else "",
            **(call.note if call else {}),
        )


@dataclass(slots=True)
class _Arrival:
    """What is known of a call before it is known who calls."""

    rpc: str
    context: Context
    request_id: str
    began: float
    identity: Identity | None = None
    call: Call | None = None


@dataclass(frozen=True, slots=True)
class _Ended:
    code: str
    number: int
    reason: str = ""


_OK = _Ended("OK", 0)


def _refused(refusal: WireError, reason: str = "") -> _Ended:
    return _Ended(refusal.code.name, refusal.code.value[0], reason)
