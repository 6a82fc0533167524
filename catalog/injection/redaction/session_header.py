"""Session values in `Cookie` and `Set-Cookie` headers, and what `Authorization` holds bare."""

from __future__ import annotations

from collections.abc import Iterator

from catalog.injection.redaction.linear_pattern import LinearPattern, Span
from catalog.injection.redaction.rule import MOST_EXAMINED
from catalog.injection.redaction.secret_shape import looks_generated

_COOKIES = LinearPattern(
    r"(?:\bcookie2?[\"'`]{0,2}\s?[:=,]|--cookie[ =]|\bcurl\b[^\n|;&]*? -b)\s?[\"'`]?"
    r"([\w.\-]+=[^\s;,\"'`\x1a<>\\]*(?:;[ ]?[\w.\-]+(?:=[^\s;,\"'`\x1a<>\\]*)?)*)",
    ignore_case=True,
)
_COOKIE = LinearPattern(r"[\w.\-]+=([^\s;,\"'`\x1a<>\\]+)")
_BARE = LinearPattern(
    r"(?m)\bauthorization[\"']?\s?[:=]\s?[\"'`]?([^\s\x1a\"'`,;<>\\(){}\[\]]{8,})(?:[\"'`]|\s*$)",
    ignore_case=True,
)


class SessionHeaderRule:
    entity = "CREDENTIAL"
    patterns = (_COOKIES, _BARE)

    def spans(self, text: str) -> Iterator[Span]:
        for position, (_, (begin, stop)) in enumerate(_COOKIES.matches(text)):
            for _, (start, end) in _COOKIE.matches(text[begin:stop]):
                if position >= MOST_EXAMINED or looks_generated(text[begin + start : begin + end]):
                    yield begin + start, begin + end
        for position, (_, (start, end)) in enumerate(_BARE.matches(text)):
            if position >= MOST_EXAMINED or looks_generated(text[start:end]):
                yield start, end
