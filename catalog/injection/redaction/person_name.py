"""Names of persons, for operators who want them masked: a model, not a pattern.

Needs the extra `[ner]` (presidio-analyzer) and a spaCy model that is installed already; none
is downloaded. The rule is not registered: a catalog has it where its operator names a model.
It takes the time that the model takes, not that of the other rules.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from catalog.errors import InvalidConfiguration
from catalog.injection.redaction.linear_pattern import LinearPattern, Span

MIN_SCORE = 0.6
_SETTING = "redaction_person_names"


class PersonNameRule:
    """Args:
    language: of the texts, as two letters.
    model: the spaCy package that knows names in it.

    Raises:
        InvalidConfiguration: the extra or the model is not installed.
    """

    entity = "PERSON"
    patterns: tuple[LinearPattern, ...] = ()

    def __init__(self, language: str = "en", model: str = "en_core_web_sm") -> None:
        if find_spec("presidio_analyzer") is None:
            raise InvalidConfiguration(
                "masking names of persons needs presidio-analyzer; "
                "install the extra: skillcatalog[ner]",
                setting=_SETTING,
            )
        if find_spec(model) is None:
            raise InvalidConfiguration(
                f"masking names of persons needs the spaCy model {model!r}; install it first",
                setting=_SETTING,
            )
        self._analyzer = _analyzer(language, model)
        self._language = language

    def spans(self, text: str) -> Iterator[Span]:
        for result in self._analyzer.analyze(
            text=text, language=self._language, entities=["PERSON"], score_threshold=MIN_SCORE
        ):
            if "\n" not in text[result.start : result.end]:
                yield result.start, result.end


def _analyzer(language: str, model: str) -> Any:
    presidio: Any = importlib.import_module("presidio_analyzer")
    engines: Any = importlib.import_module("presidio_analyzer.nlp_engine")
    models = [{"lang_code": language, "model_name": model}]
    configuration = {"nlp_engine_name": "spacy", "models": models}
    engine = engines.NlpEngineProvider(nlp_configuration=configuration).create_engine()
    return presidio.AnalyzerEngine(nlp_engine=engine, supported_languages=[language])
