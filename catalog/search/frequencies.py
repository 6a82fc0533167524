"""In how many entries of each visible scope a term occurs, asked of the store only once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from catalog.search.rung import Question

MAX_REMEMBERED_FREQUENCIES: Final = 100_000
"""Terms of one scope whose frequency is kept between searches."""


def document_frequencies(question: Question, keys: Iterable[int]) -> dict[int, dict[int, int]]:
    """By scope id, the number of entries for each of the term keys."""
    keys = dict.fromkeys(keys)
    found = {}
    for scope_id in question.visible.scopes:
        known = question.memory(scope_id).frequencies
        missing = [key for key in keys if key not in known]
        asked = question.reader.document_frequencies(scope_id, missing) if missing else {}
        found[scope_id] = {key: known.get(key, asked.get(key, 0)) for key in keys}
        if len(known) < MAX_REMEMBERED_FREQUENCIES:
            known.update(found[scope_id])
    return found
