"""Telephone numbers: text with the structure of one that is also assigned to somebody's plan.

Digits alone are never a number: ids, ports, dates and hashes are digits too. There has to
be a `+` and a country code, a national form that nothing else has (`(415) 555-0132`,
`03-1234-5678`), or a word for a telephone right before. Then the numbering plan decides, as
libphonenumber has it; made-up stand-ins such as +1 555 123 4567 are in no plan and survive.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import phonenumbers

from catalog.injection.redaction.boundary import continues_word
from catalog.injection.redaction.linear_pattern import LinearAlternatives, LinearPattern, Span

_STRUCTURED = LinearPattern(
    r"\+\(?\d{1,3}\)?(?:[ ().\-/]{0,3}\d)+"
    r"|(?:\b1[ .\-])?\(\d{3}\) ?\d{3}[ .\-]\d{4}\b"
    r"|\b(?:1-)?\d{3}-\d{3}-\d{4}(?:\b|x)|\b\d{3}\.\d{3}\.\d{4}\b"
    r"|\b0\d{1,4}-\d{3,4}-\d{3,4}\b|\b1[3-9]\d-\d{4}-\d{4}\b"
)
_EXTENSION = LinearPattern(
    r"^(?:;ext=|[ ]?,?[ ]?(?:extension|extn?|x|доб|durchwahl|poste|int|分机|内线|內線|내선)"
    r"[.:]?[ ]?#?)\d{1,6}\b",
    ignore_case=True,
)
_REGIONS_OF_WORDS = (
    (r"tel[eé]fono|m[oó]vil|celular", ("ES", "MX", "AR", "CO", "BR", "IT")),
    (r"t[eé]l[eé]phone|\btél|portable", ("FR", "BE", "CH", "GB", "US")),
    (r"cellulare|telefone|telemóvel|telefoon|mobiel", ("IT", "BR", "PT", "NL", "BE")),
    (r"telefonnummer|telefon|handy(?:nummer)?", ("DE", "AT", "CH", "PL", "TR", "SE")),
    (r"电话|手机|電話|手機|携帯|联系(?:方式|人)?|致电|拨打|短信", ("CN", "JP", "TW", "HK")),
    (r"전화|휴대폰|연락처", ("KR",)),
    (r"телефон|\bтел\b|мобильный", ("RU", "UA")),
    (r"फ़ोन|मोबाइल", ("IN",)),
    (r"هاتف|جوال", ("SA", "EG", "AE")),
    (
        r"phone|\btel\b|mobile|\bcell ?phone|\bfax\b|whatsapp|call (?:us )?(?:at|on)|\bsms to",
        ("US", "GB", "IN", "FR", "CN"),
    ),
)
"""Words for a telephone and where their speakers are; a word that begins another comes later."""

_ANNOUNCED = LinearPattern(
    "(?:"
    + "|".join(words for words, _ in _REGIONS_OF_WORDS)
    + r")(?:[ _\-]?(?:number|num|no|nº|n°|nr|#|号码|號碼|号|號|番号|번호|номер))?[.]?"
    r"[\"'`*)\]]{0,3}"
    r"(?:[ \t]{1,3}(?:is|ist|es|est)\b|[ \t]{0,3}[:=：(#是为為は는은])?[ \t]{0,4}[\"'`*]{0,3}"
    r"(\+?\(?\d(?:[ ().\-/]{0,2}\d)+)",
    ignore_case=True,
)
_FEWEST_DIGITS, _MOST_DIGITS = 7, 15
_FEWEST_WITH_COUNTRY_CODE = 11
_LONGEST = 28
_WHICH_WORDS = LinearAlternatives([words for words, _ in _REGIONS_OF_WORDS], ignore_case=True)
_WITH_COUNTRY_CODE = ("",)
_COUNTED = frozenset(("1234567890", "0123456789", "11234567890", "12345678900", "1234567"))
_NORTH_AMERICA = ("US",)
_CHINA = ("CN",)
_CHINESE_MOBILE = LinearPattern(r"1\d{2}-\d{4}-\d{4}")
_HYPHENATED = ("JP", "KR", "CN", "GB", "DE", "TR")

MOST_CHECKED = 400
"""Looking up a plan takes 50 microseconds; past so many candidates structure alone decides."""


class PhoneRule:
    entity = "PHONE"
    patterns = (_STRUCTURED, _ANNOUNCED)

    def spans(self, text: str) -> Iterator[Span]:
        for position, ((start, end),) in enumerate(_STRUCTURED.matches(text)):
            end -= text[end - 1] in "xX"
            span = _whole_number(text, start, end)
            if span is not None and (
                position >= MOST_CHECKED
                or _is_assigned(text[start:end], _regions_of_form(text[start:end]))
            ):
                yield span
        for position, ((begin, _), (start, end)) in enumerate(_ANNOUNCED.matches(text)):
            span = _whole_number(text, start, end)
            if span is not None and (
                position >= MOST_CHECKED
                or _is_assigned(text[start:end], _regions_of_words(text[begin:start]))
                or _is_international(text[start:end])
            ):
                yield span


def _regions_of_form(written: str) -> tuple[str, ...]:
    if written[0] == "+":
        return _WITH_COUNTRY_CODE
    if written[0] == "0":
        return _HYPHENATED
    return _CHINA if _CHINESE_MOBILE.covers(written) else _NORTH_AMERICA


@lru_cache(maxsize=1_024)
def _regions_of_words(announcement: str) -> tuple[str, ...]:
    language = _WHICH_WORDS.first_of(announcement)
    return () if language is None else _REGIONS_OF_WORDS[language][1]


def _whole_number(text: str, start: int, end: int) -> Span | None:
    """The span when it is not part of a longer word, date, path or number."""
    if end - start > _LONGEST:
        return None
    written = text[start:end]
    if not _FEWEST_DIGITS <= sum(map(str.isdigit, written)) <= _MOST_DIGITS:
        return None
    before = text[start - 1 : start] if start else ""
    end = _after_extension(text, end)
    after = text[end : end + 2]
    if before and (continues_word(before) or before in "_-./+#$@\\"):
        return None
    if after and (
        continues_word(after[0])
        or after[0] in "_%"
        or (after[0] in "-.:/" and continues_word(after[1:]))
    ):
        return None
    if before == "(" and ")" in written and "(" not in written:
        start -= 1
    return start, end


def _after_extension(text: str, end: int) -> int:
    for ((_, length),) in _EXTENSION.matches(text[end : end + _LONGEST]):
        return end + length
    return end


def _is_assigned(written: str, regions: tuple[str, ...]) -> bool:
    digits = "".join(filter(str.isdigit, written))
    return digits not in _COUNTED and any(_is_in_plan(written, region) for region in regions)


def _is_international(written: str) -> bool:
    """Whether it is a number with its country code, written without the `+`."""
    digits = "".join(filter(str.isdigit, written))
    return len(digits) >= _FEWEST_WITH_COUNTRY_CODE and _is_assigned(
        f"+{digits}", _WITH_COUNTRY_CODE
    )


@lru_cache(maxsize=8_192)
def _is_in_plan(written: str, region: str) -> bool:
    try:
        number = phonenumbers.parse(written.lstrip("("), region or None)
    except phonenumbers.NumberParseException:
        return False
    return phonenumbers.is_valid_number(number)
