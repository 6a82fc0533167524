"""Secrets in the files where programs keep them, each told by the form of its lines.

`.netrc` (`machine … login … password …`), `.pgpass` (`host:port:database:user:password`), `.npmrc`
and Docker's configuration (`_auth=…`, `//host/:_authToken=…`, `"auth": "…"`), `.htpasswd` and
`shadow` (`user:$apr1$…`; a hash without a user in front is a hash and stays), and the
configuration of Redis (`requirepass …`).
"""

from __future__ import annotations

from collections.abc import Iterator

from catalog.injection.redaction.bearer import is_user_and_password
from catalog.injection.redaction.documentation_values import is_documentation_value
from catalog.injection.redaction.linear_pattern import LinearPattern, Span
from catalog.injection.redaction.rule import MOST_EXAMINED
from catalog.injection.redaction.secret_shape import is_literal, looks_like_password

_NETRC = LinearPattern(
    r"\b(?:machine\s+[^\s<>]+|default)\s+(?:login|user)\s+([^\s<>]+)\s+"
    r"(?:account\s+[^\s<>]+\s+)?passw(?:or)?d\s+([^\s\x1a\"'`<>\\]+)"
)
_REDIS = LinearPattern(
    r"(?m)^[ \t]*(?:requirepass|masterauth|sentinel[ ]auth-pass[ ]\S+)[ ]+[\"']?"
    r"([^\s\x1a\"'`<>\\]+)[\"']?$"
)
_PGPASS = LinearPattern(
    r"(?m)(?:^|[\s\"'`])[\w.*\-]+:(\d{4,5}|\*):(?:[A-Za-z][\w\-]*|\*):(?:[A-Za-z][\w\-]*|\*):"
    r"([^\s\x1a:\"'`<>\\]+)(?:$|[\s\"'`])"
)
_REGISTRY_TOKEN = LinearPattern(
    r"//[\w.\-:/]+/:_(?:authToken|password)\s?=\s?[\"']?([^\s\x1a\"'`<>]+)"
)
_REGISTRY_AUTH = LinearPattern(
    r"(?:\b|:)_?auth[\"']?\s?[=:]\s?[\"']?([0-9A-Za-z+/]{8,}={0,2})", ignore_case=True
)
_PASSWORD_HASH = LinearPattern(
    r"\b[A-Za-z][\w.@\-]*:((?:\$(?:apr1|2[abxy]|1|5|6|7|y|argon2\w*)\$|\{S?SHA(?:256|512)?\})"
    r"[0-9A-Za-z./+=$,\-]{20,})"
)
_POSTGRESQL_PORTS = frozenset(("5432", "5433", "6432", "*"))


class CredentialFileRule:
    entity = "CREDENTIAL"
    patterns = (_NETRC, _REDIS, _PGPASS, _REGISTRY_TOKEN, _REGISTRY_AUTH, _PASSWORD_HASH)

    def spans(self, text: str) -> Iterator[Span]:
        for position, (_, user, (start, end)) in enumerate(_NETRC.matches(text)):
            password = text[start:end]
            if position >= MOST_EXAMINED or (
                is_literal(password) and password != text[slice(*user)]
            ):
                yield start, end
        for pattern, is_secret in (
            (_REDIS, is_literal),
            (_REGISTRY_TOKEN, is_literal),
            (_REGISTRY_AUTH, _is_registry_auth),
            (_PASSWORD_HASH, _is_no_stand_in),
        ):
            for position, (_, (start, end)) in enumerate(pattern.matches(text)):
                if position >= MOST_EXAMINED or is_secret(text[start:end]):
                    yield start, end
        for position, (_, port, (start, end)) in enumerate(_PGPASS.matches(text)):
            # With any other port it can be a line of a report: file, line and column, kind.
            takes = is_literal if text[slice(*port)] in _POSTGRESQL_PORTS else looks_like_password
            if position >= MOST_EXAMINED or takes(text[start:end]):
                yield start, end


def _is_registry_auth(value: str) -> bool:
    return not is_documentation_value(value) and is_user_and_password(value)


def _is_no_stand_in(value: str) -> bool:
    return not is_documentation_value(value.lstrip("${"))
