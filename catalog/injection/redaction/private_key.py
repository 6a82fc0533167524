"""Private keys in PEM and PuTTY form. The markers stay, every line of the key is masked.

Lines are masked one by one, so that line breaks, indentation and string delimiters around
them are kept, also where a key is one JSON string with `\\n` between its lines.
"""

from __future__ import annotations

from collections.abc import Iterator

from catalog.injection.redaction.documentation_values import is_documentation_value
from catalog.injection.redaction.linear_pattern import LinearPattern, Span

_BEGIN = LinearPattern(r"-----BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----")
_PUTTY = LinearPattern(r"Private-Lines: \d+")
_END = "-----END"
_ENCODED = LinearPattern(r"[0-9A-Za-z+/]+={0,2}")
_LONG_RUN = LinearPattern(r"[0-9A-Za-z+/]{32,}={0,2}")
_HEADER = LinearPattern(r"[A-Za-z][A-Za-z\-]*: .*")
_WRAPPING = " \t\r\"'`\\,+>#|*()"
_LONGEST_KEY = 16_384


class PrivateKeyRule:
    entity = "CREDENTIAL"
    patterns = (_BEGIN, _PUTTY)

    def spans(self, text: str) -> Iterator[Span]:
        if "PRIVATE KEY" in text:
            marker = 0
            for ((_, begin),) in _BEGIN.matches(text):
                if 0 <= marker < begin:
                    marker = text.find(_END, begin)
                end = marker if begin <= marker else len(text)
                end = min(end, begin + _LONGEST_KEY)
                yield from _encoded_lines(text, begin, end)
                if end == marker:
                    yield from _long_runs(text, begin, end)
        if "Private-Lines:" in text:
            for ((_, begin),) in _PUTTY.matches(text):
                yield from _encoded_lines(text, begin, min(len(text), begin + _LONGEST_KEY))


def _encoded_lines(text: str, begin: int, end: int) -> Iterator[Span]:
    """The lines of a key up to its end marker, or up to what cannot be part of a key."""
    start = begin
    while start < end:
        line_end, next_start = _line_end(text, start, end)
        line = text[start:line_end].removesuffix(r"\r")
        encoded = line.strip(_WRAPPING)
        if _ENCODED.covers(encoded):
            if not is_documentation_value(encoded):
                first = start + line.index(encoded)
                yield first, first + len(encoded)
        elif encoded and not _HEADER.covers(encoded):
            return
        start = next_start


def _long_runs(text: str, begin: int, end: int) -> Iterator[Span]:
    """What is left of a key whose line breaks became blanks or references (`&#10;`)."""
    for ((start, stop),) in _LONG_RUN.matches(text[begin:end]):
        run = text[begin + start : begin + stop]
        if not run.isdigit() and not is_documentation_value(run):
            yield begin + start, begin + stop


def _line_end(text: str, start: int, end: int) -> Span:
    """The next line break, as it is or as it is written inside a string."""
    real = text.find("\n", start, end)
    written = text.find(r"\n", start, end if real < 0 else real)
    if written >= 0:
        return written, written + 2
    return (end, end) if real < 0 else (real, real + 1)
