"""Texts that are hard on redaction: each 256 KB of one thing over and over."""

from __future__ import annotations

SIZE = 256 * 1024

_UNITS = {
    "dotted letters": "a.",
    "dotted digits": "7.7.7.",
    "upper-case runs": "KILN_",
    "open quote, backslashes": 'password = "\\',
    "opening braces": "{",
    "digit soup": "1234567890 ",
    "one long number": "123456789012",
    "at signs": "a@",
    "colons": "2001:",
    "open private keys": "-----BEGIN PRIVATE KEY-----\nab\n",
    "token prefixes": "ghp_sk-",
    "e-mail addresses": "a@bc.co ",
    "telephone numbers": "tel +1 415-555-0132 ",
    "payment cards": "4111 1111 1111 1111, ",
    "public addresses": "81.2.69.142 ",
    "query parameters": "?token=a1&",
    "assigned passwords": "password=a1b2c ",
    "command-line tokens": " --token=a",
    "assigned, Chinese": "密码：a1b2c3 ",
    "zero width": "a\u200b",
}


def hostile_texts() -> dict[str, str]:
    """Each at most `SIZE` bytes of UTF-8."""
    return {title: unit * (SIZE // len(unit.encode())) for title, unit in _UNITS.items()}
