"""The last rung: names that are the query, but for case and width.

It needs no index of words, so it answers where an engine has no full text.
"""

from __future__ import annotations

from catalog.search.request import Ranked, Rung, RungReport
from catalog.search.rung import Question


class ExactRung:
    is_last_resort = True

    def answer(self, question: Question) -> tuple[list[Ranked], RungReport]:
        named = question.reader.named(list(question.visible.scopes), question.request.query)
        allowed = question.allowed([entry.entry_id for entry in named])
        ordered = sorted(allowed.values(), key=question.tie)
        hits = [
            Ranked(entry.entry_id, question.lowest, Rung.EXACT, (entry.card.name,), ("name",))
            for entry in ordered
        ]
        return hits, RungReport(Rung.EXACT, True, len(hits), ("name",))
