"""Patterns in linear time whatever the text: google-re2 on UTF-8, spans in characters.

RE2's own `str` interface maps offsets for every group of every match and costs two to three
times as much per match as the bytes one; a text full of matches is where that counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import re2

Span: TypeAlias = tuple[int, int]
"""Half-open range (start, end) of characters of the text that was searched."""

DFA_BYTES = 16 << 20

NOT_MATCHED = (-1, -1)


class LinearPattern:
    """A compiled RE2 pattern over `str`."""

    def __init__(self, pattern: str, *, ignore_case: bool = False) -> None:
        self.source = f"(?i){pattern}" if ignore_case else pattern
        options = re2.Options()
        options.max_mem = DFA_BYTES
        options.log_errors = False
        self._compiled = re2.compile(self.source.encode(), options)

    def matches(self, text: str) -> Iterator[tuple[Span, ...]]:
        """For each match from left to right, the spans of group 0, 1, 2, … in characters.

        A group that took no part is `NOT_MATCHED`.
        """
        searched = encoded(text)
        groups = range(self._compiled.groups + 1)
        if len(searched) == len(text):
            for match in self._compiled.finditer(searched):
                yield tuple(_spans_of(match, groups))
            return
        bytes_before, characters_before = 0, 0
        for match in self._compiled.finditer(searched):
            spans = _spans_of(match, groups)
            start = spans[0][0]
            characters_before += _characters(searched[bytes_before:start])
            bytes_before = start
            yield tuple(
                [
                    span
                    if span == NOT_MATCHED
                    else _in_characters(searched, start, characters_before, span)
                    for span in spans
                ]
            )

    def found_in(self, text: str) -> bool:
        return self._compiled.search(encoded(text)) is not None

    def covers(self, text: str) -> bool:
        """Whether the whole text is one match."""
        return self._compiled.fullmatch(encoded(text)) is not None


class LinearAlternatives:
    """Several patterns of which one begins a short text: which one?

    Groups cost per match, so a pattern that scans a text leaves them out and the few matches
    that matter are told apart with this.
    """

    def __init__(self, patterns: Sequence[str], *, ignore_case: bool = False) -> None:
        self._any = LinearPattern(
            "^(?:" + "|".join(f"({pattern})" for pattern in patterns) + ")",
            ignore_case=ignore_case,
        )

    def first_of(self, text: str) -> int | None:
        """The index of the first pattern that matches at the start of the text."""
        for _, *groups in self._any.matches(text):
            return next(index for index, span in enumerate(groups) if span != NOT_MATCHED)
        return None


def encoded(text: str) -> bytes:
    """The text as RE2 searches it."""
    return text.encode("utf-8", "surrogatepass")


def _spans_of(match: Any, groups: range) -> list[Span]:
    """Every group's span. The public `span()` counts the pattern's groups again at each call,
    which costs more than the match did; the list that the match carries is taken if it is there.
    """
    carried: list[Span] | None = getattr(match, "_spans", None)
    return [match.span(group) for group in groups] if carried is None else carried


def _characters(encoded: bytes) -> int:
    return len(encoded.decode("utf-8", "surrogatepass"))


def _in_characters(searched: bytes, origin: int, characters: int, span: Span) -> Span:
    """A span of bytes in characters, knowing how many `characters` come before `origin`."""
    start, end = span
    if start > origin:
        characters += _characters(searched[origin:start])
    return characters, characters + _characters(searched[start:end])
