"""Certificates of the server and its clients: shown, asked for, and replaced while it serves."""

from __future__ import annotations

import datetime
import time
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from typer.testing import CliRunner

from catalog.errors import InvalidConfiguration
from server.command_line.application import app
from server.settings import TlsSettings
from skillcatalog.v1 import skillcatalog_pb2 as pb
from skillcatalog.v1.skillcatalog_pb2_grpc import SkillCatalogStub
from tests.wire.conftest import Start, Wire, caller

SECONDS_UNTIL_SEEN = 1.1


@dataclass(frozen=True)
class Pair:
    """A certificate that signs itself, and its key, both PEM."""

    certificate: bytes
    key: bytes

    def write(self, certificate_file: Path, key_file: Path) -> None:
        certificate_file.write_bytes(self.certificate)
        key_file.write_bytes(self.key)


def pair(name: str = "localhost") -> Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    return Pair(
        certificate.public_bytes(Encoding.PEM),
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
    )


@pytest.fixture
def tls(tmp_path: Path) -> TlsSettings:
    """Files that a test writes its certificates into."""
    return TlsSettings(tmp_path / "server.pem", tmp_path / "server.key")


def serves(wire: Wire, trusted: Pair, shown: Pair | None = None) -> bool:
    """Whether a new connection that trusts, and shows, such a certificate gets an answer."""
    credentials = grpc.ssl_channel_credentials(
        trusted.certificate, shown and shown.key, shown and shown.certificate
    )
    with grpc.secure_channel(f"localhost:{wire.server.port}", credentials) as channel:
        return listed(channel)


def listed(channel: grpc.Channel) -> bool:
    try:
        SkillCatalogStub(channel).SkillList(pb.SkillListRequest(), metadata=caller(), timeout=5)
    except grpc.RpcError:
        return False
    return True


def test_a_server_that_asks_for_certificates_serves_those_who_show_one(
    start: Start, tls: TlsSettings, tmp_path: Path
) -> None:
    server, client = pair(), pair("client")
    server.write(tls.certificate_file, tls.key_file)
    (tmp_path / "clients.pem").write_bytes(client.certificate)
    wire = start(tls=TlsSettings(tls.certificate_file, tls.key_file, tmp_path / "clients.pem"))
    assert serves(wire, server, client)
    assert not serves(wire, server)
    assert not serves(wire, server, pair("client"))


def test_a_replaced_certificate_is_shown_to_new_connections_and_the_old_ones_go_on(
    start: Start, tls: TlsSettings
) -> None:
    first, second = pair(), pair()
    first.write(tls.certificate_file, tls.key_file)
    wire = start(tls=tls)
    credentials = grpc.ssl_channel_credentials(first.certificate)
    with grpc.secure_channel(f"localhost:{wire.server.port}", credentials) as open_before:
        assert listed(open_before)
        second.write(tls.certificate_file, tls.key_file)
        time.sleep(SECONDS_UNTIL_SEEN)
        assert serves(wire, second)
        assert not serves(wire, first)
        assert listed(open_before)


@pytest.mark.parametrize("half", ["another key", "no key", "nothing that is a certificate"])
def test_files_that_are_being_replaced_leave_the_earlier_ones_in_force(
    start: Start, tls: TlsSettings, half: str
) -> None:
    first, second = pair(), pair()
    first.write(tls.certificate_file, tls.key_file)
    wire = start(tls=tls)
    if half == "another key":
        tls.key_file.write_bytes(second.key)
    elif half == "no key":
        tls.key_file.unlink()
    else:
        tls.certificate_file.write_bytes(b"-----BEGIN CERTIFICATE-----\n")
    time.sleep(SECONDS_UNTIL_SEEN)
    assert serves(wire, first)
    second.write(tls.certificate_file, tls.key_file)
    time.sleep(SECONDS_UNTIL_SEEN)
    assert serves(wire, second)


def test_a_replaced_authority_decides_which_clients_are_served(
    start: Start, tls: TlsSettings, tmp_path: Path
) -> None:
    server, first, second = pair(), pair("client"), pair("client")
    server.write(tls.certificate_file, tls.key_file)
    authority = tmp_path / "clients.pem"
    authority.write_bytes(first.certificate)
    wire = start(tls=TlsSettings(tls.certificate_file, tls.key_file, authority))
    assert serves(wire, server, first)
    authority.write_bytes(second.certificate)
    time.sleep(SECONDS_UNTIL_SEEN)
    assert serves(wire, server, second)
    assert not serves(wire, server, first)


def test_a_key_of_another_certificate_is_refused_at_the_start(
    start: Start, tls: TlsSettings
) -> None:
    tls.certificate_file.write_bytes(pair().certificate)
    tls.key_file.write_bytes(pair().key)
    with pytest.raises(InvalidConfiguration) as refused:
        start(tls=tls)
    assert refused.value.metadata["field"] == "tls_key"


class TestHealthCommand:
    def asked(self, wire: Wire, folder: Path, *flags: str) -> tuple[int, str]:
        address = f"127.0.0.1:{wire.server.port}"
        paths = [str(folder / flag) if flag.endswith((".pem", ".key")) else flag for flag in flags]
        result = CliRunner().invoke(app, ["health", "--address", address, *paths])
        return result.exit_code, (result.stdout or result.stderr).strip()

    def test_it_asks_a_server_with_tls_whose_certificate_has_another_name(
        self, start: Start, tls: TlsSettings, tmp_path: Path
    ) -> None:
        pair("catalog.example.com").write(tls.certificate_file, tls.key_file)
        wire = start(tls=tls)
        named = ("--tls-server-name", "catalog.example.com")
        assert self.asked(wire, tmp_path, "--tls-ca-file", "server.pem", *named) == (0, "SERVING")
        assert self.asked(wire, tmp_path, "--tls-ca-file", "server.pem")[0] == 7
        assert self.asked(wire, tmp_path)[0] == 7

    def test_it_shows_a_certificate_to_a_server_that_asks_for_one(
        self, start: Start, tls: TlsSettings, tmp_path: Path
    ) -> None:
        pair().write(tls.certificate_file, tls.key_file)
        pair("probe").write(tmp_path / "probe.pem", tmp_path / "probe.key")
        wire = start(tls=TlsSettings(tls.certificate_file, tls.key_file, tmp_path / "probe.pem"))
        server = ("--tls-ca-file", "server.pem", "--tls-server-name", "localhost")
        shown = ("--tls-client-certificate-file", "probe.pem", "--tls-client-key-file", "probe.key")
        assert self.asked(wire, tmp_path, *server, *shown) == (0, "SERVING")
        assert self.asked(wire, tmp_path, *server)[0] == 7

    @pytest.mark.parametrize(
        "flags",
        [
            ("--tls-client-certificate-file", "probe.pem"),
            ("--tls-client-key-file", "probe.key", "--tls-ca-file", "server.pem"),
            ("--tls-server-name", "localhost"),
            ("--tls-ca-file", "absent.pem"),
        ],
    )
    def test_half_of_what_tls_needs_is_refused(
        self, start: Start, tmp_path: Path, flags: tuple[str, ...]
    ) -> None:
        code, told = self.asked(start(), tmp_path, *flags)
        assert (code, told.partition(":")[0]) == (2, "INVALID_CONFIGURATION")
