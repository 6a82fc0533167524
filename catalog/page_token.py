"""Where a next page begins: sealed, and good only for whom it was given.

A position may be a number that counts what other tenants have, so nobody reads it; and nobody
makes one up, or brings one to another request or identity. The seal is AES-SIV (RFC 5297),
which gives equal tokens for equal pages, and numbers take eight bytes however high they are.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING

from catalog.errors import InvalidPageToken
from catalog.identity import Identity
from catalog.scope import visible_scopes

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

_POSITION_BYTES = 8


class PageTokens:
    """The tokens of one store.

    Args:
        key: of the store, 32 bytes, the same for every process that serves it.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def token(self, position: int | None, identity: Identity, request: object) -> str:
        """A token for the position, or an empty string where there is none.

        Args:
            identity: who may use it: whoever sees the same scopes.
            request: what it continues; another one that prints the same is the same.
        """
        if position is None:
            return ""
        data = position.to_bytes(_POSITION_BYTES, "big")
        sealed = self._seal().encrypt(data, [_bound(identity, request)])
        return base64.urlsafe_b64encode(sealed).decode()

    def position(self, token: str, identity: Identity, request: object) -> int | None:
        """The position of a token; None of an empty one.

        Raises:
            InvalidPageToken: this store gave no such token to this identity for this request.
        """
        if not token:
            return None
        from cryptography.exceptions import InvalidTag

        try:
            sealed = base64.b64decode(token, altchars=b"-_", validate=True)
            data = self._seal().decrypt(sealed, [_bound(identity, request)])
        except (InvalidTag, binascii.Error, ValueError) as error:
            raise InvalidPageToken(
                "page_token is not one that was given for this request and identity; "
                "repeat the same fields"
            ) from error
        return int.from_bytes(data, "big")

    def _seal(self) -> AESSIV:
        # Most processes of the command line never give a token, and this takes a while to load.
        from cryptography.hazmat.primitives.ciphers.aead import AESSIV

        return AESSIV(self._key)


def _bound(identity: Identity, request: object) -> bytes:
    return repr((visible_scopes(identity), request)).encode()
