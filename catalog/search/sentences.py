"""What a description says about its own use: when it is wanted, when not, in which words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import re2


@dataclass(frozen=True, slots=True)
class Spoken:
    """A description taken apart; each part is text that may be empty."""

    plain: str
    use_when: str
    not_for: str
    quoted: str


def spoken(text: str) -> Spoken:
    """Sort the sentences of a description.

    A sentence that tells when not to use it is `not_for`, one that tells when to use it is
    `use_when`, the rest is `plain`. `quoted` repeats what stands in quotation marks, except
    in a `not_for` sentence.
    """
    sentences = _SENTENCE_END.split(text)
    not_for = [sentence for sentence in sentences if _NOT_FOR.search(sentence)]
    wanted = [sentence for sentence in sentences if sentence not in not_for]
    use_when = [sentence for sentence in wanted if _USE_WHEN.search(sentence)]
    plain = [sentence for sentence in wanted if sentence not in use_when]
    return Spoken(
        " . ".join(plain), " . ".join(use_when), " . ".join(not_for), quoted(" . ".join(wanted))
    )


def quoted(text: str) -> str:
    """What stands in quotation marks or code marks."""
    return " . ".join(match[0] for match in _QUOTED.finditer(text))


def quoted_phrases(text: str) -> list[str]:
    """Each phrase in quotation marks or code marks, where the text says when it is wanted."""
    if '"' not in text and not _QUOTED.search(text):
        return []
    return [
        match[0]
        for sentence in _SENTENCE_END.split(text)
        if not _NOT_FOR.search(sentence)
        for match in _QUOTED.finditer(sentence)
    ]


def wanted_sentences(text: str) -> list[str]:
    """The sentences that do not say when not to use it."""
    sentences = [sentence.strip() for sentence in _SENTENCE_END.split(text)]
    return [sentence for sentence in sentences if sentence and not _NOT_FOR.search(sentence)]


def quotations(text: str) -> list[str]:
    """What stands between quotation marks or code marks, without the marks."""
    return [part for match in _QUOTED.findall(text) for part in match if part]


def headings_that_say_when(headings: list[str]) -> list[int]:
    """The positions of the headings under which a text says when it is wanted."""
    if not _USE_WHEN_HEADING.search("\n".join(headings)):
        return []
    return [
        number
        for number, heading in enumerate(headings)
        if _USE_WHEN_HEADING.search(heading) and not _NOT_FOR.search(heading)
    ]


_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|\n+|(?<=;)\s|\s[—–]\s")
_USE_WHEN: Final = re2.compile(
    r"(?i)\buse (?:this|it|when|for|whenever|if|after|before|during|to|the)\b"
    r"|\btrigger|\bwhenever\b"
    r"|\bwhen (?:the |a )?(?:user|you|asked|someone|working|creating|building|writing)\b"
    r"|\binvoke|\bactivate|\basks? (?:for|to|about)|\bsays?\b|\bmentions?\b|\bphrases?\b"
    r"|\bapplies to\b|\buse cases?\b|\bused (?:when|for)\b|\bkeywords?\b"
    r"|当用户|用户(?:说|要|想|提|问|需)|使用场景|适用|触发|用于|關鍵|关键词|當使用者|使用者"
    r"|場合|とき|使用する|トリガー|사용|요청|때|트리거"
    r"|\bverwende|\bnutze|\bwenn der|\butilise[rz]?\b|\blorsque\b|\bquando\b|\bcuando\b|\búsalo\b"
    r"|\busa(?:r|lo)?\b"
)
_NOT_FOR: Final = re2.compile(
    r"(?i)\b(?:do|does|should) not (?:use|trigger|activate|invoke|apply|fire)"
    r"|\bdon['’]?t (?:use|trigger)"
    r"|\bnot (?:for|intended|meant|suitable|when|to be used)\b|\bnever (?:use|trigger)\b"
    r"|\bnot applicable\b|\bout of scope\b|\bskip (?:this|when|if|for)\b|\bavoid using\b"
    r"|不要(?:用|使用|触发)|不(?:适用|用于|触发|處理|处理|適用)|切勿|勿用|不是用来"
    r"|使用しない|対象外|사용하지|제외|아닌 경우"
    r"|\bnicht (?:für|verwenden)\b|\bne pas (?:utiliser)\b|\bno (?:usar|uses|utilizar)\b"
)
_QUOTED: Final = re.compile(
    r"[\"“「『«]([^\"”」』»\n]{2,160})[\"”」』»]|`([^`\n]{2,80})`|(?<![\w])'([^'\n]{2,120})'(?!\w)"
)
_USE_WHEN_HEADING: Final = re2.compile(
    r"(?i)\bwhen\b|\btrigger|\bactivation\b|\buse cases?\b|\busage scenario|何时|什么时候"
    r"|触发|适用|使用场景|時機|使うとき|사용 시점|트리거|\bwann\b|\bquand\b|\bcuándo\b|\bquando\b"
)
