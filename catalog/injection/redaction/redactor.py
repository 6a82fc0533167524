"""Masks what must not leave a text. Second step of the injection."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from catalog.injection.redaction.folding import fold
from catalog.injection.redaction.masking import (
    OPAQUE,
    EntitySpan,
    RedactedSpan,
    hide,
    mask,
    merged,
    outside_escapes,
    placeholder_spans,
    within_lines,
)
from catalog.injection.redaction.memo import Redacted, RedactionMemo
from catalog.injection.redaction.registry import default_rules
from catalog.injection.redaction.rule import RedactionRule
from catalog.injection.redaction.rule_selection import RuleSelection

MAX_ROUNDS = 4


class Redactor:
    """Applies rules to texts. Safe to share between threads.

    Args:
        rules: what is looked for; the registered ones when None.
    """

    def __init__(self, rules: Iterable[RedactionRule] | None = None) -> None:
        self._selection = RuleSelection(tuple(default_rules() if rules is None else rules))
        self._memo = RedactionMemo()

    def redact(self, text: str) -> Redacted:
        """The text as it may leave.

        The answer has as many lines as the text; redacting it again changes nothing; JSON
        and Python that were valid still are. Without anything to mask, the text comes back
        as the same object.
        """
        if not text:
            return Redacted(text)
        key = self._memo.key(text)
        known = self._memo.recall(key, text)
        if known is not None:
            return known
        spans = self._spans(text)
        redacted = Redacted(text)
        if spans:
            reported = tuple(RedactedSpan(entity, start, end) for start, end, entity in spans)
            redacted = Redacted(mask(text, spans), reported)
        self._memo.keep(key, redacted)
        return redacted

    def _spans(self, text: str) -> list[EntitySpan]:
        """Sorted, disjoint spans of the original.

        A masked value can be what kept its neighbour from being recognised, so what rules
        read has masked values made opaque until nothing more is found. That fixed point is
        what makes redaction idempotent; a second round is needed only where the first one
        found something.
        """
        folded = fold(text)
        view = hide(folded.text, placeholder_spans(folded.text))
        found: list[EntitySpan] = []
        for _ in range(MAX_ROUNDS):
            fresh = self._fresh_spans(view)
            if not fresh:
                break
            found.extend(fresh)
            view = hide(view, [(start, end) for start, end, _ in fresh])
        if not folded.changed:
            return sorted(found)
        originals = folded.original_spans([(start, end) for start, end, _ in found])
        return merged(
            (start, end, entity)
            for (start, end), (_, _, entity) in zip(originals, found, strict=True)
        )

    def _fresh_spans(self, view: str) -> list[EntitySpan]:
        found: list[EntitySpan] = []
        for rule in self._selection.with_a_chance(view):
            spans = list(rule.spans(view))
            if spans:
                entity = rule.entity
                found += [
                    (start, end, entity)
                    for start, end in within_lines(view, outside_escapes(view, spans))
                ]
        if OPAQUE in view:
            found = [span for span in found if OPAQUE not in view[span[0] : span[1]]]
        return merged(found)


UNCONDITIONAL: Final = Redactor()
"""One for the process: what was redacted for the index or a report is remembered for answers. It
knows no policy, and is for what none switches off: index, reports, errors, the audit trail."""


def masked(text: str) -> str:
    """The text as it leaves where the policy (`effective`) redacts."""
    return UNCONDITIONAL.redact(text).text
