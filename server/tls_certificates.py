"""What the server shows and asks for in a TLS handshake, read again when its files change."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import structlog
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
)
from cryptography.x509 import load_pem_x509_certificates

from catalog.errors import InvalidConfiguration
from server.changing_files import ChangingFiles
from server.settings import TlsSettings

_log = structlog.get_logger("skillcatalog.server")


class TlsCertificates:
    """The present certificate with its key and, for mutual TLS, the clients' authority.

    Every handshake has the files as they are; connections that are there go on. Files that
    changed and cannot be used leave the earlier ones in force and a warning in the log: a
    certificate is written before or after its key, never with it.

    Raises:
        InvalidConfiguration: a file cannot be read or holds something else, or the key is not
            the certificate's.
    """

    def __init__(self, settings: TlsSettings, clock: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        files = (settings.certificate_file, settings.key_file, settings.client_ca_file)
        self._files = ChangingFiles([file for file in files if file is not None], clock)
        self._first = self._read()

    def credentials(self) -> grpc.ServerCredentials:
        return grpc.dynamic_ssl_server_credentials(
            self._first,
            self.changed,  # type: ignore[arg-type] # None is one of the answers it takes
            require_client_authentication=self._settings.client_ca_file is not None,
        )

    def changed(self) -> grpc.ServerCertificateConfiguration | None:
        """What to use from now on; None where that is what was used before."""
        if not self._files.changed():
            return None
        try:
            present = self._read()
        except InvalidConfiguration as error:
            _log.warning("TLS files not reread, the earlier ones stay", fault=error.message)
            return None
        _log.info("TLS files reread")
        return present

    def _read(self) -> grpc.ServerCertificateConfiguration:
        settings = self._settings
        certificate = _content(settings.certificate_file, "tls_certificate")
        key = _content(settings.key_file, "tls_key")
        if _encoded(_public_key_of_certificate(certificate, "tls_certificate")) != _encoded(
            _public_key_of_private(key)
        ):
            raise InvalidConfiguration("the TLS key is not the certificate's", field="tls_key")
        authority = None
        if settings.client_ca_file is not None:
            authority = _content(settings.client_ca_file, "tls_client_ca")
            _public_key_of_certificate(authority, "tls_client_ca")
        return grpc.ssl_server_certificate_configuration([(key, certificate)], authority)


def _content(file: Path, field: str) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InvalidConfiguration(
            f"the file '{file.name}' cannot be read: {error.strerror}", field=field
        ) from error


def _public_key_of_certificate(pem: bytes, field: str) -> Any:
    """Of the first one: those behind it lead to its authority."""
    try:
        return load_pem_x509_certificates(pem)[0].public_key()
    except (ValueError, UnsupportedAlgorithm) as error:
        raise InvalidConfiguration(f"{field}_file holds no PEM certificate", field=field) from error


def _public_key_of_private(pem: bytes) -> Any:
    try:
        return load_pem_private_key(pem, password=None).public_key()
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise InvalidConfiguration(
            "tls_key_file holds no PEM private key without a password", field="tls_key"
        ) from error


def _encoded(key: Any) -> bytes:
    return bytes(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))
