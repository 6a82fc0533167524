"""Which scripts an embedder makes sense of, tried with sentences of known meaning.

A model that was made for English gives vectors for Chinese text too, and they mean little.
So it is asked once, when it is opened: of some sentences and their translations, does each
sentence lie nearest to its own translation? By chance none of a script's four would.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from catalog.embedding.embedder import Vectors

LATIN: Final = "latin"
UNDERSTOOD_SHARE: Final = 0.6
"""Of a query's letters that must be of scripts that the embedder understands."""

_ENGLISH: Final = (
    "The cat is sleeping on the warm roof.",
    "How do I repair a broken bicycle wheel?",
    "Write a letter to the bank about my account.",
    "It will rain in the mountains tomorrow.",
)
_TRANSLATIONS: Final = {
    "han": (
        "猫正在温暖的屋顶上睡觉。",
        "我该怎样修理坏掉的自行车轮？",
        "给银行写一封关于我账户的信。",
        "明天山里会下雨。",
    ),
    "kana": (
        "ねこがあたたかい屋根の上で眠っている。",
        "壊れた自転車の車輪はどうやって直しますか。",
        "私の口座について銀行に手紙を書いてください。",
        "明日は山で雨が降るでしょう。",
    ),
    "hangul": (
        "고양이가 따뜻한 지붕 위에서 자고 있다.",
        "고장 난 자전거 바퀴를 어떻게 고치나요?",
        "내 계좌에 대해 은행에 편지를 써 줘.",
        "내일 산에 비가 올 것이다.",
    ),
    "cyrillic": (
        "Кошка спит на тёплой крыше.",
        "Как починить сломанное колесо велосипеда?",
        "Напиши письмо в банк о моём счёте.",
        "Завтра в горах будет дождь.",
    ),
    "arabic": (
        "القطة نائمة على السطح الدافئ.",
        "كيف أصلح عجلة دراجة مكسورة؟",
        "اكتب رسالة إلى البنك عن حسابي.",
        "ستمطر غدا في الجبال.",
    ),
    "devanagari": (
        "बिल्ली गरम छत पर सो रही है।",
        "मैं साइकिल का टूटा हुआ पहिया कैसे ठीक करूँ?",
        "मेरे खाते के बारे में बैंक को एक पत्र लिखो।",
        "कल पहाड़ों में बारिश होगी।",
    ),
}
# The first and the last code point of each block, in order.
_BLOCKS: Final = (
    (0x0000, 0x024F, LATIN),
    (0x0400, 0x052F, "cyrillic"),
    (0x0600, 0x077F, "arabic"),
    (0x0900, 0x097F, "devanagari"),
    (0x1100, 0x11FF, "hangul"),
    (0x1E00, 0x1EFF, LATIN),
    (0x3040, 0x30FF, "kana"),
    (0x3400, 0x9FFF, "han"),
    (0xAC00, 0xD7AF, "hangul"),
    (0x20000, 0x323AF, "han"),
)


TRIED: Final = (*_ENGLISH, *(text for texts in _TRANSLATIONS.values() for text in texts))


def understood_scripts(tried: Vectors) -> frozenset[str]:
    """Latin, and each other script whose sentences all lie nearest to their translations.

    Args:
        tried: the vectors of the texts `TRIED`.
    """
    count = len(_ENGLISH)
    found = {LATIN}
    for number, script in enumerate(_TRANSLATIONS, start=1):
        cosines = tried[:count] @ tried[number * count : (number + 1) * count].T
        places = list(range(count))
        if cosines.argmax(axis=1).tolist() == places == cosines.argmax(axis=0).tolist():
            found.add(script)
    return frozenset(found)


def is_understood(text: str, scripts: frozenset[str]) -> bool:
    letters = [character for character in text if character.isalpha()]
    known = sum(script_of(character) in scripts for character in letters)
    return known >= UNDERSTOOD_SHARE * len(letters)


def script_of(character: str) -> str:
    """The script of a letter, or an empty text for those that no embedder is tried with."""
    code = ord(character)
    return next((script for first, last, script in _BLOCKS if first <= code <= last), "")
