"""Names of persons, for operators who want them masked: a model, not a pattern.

Needs the extra `[ner]` (presidio-analyzer with a spaCy model). The rule is not registered;
an operator who enables it adds it to the registered rules. It is as fast as the model, not
as the other rules.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from catalog.errors import InvalidConfiguration
from catalog.injection.redaction.rule import Span

MIN_SCORE = 0.6


class PersonNameRule:
    """Args:
    language: of the texts, as the installed model knows it (`en`).

    Raises:
        InvalidConfiguration: the extra is not installed, or has no model of the language.
    """

    name = "person_name"
    entity = "PERSON"

    def __init__(self, language: str = "en") -> None:
        try:
            presidio: Any = importlib.import_module("presidio_analyzer")
        except ImportError as missing:
            raise InvalidConfiguration(
                "redaction of person names needs presidio-analyzer; "
                "install the extra: skillcatalog[ner]",
                setting="redaction_person_names",
            ) from missing
        try:
            self._analyzer = presidio.AnalyzerEngine(supported_languages=[language])
        except (OSError, ValueError) as failed:
            raise InvalidConfiguration(
                f"redaction of person names has no model for the language {language!r}",
                setting="redaction_person_names",
            ) from failed
        self._language = language

    def spans(self, text: str) -> Iterator[Span]:
        for result in self._analyzer.analyze(
            text=text, language=self._language, entities=["PERSON"], score_threshold=MIN_SCORE
        ):
            if "\n" not in text[result.start : result.end]:
                yield result.start, result.end
