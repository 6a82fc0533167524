"""Labelled lines: what is marked must be masked, all else must survive.

A line of `corpus/*.txt` marks each value that must be masked as `⟦ENTITY|value⟧`. `{+}` is
removed; it keeps the best-known token shapes apart in the file. `#` begins a comment.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from catalog.injection.redaction import Redactor

CORPUS = Path(__file__).parent / "corpus"
MARK = re.compile(r"⟦([A-Z_]+)\|(.*?)⟧")


def labelled_lines() -> list[tuple[str, str, set[tuple[str, int, int]]]]:
    lines = []
    for path in sorted(CORPUS.glob("*.txt")):
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            if line and not line.startswith("#"):
                lines.append((f"{path.name}:{number}", *parse(line.replace("{+}", ""))))
    return lines


def parse(line: str) -> tuple[str, set[tuple[str, int, int]]]:
    text, labels, position = "", set(), 0
    for mark in MARK.finditer(line):
        text += line[position : mark.start()]
        labels.add((mark[1], len(text), len(text) + len(mark[2])))
        text += mark[2]
        position = mark.end()
    return text + line[position:], labels


LINES = labelled_lines()


def test_the_corpus_has_at_least_400_lines() -> None:
    assert len(LINES) >= 400


def test_precision_and_recall_are_at_least_99_percent() -> None:
    redactor = Redactor()
    right, missed, wrong = Counter[str](), [], []
    for place, text, labels in LINES:
        found = {(span.entity, span.start, span.end) for span in redactor.redact(text).spans}
        right.update(entity for entity, _, _ in found & labels)
        missed += [(place, entity, text[a:b]) for entity, a, b in labels - found]
        wrong += [(place, entity, text[a:b]) for entity, a, b in found - labels]
    hits = right.total()
    assert hits / (hits + len(wrong)) >= 0.99, wrong
    assert hits / (hits + len(missed)) >= 0.99, missed


@pytest.mark.parametrize(
    "entity",
    ["EMAIL", "PHONE", "PAYMENT_CARD", "IBAN", "NATIONAL_ID", "IP_ADDRESS", "CREDENTIAL"],
)
def test_every_entity_has_positives(entity: str) -> None:
    assert sum(label[0] == entity for _, _, labels in LINES for label in labels) >= 20
