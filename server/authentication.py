"""Who calls: an `Identity` out of the metadata of a call, or a refusal.

Two ways, and a server has exactly one of them: a bearer token (`BearerTokens`), or, for a
server on a loopback address that was told to trust its callers, plain metadata
(`PlainMetadata`). Neither has a default for a part that is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from catalog.errors import IdentityRequired
from catalog.identity import MANDATORY_PARTS, OPTIONAL_PARTS, Identity, Role
from server.token_verification import TokenVerifier

KEY_PREFIX = "x-skillcatalog-"
PARTS = (*MANDATORY_PARTS, *OPTIONAL_PARTS)
ROLES_PART = "roles"
_KEYS = {f"{KEY_PREFIX}{part}": part for part in (*PARTS, ROLES_PART)}
_SCHEME = "bearer "
_SHOWN_CHARACTERS = 64

Metadata = Sequence[tuple[str, str | bytes]]


class Authentication(Protocol):
    def identity(self, metadata: Metadata) -> Identity:
        """Who calls.

        Raises:
            IdentityRequired: a part is missing, blank, repeated, disagreeing or not verified.
        """


class PlainMetadata:
    """Identity from the keys `x-skillcatalog-tenant`, `-user`, `-session`, `-project`,
    `-agent`, `-run` and `-roles` (separated by commas; reader where there are none).

    Keys are lower-case. Values that are not ASCII travel in the same key with `-bin` behind
    it, as UTF-8 bytes. A key comes once, in either form, or in both with one value. Any other
    key that begins with `x-skillcatalog-` is refused.
    """

    def identity(self, metadata: Metadata) -> Identity:
        if any(key == "authorization" for key, _ in metadata):
            raise IdentityRequired(
                "a bearer token was sent, and this server verifies none", part="authorization"
            )
        said = parts_in_metadata(metadata)
        roles = said.pop(ROLES_PART, None)
        return _identity(said, None if roles is None else _known_roles(roles.split(",")))


class BearerTokens:
    """Identity from the claims of the JWT in `authorization: Bearer …`.

    The metadata keys of `PlainMetadata` are not needed; those that come must say what the
    token says. Roles are the token's alone: names that are not roles of the catalog are
    passed over, and a token without the claim is a reader's.

    Args:
        claims: claim name by part; a part that is not in it has the claim of its own name.
    """

    def __init__(self, verifier: TokenVerifier, claims: Mapping[str, str]) -> None:
        self._verifier = verifier
        self._claims = {part: claims.get(part, part) for part in (*PARTS, ROLES_PART)}

    def identity(self, metadata: Metadata) -> Identity:
        identity = self._verifier.verified(_bearer_token(metadata), self._identity_of)
        said = parts_in_metadata(metadata)
        said.pop(ROLES_PART, None)
        for part, value in said.items():
            if value != getattr(identity, part):
                raise IdentityRequired(
                    f"identity part '{part}' of the metadata disagrees with the token", part=part
                )
        return identity

    def _identity_of(self, claims: Mapping[str, object]) -> Identity:
        said = {}
        for part in PARTS:
            value = _claim(claims, self._claims[part])
            if value is None:
                continue
            if not isinstance(value, str):
                raise IdentityRequired(f"identity part '{part}' is not a text", part=part)
            said[part] = value
        roles = _claim(claims, self._claims[ROLES_PART])
        return _identity(said, None if roles is None else _roles_of_claim(roles))


def parts_in_metadata(metadata: Metadata) -> dict[str, str]:
    """What the `x-skillcatalog-` keys say.

    Raises:
        IdentityRequired: a key is unknown or repeated, its two forms disagree, or its bytes
            are not UTF-8.
    """
    said: dict[str, str] = {}
    seen: set[str] = set()
    for key, raw in metadata:
        if not key.startswith(KEY_PREFIX):
            continue
        part = _KEYS.get(key.removesuffix("-bin"))
        if part is None:
            # A part under a misspelt name would be a part that is silently missing.
            raise IdentityRequired(
                f"metadata key '{key[:_SHOWN_CHARACTERS]}' is no part of an identity; "
                f"{KEY_PREFIX} takes {', '.join(_KEYS.values())}",
                part=key.removeprefix(KEY_PREFIX)[:_SHOWN_CHARACTERS],
            )
        if key in seen:
            raise IdentityRequired(f"identity part '{part}' is repeated", part=part)
        seen.add(key)
        value = _text(part, raw)
        if said.setdefault(part, value) != value:
            raise IdentityRequired(f"identity part '{part}' disagrees with its -bin", part=part)
    return said


def _text(part: str, raw: str | bytes) -> str:
    if isinstance(raw, str):
        return raw
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise IdentityRequired(f"identity part '{part}' is not UTF-8", part=part) from error


def _identity(said: Mapping[str, str], roles: frozenset[Role] | None) -> Identity:
    for part in MANDATORY_PARTS:
        if part not in said:
            raise IdentityRequired(f"identity part '{part}' is missing or blank", part=part)
    return Identity(
        tenant=said["tenant"],
        user=said["user"],
        session=said["session"],
        project=said.get("project"),
        agent=said.get("agent"),
        run=said.get("run"),
        roles=frozenset({Role.READER}) if roles is None else roles,
    )


def _known_roles(names: Iterable[str]) -> frozenset[Role]:
    roles = set()
    for name in names:
        try:
            roles.add(Role(name.strip()))
        except ValueError as error:
            raise IdentityRequired(
                f"identity part 'roles' takes {', '.join(Role)}, separated by commas",
                part=ROLES_PART,
            ) from error
    return frozenset(roles)


def _roles_of_claim(claim: object) -> frozenset[Role]:
    names = claim.replace(",", " ").split() if isinstance(claim, str) else claim
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise IdentityRequired("identity part 'roles' is not a list of texts", part=ROLES_PART)
    known = {role.value: role for role in Role}
    return frozenset(known[name] for name in names if name in known)


def _bearer_token(metadata: Metadata) -> str:
    values = [value for key, value in metadata if key == "authorization"]
    if len(values) != 1:
        how = "repeated" if values else "missing"
        raise IdentityRequired(f"the bearer token is {how}", part="authorization")
    (value,) = values
    if not isinstance(value, str) or not value[: len(_SCHEME)].lower() == _SCHEME:
        raise IdentityRequired("authorization is not a bearer token", part="authorization")
    return value[len(_SCHEME) :].strip()


def _claim(claims: Mapping[str, object], name: str) -> object:
    """The claim of that name, or what the name leads to as a path of names."""
    if name in claims:
        return claims[name]
    found: object = claims
    for step in name.split("."):
        if not isinstance(found, Mapping) or step not in found:
            return None
        found = found[step]
    return found
