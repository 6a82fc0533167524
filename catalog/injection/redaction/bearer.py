"""What follows the scheme in an Authorization header: bearer tokens and basic credentials."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator

from catalog.injection.redaction.documentation_values import is_documentation_value
from catalog.injection.redaction.linear_pattern import LinearPattern, Span
from catalog.injection.redaction.rule import MOST_EXAMINED
from catalog.injection.redaction.secret_shape import looks_generated, looks_like_password

_CREDENTIALS = LinearPattern(
    r"(authorization[\"']?\s*[:=,]\s*[\"'`]?)?\b(bearer|basic|token|apikey|negotiate|bot)\s+"
    r"([0-9A-Za-z+/_.~\-]{6,}={0,2})",
    ignore_case=True,
)
_LONGEST = 8_192


class BearerRule:
    entity = "CREDENTIAL"
    patterns = (_CREDENTIALS,)

    def spans(self, text: str) -> Iterator[Span]:
        for position, groups in enumerate(_CREDENTIALS.matches(text)):
            start, end = groups[3]
            if position >= MOST_EXAMINED:
                yield start, end
                continue
            value = text[start : min(end, start + _LONGEST)].rstrip(".")
            if text.startswith(("...", "…"), start + len(value)):
                continue
            scheme = text[groups[2][0] : groups[2][1]].lower()
            in_header = groups[1] != (-1, -1)
            if _is_credential(scheme, value, in_header):
                yield start, start + len(value)


def _is_credential(scheme: str, value: str, in_header: bool) -> bool:
    if is_documentation_value(value):
        return False
    if scheme == "basic":
        return is_user_and_password(value)
    if in_header:
        return looks_like_password(value)
    return scheme == "bearer" and looks_generated(value)


def is_user_and_password(value: str) -> bool:
    """RFC 7617: base64 of `user:password`."""
    try:
        decoded = base64.b64decode(value, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return False
    user, colon, password = decoded.partition(":")
    return bool(colon) and decoded.isprintable() and bool(user or password)
