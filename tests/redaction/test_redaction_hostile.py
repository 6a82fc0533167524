"""Texts made to keep a pattern busy: each ends soon, and twice the text is twice the work."""

from __future__ import annotations

import random
import time

import pytest
from test_redaction_corpus import LINES

from catalog.injection.redaction import Redactor

SIZE = 262_144
HOSTILE = {
    "dotted letters": "a.",
    "dotted digits": "7.7.7.",
    "upper-case runs": "KILN_",
    "backslashes in an open quote": 'password = "\\',
    "opening braces": "{",
    "digit soup": "1234567890 ",
    "one long number": "123456789012",
    "at signs": "a@",
    "colons": "2001:",
    "schemes": "a://b:",
    "hyphens and digits": "0-",
    "hexadecimal": "deadbeef0123",
    "token prefixes": "ghp_sk-",
    "open keys": "-----BEGIN PRIVATE KEY-----\nab\n",
    "header prefixes": "eyJhbGciOi.",
    "addresses": "a@b.com ",
    "cards": "4111 1111 1111 1111 ",
    "parameters": "?token=a1&",
    "open quotes": 'token="',
    "zero width": "a\u200b",
    "telephones": "tel 123456789 ",
    "han": "密码：a1b2c3 ",
    "names without values": '{"name": "password", ',
    "elements": "<password>a1b2c</password>",
    "open elements": '<password x="',
    "logins": "docker login -p ",
    "users of curl": "curl -ua:b1c2d ",
    "cookies": "Cookie: a=b; ",
    "password files": "machine a login b password ",
    "quoted local parts": '"a b"@c.de ',
    "extensions": "415-555-0132x1",
}
MEGABYTE = 1_048_576


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_text_ends_soon(unit: str) -> None:
    text = (unit * (SIZE // len(unit) + 1))[:SIZE]
    start = time.perf_counter()
    Redactor().redact(text)
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE.keys())
def test_twice_the_text_is_not_four_times_the_work(unit: str) -> None:
    half, whole = (_seconds(unit, size) for size in (SIZE // 2, SIZE))
    assert whole < 0.02 or whole < 3.5 * half


def test_a_megabyte_of_all_of_them_in_disorder_ends_soon() -> None:
    pieces = random.Random(7).choices(
        [*HOSTILE.values(), *(text for _, text, _ in LINES)], k=99_000
    )
    text = " ".join(pieces)[:MEGABYTE]
    assert len(text) == MEGABYTE
    start = time.perf_counter()
    redacted = Redactor().redact(text)
    assert time.perf_counter() - start < 15
    assert len(redacted.spans) > 1_000


def _seconds(unit: str, size: int) -> float:
    text = (unit * (size // len(unit) + 1))[:size]
    times = []
    for _ in range(2):
        redactor = Redactor()
        start = time.process_time()
        redactor.redact(text)
        times.append(time.process_time() - start)
    return min(times)
