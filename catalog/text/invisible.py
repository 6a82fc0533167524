"""Text that a model reads and a person does not see: found, decoded and taken out.

Four ways to hide instructions in plain text are known and recognised here:

- tag characters (U+E0000 to U+E007F), an invisible copy of ASCII, legitimate only inside a
  flag emoji such as Scotland's;
- bidirectional overrides, and embeddings or isolates on a line that has no right-to-left
  text or does not close them;
- variation selectors in a row, which carry bytes (one after a character is legitimate);
- zero-width characters in a row, or one splitting a word of ASCII letters and digits. One
  alone elsewhere is legitimate: joiners in emoji, Arabic, Persian and Indic text, break
  hints, a byte-order mark that ended up inside a text.

Removing is idempotent and both functions are linear in the length of the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby


class InvisibleKind(StrEnum):
    TAG = "tag"
    BIDI = "bidi"
    VARIATION = "variation"
    ZERO_WIDTH = "zero_width"


@dataclass(frozen=True, slots=True)
class InvisibleRun:
    """Invisible characters `text[start:end]` of one kind.

    `decoded` is what they say: the ASCII of tag characters, the bytes of variation
    selectors as UTF-8, the text that an override covers, the bits of zero-width characters
    as ASCII; and where they spell nothing, their code points (`U+200B x5`).
    """

    start: int
    end: int
    kind: InvisibleKind
    decoded: str


def find_invisible(text: str) -> tuple[InvisibleRun, ...]:
    """Every run of hidden characters, in order, none overlapping another."""
    if text.isascii() or not _may_hide(text):
        return ()
    legitimate_bidi = _legitimate_bidi(text)
    return tuple(
        run
        for start, end in _suspect_spans(text, legitimate_bidi)
        for run in _runs_of_span(text, start, end)
    )


def remove_invisible(text: str) -> tuple[str, tuple[InvisibleRun, ...]]:
    """The text without its hidden characters, and the runs (positions of the given text)."""
    runs = find_invisible(text)
    if not runs:
        return text, ()
    kept = []
    position = 0
    for run in runs:
        kept.append(text[position : run.start])
        position = run.end
    kept.append(text[position:])
    return "".join(kept), runs


_BLACK_FLAG = "\U0001f3f4"
_ZERO_WIDTH = "\u034f\u200b\u200c\u200d\u2060-\u2064\ufeff"
_JOINERS = "\u200c\u200d"
_OVERRIDES = "\u202d\u202e"
_EMBEDDINGS = "\u202a\u202b"
_ISOLATES = "\u2066\u2067\u2068"
_POP_EMBEDDING = "\u202c"
_POP_ISOLATE = "\u2069"
_BIDI = _OVERRIDES + _EMBEDDINGS + _ISOLATES + _POP_EMBEDDING + _POP_ISOLATE
_VARIATION = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_TAGS = "\U000e0000-\U000e007f"

_SUSPECT = re.compile(f"[{_TAGS}{_BIDI}{_VARIATION}{_ZERO_WIDTH}]+")
_BIDI_CONTROL = re.compile(f"[{_BIDI}]")
_LINE = re.compile(r"[^\n\r\u2029]+")
# A subdivision of a country: two letters, then one to three letters or digits, as Unicode's
# emoji tag sequences write it (UTS 51, ED-14a), closed by the cancel tag.
_FLAG_TAGS = re.compile(
    "[\U000e0061-\U000e007a]{2}[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,3}\U000e007f"
)
# Scripts whose spelling uses joiners, where two of them in a row are possible: Arabic,
# Syriac and N'Ko to Sinhala, Thai to Khmer, Mongolian, and the Arabic presentation forms.
_JOINING_SCRIPTS = re.compile("[\u0600-\u0fff\u1000-\u109f\u1780-\u18af\ua8e0-\uabff\ufb50-\ufdff]")


_SUSPECTS_OF_THE_BASIC_PLANE = tuple("".join(_SUSPECT.findall("".join(map(chr, range(0x10000))))))
# How UTF-8 begins every character from U+E0000 to U+E0FFF.
_SUSPECTS_BEYOND = b"\xf3\xa0"


def _may_hide(text: str) -> bool:
    """Whether any suspect occurs: by plain searches, many times faster than the pattern."""
    return any(
        suspect in text for suspect in _SUSPECTS_OF_THE_BASIC_PLANE
    ) or _SUSPECTS_BEYOND in text.encode("utf-8", "surrogatepass")


def _legitimate_bidi(text: str) -> frozenset[int]:
    """Positions of bidi controls on lines that need them: all of a line's, or none."""
    legitimate: set[int] = set()
    if not _BIDI_CONTROL.search(text):
        return frozenset()
    for line in _LINE.finditer(text):
        controls = [
            match.start() for match in _BIDI_CONTROL.finditer(text, line.start(), line.end())
        ]
        if controls and _needs_controls(line.group(), [text[position] for position in controls]):
            legitimate.update(controls)
    return frozenset(legitimate)


