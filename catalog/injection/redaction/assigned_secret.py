"""Secrets given to a name: `password: …`, `"api_key": "…"`, `DB_PASSWORD=…`, `X-Api-Key: …`.

The name says that the value is a secret; the value's own shape has to agree, because the
same names are also given variables, types, prompts and descriptions.
"""

from __future__ import annotations

from collections.abc import Iterator

from catalog.injection.redaction.linear_pattern import LinearPattern, Span
from catalog.injection.redaction.rule import MOST_EXAMINED
from catalog.injection.redaction.secret_names import SECRET_WORDS, looks_secret

_ASSIGNMENT = LinearPattern(
    rf"(?:{SECRET_WORDS})"
    r"[\"'`*]{0,3}\]?(?:[ \t]?\([^()\n]{0,24}\))?(?::[ ]?(?:str|string|String))?"
    r"[ \t]{0,8}(?::=|=>|[:=：])[*]{0,2}"
    # Only behind a blank is an ampersand not where the next parameter of a URL begins.
    r"(?:([rbfu]?[\"'`]|[^\s\x1a\"'`,;&<>(){}\[\]\\|]+)"
    r"|[ \t]{1,8}([rbfu]?[\"'`]|[^\s\x1a\"'`,;<>(){}\[\]\\|]+))",
    ignore_case=True,
)
_QUOTES = frozenset("\"'`")
_PARAMETER_MARKS = frozenset("?&")
_LONGEST = 2_048
_LONGEST_USER = 64
_MOST_ESCAPED_QUOTES = 8
_CODE_IDENTIFIER = LinearPattern(r"[A-Za-z_]\w*")
_NOT_SECRET_BEFORE = (
    *("page", "next", "cancel", "continuation", "sync", "design", "max", "pad"),
    *("spl", "mint", "native", "from", "src", "dst", "dest", "in", "out", "sell", "buy"),
    *("input", "output", "quote"),
)


class AssignedSecretRule:
    entity = "CREDENTIAL"
    patterns = (_ASSIGNMENT,)

    def spans(self, text: str) -> Iterator[Span]:
        for position, ((begin, _), *values) in enumerate(_ASSIGNMENT.matches(text)):
            value = max(values)  # the other one is NOT_MATCHED
            span = _quoted(text, value) if text[value[1] - 1] in _QUOTES else _bare(text, value)
            if span is not None and (
                position >= MOST_EXAMINED
                or (
                    not _names_something_else(text, begin)
                    and looks_secret(
                        text[begin : value[0]], text[span[0] : min(span[1], span[0] + _LONGEST)]
                    )
                )
            ):
                start, end = span
                while text[end : end + 1] == "!":
                    end += 1
                yield start, end


def _names_something_else(text: str, start: int) -> bool:
    """`next_page_token`, `max_token`: no secrets. Users and parameters of a URL have their own
    rule."""
    if text[start - 1 : start] in _PARAMETER_MARKS:
        return True
    _, mark, user = text[max(0, start - _LONGEST_USER) : start].rpartition("://")
    if mark and "/" not in user and "@" not in user and user == "".join(user.split()):
        return True
    head = text[max(0, start - 16) : start].lower().rstrip("_- ")
    return head.endswith(_NOT_SECRET_BEFORE)


def _quoted(text: str, opening: tuple[int, int]) -> Span | None:
    """The content of a string, if it closes on the line where it opens."""
    quote, start = text[opening[1] - 1], opening[1]
    if text.startswith(quote * 2, start):
        return None
    position, limit = start, min(len(text), start + _LONGEST)
    for _ in range(_MOST_ESCAPED_QUOTES):
        closing = text.find(quote, position, limit)
        if closing < 0:
            return None
        backslashes = 0
        while closing - backslashes > start and text[closing - 1 - backslashes] == "\\":
            backslashes += 1
        if backslashes % 2 == 0:
            return None if "\n" in text[start:closing] else (start, closing)
        position = closing + 1
    return None


def _bare(text: str, span: tuple[int, int]) -> Span | None:
    """A value without quotes: never a variable, a call or an attribute of code."""
    start = span[0]
    spaced = text[start - 1] in " \t"
    value = text[start : span[1]].rstrip(".:!?*")
    end = start + len(value)
    if text.startswith(("...", "…"), end):
        return None
    after = text[end : end + 1]
    if after and after in "([{":
        return None
    if after and after in "),;" and not spaced and _CODE_IDENTIFIER.covers(value):
        return None
    return (start, end) if value else None
