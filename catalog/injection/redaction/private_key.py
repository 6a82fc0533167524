"""Private keys in PEM and PuTTY form. The markers stay, every line of the key is masked.

Lines are masked one by one, so that line breaks, indentation and string delimiters around
them are kept, also where a key is one JSON string with `\\n` between its lines.
"""

from __future__ import annotations

from collections.abc import Iterator

from catalog.injection.redaction.documentation_values import is_documentation_value
from catalog.injection.redaction.linear_pattern import LinearPattern
from catalog.injection.redaction.rule import Span

_BEGIN = LinearPattern(r"-----BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----")
_PUTTY = LinearPattern(r"Private-Lines: \d+")
_END = "-----END"
_ENCODED = LinearPattern(r"[0-9A-Za-z+/]{4,}={0,2}")
_HEADER = LinearPattern(r"(?:^|\n)[ \t\"']*[A-Za-z][A-Za-z\-]*: [^\n]*")
_LONGEST_KEY = 16_384


class PrivateKeyRule:
    name = "private_key"
    entity = "CREDENTIAL"

    def spans(self, text: str) -> Iterator[Span]:
        if "PRIVATE KEY" in text:
            marker = masked_to = 0
            for ((_, begin),) in _BEGIN.matches(text):
                if begin < masked_to:
                    continue
                if 0 <= marker < begin:
                    marker = text.find(_END, begin)
                closes = begin <= marker <= begin + _LONGEST_KEY
                masked_to = marker if closes else _end_of_encoded(text, begin)
                yield from _encoded_lines(text, begin, masked_to)
        if "Private-Lines:" in text:
            for ((_, begin),) in _PUTTY.matches(text):
                yield from _encoded_lines(text, begin, _end_of_encoded(text, begin))


def _end_of_encoded(text: str, begin: int) -> int:
    """Without an end marker the key goes on while its lines are encoded text."""
    position, limit = begin, min(len(text), begin + _LONGEST_KEY)
    while position < limit:
        line_end = text.find("\n", position, limit)
        line_end = limit if line_end < 0 else line_end + 1
        stripped = text[position:line_end].strip(" \t\r\n\"'\\,+")
        if stripped and not _ENCODED.covers(stripped):
            break
        position = line_end
    return position


def _encoded_lines(text: str, begin: int, end: int) -> Iterator[Span]:
    body = text[begin:end]
    headers = [groups[0] for groups in _HEADER.matches(body)]
    for ((start, stop),) in _ENCODED.matches(body):
        if body[start - 1 : start] == "\\":
            start += 1
        inside_header = any(first <= start < last for first, last in headers)
        if not inside_header and not is_documentation_value(body[start:stop]):
            yield Span(begin + start, begin + stop)