def _needs_controls(line: str, controls: list[str]) -> bool:
    if any(control in _OVERRIDES for control in controls):
        return False
    open_controls: list[str] = []
    for control in controls:
        if control in _EMBEDDINGS:
            open_controls.append(_POP_EMBEDDING)
        elif control in _ISOLATES:
            open_controls.append(_POP_ISOLATE)
        elif not open_controls or open_controls.pop() != control:
            return False
    return not open_controls and any(
        unicodedata.bidirectional(character) in ("R", "AL") for character in line
    )


def _suspect_spans(text: str, legitimate_bidi: frozenset[int]) -> Iterator[tuple[int, int]]:
    """Spans to take out: each is a whole run of suspects, less what is legitimate in front."""
    for match in _SUSPECT.finditer(text):
        start = match.start()
        for position in range(match.start(), match.end() + 1):
            if position == match.end() or position in legitimate_bidi:
                hidden_from = _after_legitimate_front(text, start, position)
                if hidden_from < position and not _is_legitimate(text, hidden_from, position):
                    yield hidden_from, position
                start = position + 1


def _after_legitimate_front(text: str, start: int, end: int) -> int:
    if start and text[start - 1] == _BLACK_FLAG:
        flag = _FLAG_TAGS.match(text, start, end)
        if flag:
            start = flag.end()
    follows_something = start > 0 and not text[start - 1].isspace()
    if follows_something and start < end and _kind(text[start]) is InvisibleKind.VARIATION:
        start += 1
    return start


def _is_legitimate(text: str, start: int, end: int) -> bool:
    """Whether what is left of a run is spelling: it holds zero-width characters only."""
    run = text[start:end]
    if any(_kind(character) is not InvisibleKind.ZERO_WIDTH for character in run):
        return False
    before, after = text[start - 1 : start], text[end : end + 1]
    if len(run) == 1:
        return not (_is_ascii_word(before) and _is_ascii_word(after))
    return (
        len(run) == 2
        and all(character in _JOINERS for character in run)
        and bool(_JOINING_SCRIPTS.match(before))
    )


def _is_ascii_word(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _kind(character: str) -> InvisibleKind:
    if "\U000e0000" <= character <= "\U000e007f":
        return InvisibleKind.TAG
    if character in _BIDI:
        return InvisibleKind.BIDI
    if "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef":
        return InvisibleKind.VARIATION
    return InvisibleKind.ZERO_WIDTH


def _runs_of_span(text: str, start: int, end: int) -> Iterator[InvisibleRun]:
    for kind, group in groupby(range(start, end), key=lambda position: _kind(text[position])):
        positions = list(group)
        run_start, run_end = positions[0], positions[-1] + 1
        run = text[run_start:run_end]
        decoded = _DECODERS[kind](run, text, run_end) or _code_points(run)
        yield InvisibleRun(run_start, run_end, kind, decoded)


def _decoded_tags(run: str, _text: str, _end: int) -> str:
    codes = (ord(character) - 0xE0000 for character in run)
    return "".join(chr(code) for code in codes if 0x20 <= code < 0x7F)


def _decoded_bidi(_run: str, text: str, end: int) -> str:
    line_end = _LINE.match(text, end)
    covered = text[end : line_end.end() if line_end else end]
    closed = re.search(f"[{_BIDI}]", covered)
    return (covered[: closed.start()] if closed else covered)[:_MOST_COVERED].strip()


def _decoded_variation(run: str, _text: str, _end: int) -> str:
    values = bytes(
        ord(character) - 0xFE00 if character <= "\ufe0f" else ord(character) - 0xE0100 + 16
        for character in run
    )
    decoded = values.decode("utf-8", errors="replace")
    return decoded if decoded.isprintable() and "\ufffd" not in decoded else ""


def _decoded_zero_width(run: str, _text: str, _end: int) -> str:
    """Bits written with two characters, eight or seven to a letter, either way round."""
    alphabet = sorted(set(run))
    if len(alphabet) != 2:
        return ""
    for zero, one in (alphabet, alphabet[::-1]):
        bits = run.translate({ord(zero): "0", ord(one): "1"})
        for width in (8, 7):
            if len(bits) % width:
                continue
            letters = "".join(
                chr(int(bits[index : index + width], 2)) for index in range(0, len(bits), width)
            )
            if letters.isascii() and letters.isprintable():
                return letters
    return ""


_DECODERS = {
    InvisibleKind.TAG: _decoded_tags,
    InvisibleKind.BIDI: _decoded_bidi,
    InvisibleKind.VARIATION: _decoded_variation,
    InvisibleKind.ZERO_WIDTH: _decoded_zero_width,
}
# An override covers at most a line; a diagnostic needs no more of it than this.
_MOST_COVERED = 200


def _code_points(run: str) -> str:
    parts = []
    for character, group in groupby(run):
        count = len(list(group))
        parts.append(f"U+{ord(character):04X}" + (f" x{count}" if count > 1 else ""))
    return " ".join(parts[:_MOST_CODE_POINTS]) + (" …" if len(parts) > _MOST_CODE_POINTS else "")


_MOST_CODE_POINTS = 12
