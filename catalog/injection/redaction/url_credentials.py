"""Passwords in URLs, in query strings and in key=value connection strings.

Only the secret part is masked: user, host, port and the other parameters stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote

from catalog.injection.redaction.documentation_values import (
    is_documentation_value,
    is_plain_word,
)
from catalog.injection.redaction.linear_pattern import LinearPattern, Span
from catalog.injection.redaction.rule import MOST_EXAMINED
from catalog.injection.redaction.secret_shape import looks_generated

_USER_PASSWORD = LinearPattern(
    r"[A-Za-z][0-9A-Za-z+.\-]*://([^\s/?#:@\"'`<>\\,;()]*):([^\s\x1a/?#\"'`<>\\,;]+)@"
)
_PARAMETER = LinearPattern(
    r"[?&;](?:amp;)?(?:[0-9a-z_.\-]*(?:password|passwd|pwd|passphrase|secret|token|"
    r"api_?-?key|access_?-?key)|pass|pw|sig|signature|x-amz-signature|x-amz-credential|"
    r"auth|key|subscription-key)"
    r"=([^\s\x1a&#\"'`<>\\;|)\]]+)",
    ignore_case=True,
)
_DSN_PASSWORD = LinearPattern(
    r"\b(?:password|passwd|pwd|pass)[ ]?=[ ]?"
    r"(?:([^\s\x1a;\"'`<>&\\,)]+)|'([^'\n\x1a]+)')"
    r"|;[ ]?(?:password|pwd)=\{([^}\n\x1a]+)\}",
    ignore_case=True,
)
_ORACLE_PASSWORD = LinearPattern(
    r"\b(?:jdbc:oracle:\w+:|(?:sqlplus|expdp|impdp)[ \t]+(?:-\w+[ \t]+)*[\"']?)[\w$#]+/"
    r"([^\s\x1a@/\"'`<>\\]+)@",
    ignore_case=True,
)
_DSN_COMPANION = LinearPattern(
    r"\b(?:host|hostaddr|server|data source|user|uid|user id|username|dbname|database|"
    r"initial catalog|port|ssl|abortconnect|provider|driver)[ ]?=[ ]?[^\s=]",
    ignore_case=True,
)
_VAGUE_NAMES = frozenset(("sig", "signature", "auth", "key", "x-amz-credential"))
_LONGEST_SYMBOL = 5  # of a currency: fromToken=USDC
_SURROUNDING = 160


class UrlCredentialsRule:
    entity = "CREDENTIAL"
    patterns = (_USER_PASSWORD, _PARAMETER, _DSN_PASSWORD, _ORACLE_PASSWORD)

    def spans(self, text: str) -> Iterator[Span]:
        if "://" in text and "@" in text:
            for position, (_, user, (start, end)) in enumerate(_USER_PASSWORD.matches(text)):
                if position >= MOST_EXAMINED or _is_url_password(
                    text[slice(*user)], text[start:end]
                ):
                    yield start, end
        for position, ((begin, _), (start, end)) in enumerate(_PARAMETER.matches(text)):
            if position >= MOST_EXAMINED:
                yield start, end
                continue
            value = text[start:end].rstrip(".,!")
            name = text[begin : start - 1].lower().lstrip("?&;").removeprefix("amp;")
            if _is_parameter_secret(name, value):
                yield start, start + len(value)
        for position, (_, (start, end)) in enumerate(_ORACLE_PASSWORD.matches(text)):
            if position >= MOST_EXAMINED or _is_no_stand_in(text[start:end]):
                yield start, end
        for position, (whole, *values) in enumerate(_DSN_PASSWORD.matches(text)):
            start, end = max(values)  # the other ones are NOT_MATCHED
            if position >= MOST_EXAMINED or (
                _is_no_stand_in(text[start:end]) and _has_companion(text, whole)
            ):
                yield start, end


def _is_url_password(user: str, password: str) -> bool:
    return _is_no_stand_in(unquote(password)) and password != user and "{" not in password


def _is_parameter_secret(name: str, value: str) -> bool:
    if name.endswith("token") and value.isalpha() and len(value) <= _LONGEST_SYMBOL:
        return False
    return looks_generated(value) if name in _VAGUE_NAMES else _is_no_stand_in(value)


def _is_no_stand_in(value: str) -> bool:
    return not (is_documentation_value(value) or is_plain_word(value))


def _has_companion(text: str, assignment: tuple[int, int]) -> bool:
    start, end = assignment
    before = text[max(0, start - _SURROUNDING) : start]
    after = text[end : end + _SURROUNDING]
    line = before[before.rfind("\n") + 1 :] + " " + after.partition("\n")[0]
    return "(" not in line and _DSN_COMPANION.found_in(line)
