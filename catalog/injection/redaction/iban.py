"""International bank account numbers: the country's length and the mod 97 checksum (ISO 13616)."""

from __future__ import annotations

from collections.abc import Iterator

from stdnum.iso7064 import mod_97_10

from catalog.injection.redaction.boundary import continues_word
from catalog.injection.redaction.linear_pattern import LinearPattern, Span
from catalog.injection.redaction.rule import MOST_EXAMINED

_ACCOUNT = LinearPattern(r"\b[A-Z]{2}[0-9]{2}(?:[ \-]?[0-9A-Z]{4}){2}(?:[ \-]?[0-9A-Z]{1,4}){0,6}")
_LENGTHS = {
    country: length
    for length, countries in {
        15: "NO",
        16: "BE",
        18: "DK FI FO GL NL SD",
        19: "MK SI",
        20: "AT BA EE KZ LT LU MN XK",
        21: "CH HR LI LV",
        22: "BG BH CR DE GB GE IE ME RS VA",
        23: "AE GI IL IQ OM SO TL",
        24: "AD CZ ES MD PK RO SA SE SK TN VG",
        25: "LY PT ST",
        26: "IS TR",
        27: "BI DJ FR GR IT MC MR SM",
        28: "AL AZ BY CY DO GT HU LB NI PL SV",
        29: "BR EG PS QA UA",
        30: "JO KW MU",
        31: "MT SC",
        33: "RU",
    }.items()
    for country in countries.split()
}


class IbanRule:
    entity = "IBAN"
    patterns = (_ACCOUNT,)

    def spans(self, text: str) -> Iterator[Span]:
        for position, ((start, end),) in enumerate(_ACCOUNT.matches(text)):
            length = _LENGTHS.get(text[start : start + 2])
            if length is None:
                continue
            stop = _end_of_account(text, start, end, length)
            if stop is None or continues_word(text[stop : stop + 1]):
                continue
            account = text[start:stop].replace(" ", "").replace("-", "")
            if position >= MOST_EXAMINED or mod_97_10.is_valid(account[4:] + account[:4]):
                yield start, stop


def _end_of_account(text: str, start: int, end: int, length: int) -> int | None:
    """Where `length` letters and digits are complete; what follows is another word."""
    seen = 0
    for position in range(start, end):
        seen += text[position] not in " -"
        if seen == length:
            return position + 1
    return None
