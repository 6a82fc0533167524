"""The line of a hit's body that says most of what was asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from catalog.injection.prepare import PreparedSkill
from catalog.injection.tokens import TokenCounter
from catalog.search.request import Hit
from catalog.text.analysis import chunk_words, chunks, normalised
from catalog.text.stems import DEFAULT_LANGUAGE

MAX_SNIPPET_CHARACTERS = 240
_LINES_READ = 400


def snippet(skill: PreparedSkill, matched_terms: Sequence[str]) -> str:
    """The first line of the clean body with the most of the matched terms, or an empty string.

    A line over 240 characters is cut at a blank. The skill has been through capability and
    redaction, so the snippet has too.
    """
    wanted = _stems(" ".join(matched_terms))
    best, best_score = "", 0
    for line in skill.body.splitlines()[:_LINES_READ]:
        text = line.strip(" \t#>*-|`")
        if text:
            score = len(wanted & _stems(text))
            if score > best_score:
                best, best_score = text, score
    if len(best) <= MAX_SNIPPET_CHARACTERS:
        return best
    cut = best[:MAX_SNIPPET_CHARACTERS]
    return (cut[: cut.rfind(" ")] if " " in cut else cut) + " …"


def with_snippets(
    hits: Sequence[Hit],
    snippets: Sequence[str],
    tokens: int,
    max_tokens: int | None,
    counter: TokenCounter,
) -> tuple[tuple[Hit, ...], int]:
    """The hits with those snippets that still fit, earlier ones first, and the new size."""
    told = list(hits)
    for place, text in enumerate(snippets):
        size = counter.count(f"{text}\n") if text else 0
        if size and (max_tokens is None or tokens + size <= max_tokens):
            told[place] = replace(told[place], snippet=text)
            tokens += size
    return tuple(told), tokens


def _stems(text: str) -> set[str]:
    return {
        word.stem
        for chunk in chunks(normalised(text))
        for word in chunk_words(chunk, DEFAULT_LANGUAGE)
    }
