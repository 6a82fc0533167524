"""National identifiers of persons, where a checksum or a strict structure tells them.

Two tables. The first has forms that are told by themselves: fixed punctuation or letters
and a checksum that few other texts pass. The second has bare digits, which pass a checksum
of ten by chance; they count only right after the word that names them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from stdnum.be import nn as belgian
from stdnum.br import cpf as brazilian
from stdnum.ca import sin as canadian
from stdnum.cl import rut as chilean
from stdnum.cn import ric as chinese
from stdnum.de import idnr as german
from stdnum.es import dni as spanish
from stdnum.es import nie as spanish_foreign
from stdnum.fi import hetu as finnish
from stdnum.fr import nir as french
from stdnum.gb import nhs as british_health
from stdnum.in_ import aadhaar as indian
from stdnum.it import codicefiscale as italian
from stdnum.kr import rrn as korean
from stdnum.mx import curp as mexican
from stdnum.nl import bsn as dutch
from stdnum.pl import pesel as polish
from stdnum.pt import nif as portuguese
from stdnum.se import personnummer as swedish
from stdnum.tr import tckimlik as turkish
from stdnum.us import ssn as american

from catalog.injection.redaction.boundary import continues_word
from catalog.injection.redaction.linear_pattern import LinearAlternatives, LinearPattern, Span
from catalog.injection.redaction.rule import MOST_EXAMINED

_Check = Callable[[str], bool]

_TOLD_BY_FORM: tuple[tuple[str, _Check], ...] = (
    (r"\d{3}-\d{2}-\d{4}", american.is_valid),
    (r"\d{8}-?[A-HJ-NP-TV-Z]", spanish.is_valid),
    (r"[XYZ]-?\d{7}-?[A-HJ-NP-TV-Z]", spanish_foreign.is_valid),
    (r"\d{17}[\dXx]", chinese.is_valid),
    (r"\d{6}-[1-8]\d{6}", korean.is_valid),
    (r"\d{3}\.\d{3}\.\d{3}-\d{2}", brazilian.is_valid),
    (r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", italian.is_valid),
    (r"[A-Z]{4}\d{6}[HM][A-Z]{5}[0-9A-Z]\d", mexican.is_valid),
    (r"[12] ?\d{2} ?[01]\d ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}", french.is_valid),
    (r"\d{1,2}\.\d{3}\.\d{3}-[\dkK]", chilean.is_valid),
    (r"\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}", belgian.is_valid),
    (r"\d{6}[+\-A]\d{3}[0-9A-FHJ-NPR-Y]", finnish.is_valid),
)
_TOLD_BY_WORD: tuple[tuple[str, _Check], ...] = (
    (r"ssn|social security(?: number| no)?", american.is_valid),
    (r"bsn|burgerservicenummer|sofinummer", dutch.is_valid),
    (r"cpf", brazilian.is_valid),
    (r"nhs(?: number| no)?", british_health.is_valid),
    (r"pesel", polish.is_valid),
    (
        r"steuer-?id(?:entifikationsnummer|nr)?|idnr|steuerliche identifikationsnummer",
        german.is_valid,
    ),
    (r"personnummer|samordningsnummer", swedish.is_valid),
    (r"aadhaar(?: number| no)?|uidai|आधार", indian.is_valid),
    (r"social insurance number|sin", canadian.is_valid),
    (r"nif|contribuinte", portuguese.is_valid),
    (r"t\.?c\.? ?kimlik(?: no| numarası)?", turkish.is_valid),
    (r"rijksregisternummer|num[eé]ro national", belgian.is_valid),
    (r"身份证(?:号码?|號碼?)?", chinese.is_valid),
    (r"주민등록번호", korean.is_valid),
)
_FORMS = [form for form, _ in _TOLD_BY_FORM]
_WORDS = [word for word, _ in _TOLD_BY_WORD]
_FORM = LinearPattern(r"\b(?:" + "|".join(_FORMS) + r")\b")
_WHICH_FORM = LinearAlternatives([rf"{form}$" for form in _FORMS])
_WHICH_WORD = LinearAlternatives(_WORDS, ignore_case=True)
_ANNOUNCED = LinearPattern(
    r"(?:"
    + "|".join(rf"\b(?:{word})\b" if word[0].isascii() else word for word in _WORDS)
    + r")[\"'`*)\]]{0,3}[ \t]{0,3}(?:[:=：#]|is|es|ist)?[ \t]{0,3}[\"'`*]{0,3}"
    r"(\d(?:[ .\-+/]?\d){7,}[ ]?[xX]?)",
    ignore_case=True,
)
_JOINS = frozenset("_-./+#$@")
_LONGEST = 28


class NationalIdRule:
    entity = "NATIONAL_ID"
    patterns = (_FORM, _ANNOUNCED)

    def spans(self, text: str) -> Iterator[Span]:
        for position, ((start, end),) in enumerate(_FORM.matches(text)):
            if position >= MOST_EXAMINED or (
                _stands_alone(text, start, end) and _has_valid_form(text[start:end])
            ):
                yield start, end
        for position, ((begin, _), (start, end)) in enumerate(_ANNOUNCED.matches(text)):
            written = text[start:end].rstrip()
            span = (start, start + len(written))
            if position >= MOST_EXAMINED or (
                len(written) <= _LONGEST
                and _stands_alone(text, *span)
                and _is_announced_by(text[begin:start], written)
            ):
                yield span


def _stands_alone(text: str, start: int, end: int) -> bool:
    before = text[start - 1 : start] if start else ""
    after = text[end : end + 2]
    if before and (continues_word(before) or before in _JOINS):
        return False
    return not (
        after
        and (
            continues_word(after[0])
            or after[0] == "_"
            or (after[0] in _JOINS and continues_word(after[1:]))
        )
    )


@lru_cache(maxsize=8_192)
def _has_valid_form(written: str) -> bool:
    form = _WHICH_FORM.first_of(written)
    return form is not None and _TOLD_BY_FORM[form][1](written)


@lru_cache(maxsize=8_192)
def _is_announced_by(announcement: str, written: str) -> bool:
    word = _WHICH_WORD.first_of(announcement)
    return word is not None and _TOLD_BY_WORD[word][1](written.replace(" ", ""))
