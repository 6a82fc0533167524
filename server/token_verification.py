"""Verifies bearer JWTs: signature, algorithm, times, audience and issuer."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

import jwt

from catalog.errors import IdentityRequired
from catalog.identity import Identity
from server.settings import TokenSettings
from server.verification_keys import VerificationKey, VerificationKeys

_REMEMBERED_TOKENS = 4_096


class TokenVerifier:
    """Verifies a token once and remembers what it said until it expires or a key changes.

    The algorithm is the key's, never the token's choice: a token whose header names another
    (or `none`) fits no key. `exp` is required, `nbf` and `iat` hold where they come.
    """

    def __init__(
        self,
        settings: TokenSettings,
        keys: VerificationKeys,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings = settings
        self._keys = keys
        self._clock = clock
        self._known: OrderedDict[str, tuple[Identity, float]] = OrderedDict()
        self._known_with: object = None

    def verified(
        self, token: str, identity_of: Callable[[Mapping[str, object]], Identity]
    ) -> Identity:
        """What `identity_of` makes of the claims of a token that holds.

        Raises:
            IdentityRequired: it does not hold; the message says why and never quotes it.
        """
        keys = self._keys.current()
        if self._known_with is not keys:
            self._known.clear()
            self._known_with = keys
        known = self._known.get(token)
        if known is not None and self._clock() < known[1]:
            return known[0]
        claims = self._claims(token, keys)
        identity = identity_of(claims)
        self._known[token] = (identity, float(claims["exp"]) + self._settings.leeway_seconds)
        if len(self._known) > _REMEMBERED_TOKENS:
            self._known.popitem(last=False)
        return identity

    def _claims(self, token: str, keys: tuple[VerificationKey, ...]) -> dict[str, Any]:
        try:
            header = jwt.get_unverified_header(token)
        except jwt.InvalidTokenError as error:
            raise _refused("is not a JSON Web Token") from error
        fitting = [key for key in keys if key.fits(header.get("alg"), header.get("kid"))]
        if not fitting:
            raise _refused("is signed by no key of this server")
        for key in fitting:
            try:
                return jwt.decode(
                    token,
                    key.key,
                    algorithms=[key.algorithm],
                    audience=self._settings.audience,
                    issuer=self._settings.issuer,
                    leeway=self._settings.leeway_seconds,
                    options={"require": self._required()},
                )
            except jwt.InvalidSignatureError:
                continue
            except jwt.InvalidTokenError as error:
                raise _refused(_fault(error)) from error
        raise _refused("is signed by no key of this server")

    def _required(self) -> list[str]:
        required = ["exp"]
        if self._settings.audience is not None:
            required.append("aud")
        if self._settings.issuer is not None:
            required.append("iss")
        return required


def _refused(fault: str) -> IdentityRequired:
    return IdentityRequired(f"the bearer token {fault}", part="authorization")


def _fault(error: jwt.InvalidTokenError) -> str:
    if isinstance(error, jwt.MissingRequiredClaimError):
        return f"lacks the claim '{error.claim}'"
    return next((text for kind, text in _FAULTS if isinstance(error, kind)), "cannot be verified")


_FAULTS: tuple[tuple[type[jwt.InvalidTokenError], str], ...] = (
    (jwt.ExpiredSignatureError, "has expired"),
    (jwt.ImmatureSignatureError, "is not valid yet"),
    (jwt.InvalidAudienceError, "is meant for another audience"),
    (jwt.InvalidIssuerError, "comes from another issuer"),
)
