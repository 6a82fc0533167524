"""JSON Web Tokens (RFC 7519) in compact form: a header that decodes, a payload, a signature."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator

from catalog.injection.redaction.linear_pattern import LinearPattern, Span
from catalog.injection.redaction.rule import MOST_EXAMINED

_TOKEN = LinearPattern(
    r"\b(eyJ[0-9A-Za-z_\-]{8,})\.[0-9A-Za-z_\-]{4,}(?:\.[0-9A-Za-z_\-]{4,}){1,3}"
)
_LONGEST_HEADER = 4_096


class JwtRule:
    entity = "CREDENTIAL"
    patterns = (_TOKEN,)

    def spans(self, text: str) -> Iterator[Span]:
        for position, ((start, end), header) in enumerate(_TOKEN.matches(text)):
            if position >= MOST_EXAMINED or _is_header(text[slice(*header)]):
                yield start, end


def _is_header(encoded: str) -> bool:
    if len(encoded) > _LONGEST_HEADER:
        return True
    try:
        header = json.loads(base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        return False
    return isinstance(header, dict) and ("alg" in header or "typ" in header)
