"""Who calls: verified, or refused, and never the last one who said something."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import grpc
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from catalog.errors import IdentityRequired, InvalidConfiguration
from catalog.identity import Identity, Role
from server.authentication import BearerTokens, PlainMetadata
from server.settings import TokenSettings
from server.token_verification import TokenVerifier
from server.verification_keys import VerificationKeys
from skillcatalog.v1 import skillcatalog_pb2 as pb
from tests.wire.conftest import Start, caller, refusal

SECRET = "a secret that is long enough for it"
RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC_KEY = ec.generate_private_key(ec.SECP256R1())
CLAIMS = {"tenant": "acme", "user": "ann", "session": "s1", "roles": ["author"]}


def token(
    key: Any = SECRET, algorithm: str = "HS256", kid: str | None = None, **claims: Any
) -> str:
    said = {"exp": time.time() + 60} | CLAIMS | claims
    said = {name: value for name, value in said.items() if value is not None}
    return jwt.encode(said, key, algorithm, headers={"kid": kid} if kid else None)


def pem(key: Any) -> bytes:
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def tokens(now: list[float] | None = None, **settings: Any) -> BearerTokens:
    if not settings.keys() & {"secret", "key_file", "jwks_file"}:
        settings["secret"] = SECRET
    made = TokenSettings(**settings)
    clock = (lambda: now[0]) if now else time.monotonic
    return BearerTokens(TokenVerifier(made, VerificationKeys(made, clock)), made.claims)


def sent(value: str, *more: tuple[str, str | bytes]) -> tuple[tuple[str, str | bytes], ...]:
    return (("authorization", f"Bearer {value}"), *more)


@pytest.fixture
def jwks(tmp_path: Path) -> Path:
    def entry(kid: str, key: Any, algorithm: Any) -> dict[str, Any]:
        return json.loads(algorithm.to_jwk(key.public_key())) | {"kid": kid, "use": "sig"}

    file = tmp_path / "jwks.json"
    keys = [
        entry("r1", RSA_KEY, jwt.algorithms.RSAAlgorithm),
        entry("e1", EC_KEY, jwt.algorithms.ECAlgorithm),
    ]
    file.write_text(json.dumps({"keys": keys}))
    return file


class TestPlainMetadata:
    def test_every_part_is_read(self) -> None:
        said = caller(project="apollo", agent="planner", run="r1", roles="author, admin")
        assert PlainMetadata().identity(said) == Identity(
            "acme", "ann", "s1", "apollo", "planner", "r1", frozenset({Role.AUTHOR, Role.ADMIN})
        )

    def test_nobody_is_more_than_a_reader_who_does_not_say_so(self) -> None:
        said = [pair for pair in caller() if not pair[0].endswith("roles")]
        assert PlainMetadata().identity(said).roles == {Role.READER}

    @pytest.mark.parametrize(
        "said",
        {
            "missing": caller()[1:],
            "blank": caller(tenant=" "),
            "empty": caller(tenant=""),
            "too long": caller(tenant="x" * 129),
            "repeated": (*caller(), ("x-skillcatalog-tenant", "other")),
            "repeated with the same value": (*caller(), ("x-skillcatalog-tenant", "acme")),
            "disagreeing with its bytes": (*caller(), ("x-skillcatalog-tenant-bin", b"other")),
            "bytes that are not UTF-8": (*caller()[1:], ("x-skillcatalog-tenant-bin", b"\xff")),
            "repeated bytes": (
                *caller()[1:],
                ("x-skillcatalog-tenant-bin", b"a"),
                ("x-skillcatalog-tenant-bin", b"b"),
            ),
            "a control character": (*caller()[1:], ("x-skillcatalog-tenant-bin", b"a\x00b")),
            "an unknown role": caller(roles="root"),
            "repeated roles": (*caller(), ("x-skillcatalog-roles", "admin")),
            "an unknown key": (*caller(), ("x-skillcatalog-projekt", "apollo")),
            "an unknown key of bytes": (*caller(), ("x-skillcatalog-projekt-bin", b"apollo")),
            "a token that nobody verifies": (*caller(), ("authorization", "Bearer x")),
        }.items(),
        ids=lambda case: case[0],
    )
    def test_is_refused(self, said: Any) -> None:
        with pytest.raises(IdentityRequired):
            PlainMetadata().identity(said[1])

    def test_a_misspelt_key_is_named(self) -> None:
        said = (*caller()[:1], ("x-skillcatalog-usr", "ann"), *caller()[2:])
        with pytest.raises(IdentityRequired, match="'x-skillcatalog-usr' is no part") as refused:
            PlainMetadata().identity(said)
        assert refused.value.metadata == {"part": "usr"}

    def test_both_forms_of_a_key_may_agree(self) -> None:
        said = (*caller(), ("x-skillcatalog-tenant-bin", b"acme"))
        assert PlainMetadata().identity(said).tenant == "acme"


class TestBearerTokens:
    def test_the_claims_are_the_identity(self) -> None:
        said = token(project="apollo", run="r1")
        assert tokens().identity(sent(said)) == Identity(
            "acme", "ann", "s1", "apollo", None, "r1", frozenset({Role.AUTHOR})
        )

    def test_claims_may_have_other_names_and_lie_deeper(self) -> None:
        said = token(
            tenant=None, roles=None, org="globex", realm_access={"roles": ["admin", "offline"]}
        )
        claims = {"tenant": "org", "roles": "realm_access.roles"}
        identity = tokens(claims=claims).identity(sent(said))
        assert (identity.tenant, identity.roles) == ("globex", {Role.ADMIN})

    def test_an_unknown_key_beside_a_token_is_refused(self) -> None:
        with pytest.raises(IdentityRequired, match="x-skillcatalog-projekt"):
            tokens().identity(sent(token(), ("x-skillcatalog-projekt", "apollo")))

    def test_metadata_that_agrees_is_welcome_and_its_roles_count_for_nothing(self) -> None:
        identity = tokens().identity(sent(token(), *caller(roles="admin")))
        assert identity.roles == {Role.AUTHOR}

    @pytest.mark.parametrize(
        "said",
        {
            "no token": caller(),
            "another scheme": (("authorization", "Basic YTpi"),),
            "two tokens": (*sent(token()), *sent(token())),
            "nonsense": sent("a.b.c"),
            "an expired one": sent(token(exp=time.time() - 100)),
            "one without an end": sent(token(exp=None)),
            "one from the future": sent(token(nbf=time.time() + 100)),
            "another secret": sent(token("another secret that is long enough too")),
            "no signature": sent(
                jwt.encode({"exp": time.time() + 60, **CLAIMS}, None, algorithm="none")
            ),
            "another algorithm": sent(token(SECRET * 2, "HS512")),
            "an audience that was not asked for": sent(token(aud="else")),
            "no tenant": sent(token(tenant=None)),
            "a blank tenant": sent(token(tenant=" ")),
            "a number for a tenant": sent(token(tenant=7)),
            "roles that are no list": sent(token(roles={"admin": True})),
            "metadata of another tenant": sent(token(), *caller(tenant="globex")),
            "metadata of a project that the token lacks": sent(token(), *caller(project="x")),
        }.items(),
        ids=lambda case: case[0],
    )
    def test_is_refused(self, said: Any) -> None:
        with pytest.raises(IdentityRequired) as caught:
            tokens().identity(said[1])
        assert SECRET not in caught.value.message

    def test_the_clock_may_be_off_by_the_leeway(self) -> None:
        late = sent(token(exp=time.time() - 10))
        assert tokens(leeway_seconds=30).identity(late)
        with pytest.raises(IdentityRequired, match="expired"):
            tokens(leeway_seconds=5).identity(late)

    def test_audience_and_issuer_are_demanded_when_they_are_set(self) -> None:
        strict = tokens(audience="catalog", issuer="https://id.example")
        assert strict.identity(sent(token(aud="catalog", iss="https://id.example")))
        for claims in ({"aud": "catalog"}, {"aud": "x", "iss": "https://id.example"}, {}):
            with pytest.raises(IdentityRequired):
                strict.identity(sent(token(**claims)))

    def test_a_remembered_token_still_expires(self) -> None:
        now = [1000.0]
        made = TokenSettings(secret=SECRET, leeway_seconds=0)
        verifier = TokenVerifier(made, VerificationKeys(made), lambda: now[0])
        bearer = BearerTokens(verifier, {})
        said = sent(token(exp=time.time() + 1))
        bearer.identity(said)
        now[0] = time.time() + 2
        time.sleep(1.1)
        with pytest.raises(IdentityRequired, match="expired"):
            bearer.identity(said)

    def test_a_public_key_file_verifies_its_own_algorithm_only(self, tmp_path: Path) -> None:
        file = tmp_path / "key.pem"
        file.write_bytes(pem(RSA_KEY))
        bearer = tokens(key_file=file)
        assert bearer.identity(sent(token(RSA_KEY, "RS256")))
        for other in (
            token(OTHER_RSA_KEY, "RS256"),
            token(RSA_KEY, "RS512"),
            token(EC_KEY, "ES256"),
        ):
            with pytest.raises(IdentityRequired):
                bearer.identity(sent(other))

    def test_a_public_key_is_no_secret_for_hs256(self, tmp_path: Path) -> None:
        file = tmp_path / "key.pem"
        file.write_bytes(pem(RSA_KEY))
        forged = _hs256_signed_with(pem(RSA_KEY))
        with pytest.raises(IdentityRequired):
            tokens(key_file=file).identity(sent(forged))

    def test_a_key_set_is_chosen_from_by_key_id(self, jwks: Path) -> None:
        bearer = tokens(jwks_file=jwks)
        assert bearer.identity(sent(token(RSA_KEY, "RS256", "r1")))
        assert bearer.identity(sent(token(EC_KEY, "ES256", "e1")))
        assert bearer.identity(sent(token(EC_KEY, "ES256")))
        with pytest.raises(IdentityRequired):
            bearer.identity(sent(token(RSA_KEY, "RS256", "unknown")))

    def test_a_rotated_key_counts_at_once_and_the_old_one_no_more(self, tmp_path: Path) -> None:
        file, now = tmp_path / "key.pem", [0.0]
        file.write_bytes(pem(RSA_KEY))
        bearer = tokens(now, key_file=file)
        old, new = sent(token(RSA_KEY, "RS256")), sent(token(OTHER_RSA_KEY, "RS256"))
        assert bearer.identity(old)
        file.write_bytes(pem(OTHER_RSA_KEY))
        os.utime(file, ns=(1, 1))
        now[0] = 5
        assert bearer.identity(new)
        with pytest.raises(IdentityRequired):
            bearer.identity(old)

    def test_a_half_written_key_file_leaves_the_earlier_key_in_force(self, tmp_path: Path) -> None:
        file, now = tmp_path / "key.pem", [0.0]
        file.write_bytes(pem(RSA_KEY))
        bearer = tokens(now, key_file=file)
        file.write_bytes(pem(RSA_KEY)[:50])
        now[0] = 5
        assert bearer.identity(sent(token(RSA_KEY, "RS256")))


def _hs256_signed_with(key: bytes) -> str:
    import base64
    import hashlib
    import hmac

    def part(value: bytes) -> bytes:
        return base64.urlsafe_b64encode(value).rstrip(b"=")

    head = part(json.dumps({"alg": "HS256", "typ": "JWT"}).encode())
    body = part(json.dumps({"exp": time.time() + 60, **CLAIMS}).encode())
    signature = part(hmac.new(key, head + b"." + body, hashlib.sha256).digest())
    return b".".join((head, body, signature)).decode()


class TestSettings:
    @pytest.mark.parametrize("settings", [{}, {"secret": SECRET, "key_file": Path("k.pem")}])
    def test_exactly_one_key_is_needed(self, settings: dict[str, Any]) -> None:
        with pytest.raises(InvalidConfiguration):
            TokenSettings(**settings)

    def test_a_short_secret_is_refused(self) -> None:
        with pytest.raises(InvalidConfiguration, match="32"):
            TokenSettings(secret="short")

    @pytest.mark.parametrize(
        "content", [b"", b"nonsense", b'{"keys": []}', b"[1]", b'{"keys": [7]}']
    )
    def test_a_key_file_that_holds_no_key_is_refused(self, tmp_path: Path, content: bytes) -> None:
        file = tmp_path / "keys"
        file.write_bytes(content)
        for settings in (TokenSettings(key_file=file), TokenSettings(jwks_file=file)):
            with pytest.raises(InvalidConfiguration):
                VerificationKeys(settings)

    def test_a_small_rsa_key_is_refused(self, tmp_path: Path) -> None:
        file = tmp_path / "small.pem"
        file.write_bytes(pem(rsa.generate_private_key(public_exponent=65537, key_size=1024)))
        with pytest.raises(InvalidConfiguration, match="2048"):
            VerificationKeys(TokenSettings(key_file=file))


def test_a_server_with_tokens_takes_them_and_nothing_else(start: Start) -> None:
    wire = start(tokens=TokenSettings(secret=SECRET))
    request = pb.SkillListRequest()
    assert wire.stub.SkillList(request, metadata=sent(token(roles=["reader"]))).request_id
    with refusal() as gave:
        wire.stub.SkillList(request, metadata=caller())
    assert gave().reason == "IDENTITY_REQUIRED"


def test_a_key_in_upper_case_fails_in_the_client_already(start: Start) -> None:
    wire = start()
    with pytest.raises((ValueError, grpc.RpcError)):
        wire.stub.SkillList(pb.SkillListRequest(), metadata=(("X-Skillcatalog-Tenant", "acme"),))


def test_a_repeated_key_is_refused_over_the_wire(start: Start) -> None:
    wire = start()
    said = (*caller(), ("x-skillcatalog-tenant", "globex"))
    with refusal() as gave:
        wire.stub.SkillList(pb.SkillListRequest(), metadata=said)
    assert gave().metadata == {"part": "tenant"}
