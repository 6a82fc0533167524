"""The keys that bearer tokens are verified with, read again when their file changes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jwt
import structlog
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from catalog.errors import InvalidConfiguration
from server.changing_files import ChangingFiles
from server.settings import TokenSettings

_SHORTEST_RSA_BITS = 2_048

_log = structlog.get_logger("skillcatalog.server")


@dataclass(frozen=True, slots=True)
class VerificationKey:
    """A key with the one algorithm that it verifies."""

    key: Any
    algorithm: str
    key_id: str | None = None

    def fits(self, algorithm: object, key_id: object) -> bool:
        """Whether a token with this header may be verified with the key: its algorithm must
        be the key's, and where both name a key id, it must be the same."""
        if algorithm != self.algorithm:
            return False
        return key_id is None or self.key_id is None or key_id == self.key_id


class VerificationKeys:
    """The present keys. A file that changed and cannot be read leaves the earlier keys in
    force and a warning in the log.

    Raises:
        InvalidConfiguration: the file cannot be read or holds no usable key.
    """

    def __init__(
        self, settings: TokenSettings, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._settings = settings
        file = settings.key_file or settings.jwks_file
        self._files = ChangingFiles([] if file is None else [file], clock)
        self._keys = self._read()

    def current(self) -> tuple[VerificationKey, ...]:
        """The same tuple for as long as the keys are the same."""
        if self._files.changed():
            self._read_again()
        return self._keys

    def _read_again(self) -> None:
        try:
            self._keys = self._read()
        except InvalidConfiguration as error:
            _log.warning("token keys not reread, the earlier ones stay", fault=error.message)

    def _read(self) -> tuple[VerificationKey, ...]:
        if self._settings.secret is not None:
            return (VerificationKey(self._settings.secret, "HS256"),)
        if self._settings.key_file is not None:
            return (_key_of_pem(_content(self._settings.key_file, "jwt_key_file")),)
        assert self._settings.jwks_file is not None
        return _keys_of_jwks(_content(self._settings.jwks_file, "jwt_jwks_file"))


def _content(file: Path, field: str) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InvalidConfiguration(
            f"the token key file '{file.name}' cannot be read: {error.strerror}", field=field
        ) from error


def _key_of_pem(pem: bytes) -> VerificationKey:
    try:
        key = load_pem_public_key(pem)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise InvalidConfiguration(
            "the token key file holds no PEM public key", field="jwt_key_file"
        ) from error
    algorithm = _algorithm_of(key)
    if algorithm is None:
        raise InvalidConfiguration(
            f"the token key is neither RSA of at least {_SHORTEST_RSA_BITS} bits nor P-256",
            field="jwt_key_file",
        )
    return VerificationKey(key, algorithm)


def _keys_of_jwks(content: bytes) -> tuple[VerificationKey, ...]:
    try:
        found = jwt.PyJWKSet.from_json(content.decode()).keys
    except (jwt.PyJWTError, ValueError, AttributeError, TypeError) as error:
        raise InvalidConfiguration(
            "the JWKS file is not a JSON Web Key Set with a usable key", field="jwt_jwks_file"
        ) from error
    keys = []
    for found_key in found:
        algorithm = _algorithm_of(found_key.key)
        if algorithm == found_key.algorithm_name and found_key.public_key_use in (None, "sig"):
            keys.append(VerificationKey(found_key.key, algorithm, found_key.key_id))
    if not keys:
        raise InvalidConfiguration(
            "the JWKS file holds no RSA or P-256 key for signatures", field="jwt_jwks_file"
        )
    return tuple(keys)


def _algorithm_of(key: object) -> str | None:
    if isinstance(key, RSAPublicKey) and key.key_size >= _SHORTEST_RSA_BITS:
        return "RS256"
    if isinstance(key, EllipticCurvePublicKey) and isinstance(key.curve, SECP256R1):
        return "ES256"
    return None
