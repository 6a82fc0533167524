"""Requests as bytes become messages here, behind the door: what is wrong with them is told as
every other fault is, which gRPC's own deserialising could not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TypeVar

from google.protobuf.message import DecodeError, Message

from catalog.errors import InvalidQuery, MessageTooLarge

M = TypeVar("M", bound=Message)


def message_of(data: bytes, kind: type[M], most_bytes: int) -> M:
    """Raises:
    MessageTooLarge: it has more than `most_bytes`.
    InvalidQuery: it is no message of that kind.
    """
    if len(data) > most_bytes:
        raise MessageTooLarge(
            f"the request has {len(data)} bytes and a message holds {most_bytes}; send an archive "
            "in smaller chunks and everything else in less text",
            needed=len(data),
            limit=most_bytes,
        )
    try:
        return kind.FromString(data)
    except DecodeError as error:
        raise InvalidQuery(f"the request is no {kind.DESCRIPTOR.name}") from error


async def messages_of(
    stream: AsyncIterator[bytes], kind: type[M], most_bytes: int
) -> AsyncIterator[M]:
    """As `message_of`, one by one."""
    async for data in stream:
        yield message_of(data, kind, most_bytes)
