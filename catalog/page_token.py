"""Where a next page begins: opaque to callers, bound to the request that it continues."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from typing import Any

from catalog.errors import InvalidPageToken

_DIGEST_CHARACTERS = 16


def page_token(position: list[Any], request: object) -> str:
    """A token for `position`, good only for an equal request."""
    text = json.dumps([_digest(request), *position], ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def page_position(token: str, request: object, shape: tuple[type, ...]) -> list[Any]:
    """The position of a token, its parts of the types of `shape`.

    Raises:
        InvalidPageToken: it is no token of this service, or of another request.
    """
    try:
        padded = token + "=" * (-len(token) % 4)
        parts = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        digest: str = parts[0]
        position: list[Any] = parts[1:]
    except (binascii.Error, ValueError, TypeError, LookupError) as error:
        raise InvalidPageToken("page_token is not one that this service gave") from error
    if digest != _digest(request):
        raise InvalidPageToken("page_token belongs to another request; repeat the same fields")
    if len(position) != len(shape) or any(
        type(part) is not wanted for part, wanted in zip(position, shape, strict=True)
    ):
        raise InvalidPageToken("page_token is not one that this service gave")
    return position


def _digest(request: object) -> str:
    return hashlib.sha256(repr(request).encode()).hexdigest()[:_DIGEST_CHARACTERS]
