"""The bytes of a skill file as text: UTF-8 always, whatever the machine's own encoding is."""

from __future__ import annotations

import codecs

from catalog.text.invisible import InvisibleRun, find_invisible
from importer.diagnostics import Diagnostic, diagnostic
from importer.limits import MAX_SKILL_BYTES

_MOST_HIDDEN_RUNS = 10
_SAID = {
    "tag": "tag characters",
    "bidi": "bidirectional controls",
    "variation": "variation selectors in a row",
    "zero_width": "zero-width characters",
}


def decode_skill(source: bytes, path: str) -> tuple[str | None, tuple[Diagnostic, ...]]:
    """The text without leading byte-order marks, or None with the reason for refusal.

    A NUL reads as U+FFFD (CommonMark 2.3), so positions stay what they are.
    """
    if len(source) > MAX_SKILL_BYTES:
        return None, (skill_too_large(len(source), path),)
    start = 0
    while source.startswith(codecs.BOM_UTF8, start):
        start += len(codecs.BOM_UTF8)
    try:
        text = source[start:].decode("utf-8")
    except UnicodeDecodeError as error:
        return None, (_undecodable(source, start + error.start, path),)
    findings: list[Diagnostic] = []
    if start > len(codecs.BOM_UTF8):
        message = f"{start // len(codecs.BOM_UTF8)} byte-order marks stand at the front"
        findings.append(diagnostic("several-byte-order-marks", message, path, 1))
    if "\x00" in text:
        line = 1 + text.count("\n", 0, text.index("\x00"))
        findings.append(diagnostic("nul-character", "the text holds a NUL", path, line))
        text = text.replace("\x00", "\ufffd")
    return text, tuple(findings)


def skill_too_large(size: int, path: str, *, at_least: bool = False) -> Diagnostic:
    """The refusal of a skill file over the limit, with its real size as far as known."""
    counted = f"at least {size:,}" if at_least else f"{size:,}"
    message = f"the skill file has {counted} bytes; the limit is {MAX_SKILL_BYTES:,}"
    return diagnostic("skill-too-large", message, path)


def _undecodable(source: bytes, offset: int, path: str) -> Diagnostic:
    message = f"byte {offset} (0x{source[offset]:02X}) is not UTF-8"
    if source.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        message = f"byte {offset} is not UTF-8: the file looks like UTF-16, save it as UTF-8"
    return diagnostic("skill-undecodable", message, path, 1 + source.count(b"\n", 0, offset))


def hidden_text(text: str, path: str) -> list[Diagnostic]:
    """What a model would read in the text and a person does not see, decoded."""
    runs = find_invisible(text)
    findings = [_hidden_run(text, run, path) for run in runs[:_MOST_HIDDEN_RUNS]]
    if len(runs) > _MOST_HIDDEN_RUNS:
        rest = runs[_MOST_HIDDEN_RUNS:]
        message = f"{len(rest)} more runs of hidden characters from here on"
        findings.append(diagnostic("hidden-text", message, path, _line(text, rest[0].start)))
    return findings


def _hidden_run(text: str, run: InvisibleRun, path: str) -> Diagnostic:
    column = run.start - text.rfind("\n", 0, run.start)
    message = f"column {column}: {run.end - run.start} {_SAID[run.kind]}: {run.decoded!r}"
    return diagnostic("hidden-text", message, path, _line(text, run.start))


def _line(text: str, position: int) -> int:
    return 1 + text.count("\n", 0, position)
