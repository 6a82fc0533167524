"""No byte of a masked value is in anything that a catalog answers, wherever it was planted."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_redaction_corpus import LINES

from catalog.catalog import Catalog
from catalog.errors import SkillTooLarge
from catalog.requests import DirectoryRequest, GetRequest, ListRequest
from catalog.scope import ScopeKind
from catalog.search.request import SearchRequest
from tests.written_skills import contents, identity, written_skill

ANN = identity()
PLANTED = [
    (text, [text[start:end] for _, start, end in sorted(labels)])
    for _, text, labels in LINES
    if labels and text.isprintable()
]
BUDGETS = (None, 400, 200, 120, 60)


@pytest.fixture(scope="module")
def catalog() -> Iterator[Catalog]:
    opened = Catalog.open("memory:")
    yield opened
    opened.close()


def planted(line: str) -> dict[str, str]:
    """Fields that take any text, with the line in each as it stands in a file."""
    body = f"# Kiln\n\nFire it.\n\n{line}\n\n## Examples\n\n```\n{line}\n```\n"
    return {"description": line, "body": body, "trigger": f"Fire the kiln.\n{line}"}


def answers(catalog: Catalog, name: str) -> Iterator[object]:
    yield catalog.search(ANN, SearchRequest("fire the kiln", snippets=True, max_tokens=2_000))
    yield catalog.search(ANN, SearchRequest("kiln", snippets=True))
    yield catalog.list(ANN, ListRequest())
    yield catalog.directory(ANN, DirectoryRequest())
    yield catalog.history(ANN, name)
    yield catalog.audit(ANN)
    for budget in BUDGETS:
        try:
            answer = catalog.get(ANN, GetRequest((name,), max_tokens=budget))
        except SkillTooLarge as too_large:
            yield too_large.message, too_large.metadata
        else:
            yield answer.text, answer.skills[0].card
            if budget is None:
                yield answer.skills[0].part.skill


@given(st.sampled_from(PLANTED))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_masked_value_is_in_no_answer(catalog: Catalog, line: tuple[str, list[str]]) -> None:
    text, values = line
    files = {} if "/" in text else {f"refs/{text}.txt": b"notes"}
    skill = written_skill(
        "kiln", tags=(text,), metadata=(("owner", text),), files=files, **planted(text)
    )
    with catalog.pack_writer(ANN, ScopeKind.TENANT, "tools") as writing:
        writing.put(skill, contents(files))
    for answer in answers(catalog, "tools:kiln"):
        said = said_by(answer)
        for value in values:
            assert value not in said, (value, type(answer))


def said_by(answer: object) -> str:
    return repr(answer).replace("\\\\", "\\")
