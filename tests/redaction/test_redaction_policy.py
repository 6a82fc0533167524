"""The operator decides whether texts are redacted, a caller may ask for more."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from catalog.catalog import Catalog
from catalog.injection.redaction import RedactionPolicy
from catalog.injection.redaction.linear_pattern import LinearPattern, Span
from catalog.requests import DirectoryRequest, GetRequest, ListRequest
from catalog.scope import ScopeKind
from catalog.search.request import SearchRequest
from tests.written_skills import identity, written_skill

ADDRESS = "ann@kilnworks.io"


def got(catalog: Catalog, tenant: str, *, redact: bool) -> str:
    who = identity(tenant)
    with catalog.pack_writer(who, ScopeKind.TENANT, "tools") as writing:
        writing.put(written_skill("kiln", body=f"Ask {ADDRESS}.", pack="tools"), {})
    return catalog.get(who, GetRequest(("kiln",), redact=redact)).text


@pytest.mark.parametrize(
    ("policy", "asked", "redacts"),
    [
        (RedactionPolicy.ALWAYS, False, True),
        (RedactionPolicy.ALWAYS, True, True),
        (RedactionPolicy.ON_REQUEST, False, False),
        (RedactionPolicy.ON_REQUEST, True, True),
        (RedactionPolicy.OFF, False, False),
        (RedactionPolicy.OFF, True, False),
    ],
)
def test_the_operator_decides_and_a_caller_may_ask_for_more(
    policy: RedactionPolicy, asked: bool, redacts: bool
) -> None:
    catalog = Catalog.open("memory:", redaction=policy)
    text = got(catalog, "acme", redact=asked)
    assert ("[REDACTED:EMAIL]" in text, ADDRESS in text) == (redacts, not redacts)


def test_a_tenant_may_have_a_policy_of_its_own() -> None:
    catalog = Catalog.open("memory:", tenant_redaction={"globex": RedactionPolicy.OFF})
    assert ADDRESS in got(catalog, "globex", redact=False)
    assert ADDRESS not in got(catalog, "acme", redact=False)


def test_a_tenant_is_known_however_its_accents_were_typed() -> None:
    catalog = Catalog.open("memory:", tenant_redaction={"cafe\u0301": RedactionPolicy.OFF})
    assert ADDRESS in got(catalog, "caf\u00e9", redact=False)


class PotterRule:
    """Masks one potter wherever she is named."""

    entity = "PERSON"
    patterns = (LinearPattern("(?i)lucie"),)

    def spans(self, text: str) -> Iterator[Span]:
        return (groups[0] for groups in self.patterns[0].matches(text))


def answers(catalog: Catalog, *, redact: bool = False) -> dict[str, object]:
    """What each way to ask answers about the skills of a pack that names persons."""
    who = identity()
    text = f"Ask Lucie or {ADDRESS}."
    with catalog.pack_writer(who, ScopeKind.TENANT, "tools") as writing:
        writing.put(written_skill("lucie-bowl", text, f"# How\n\n{text}\n"), {})
    return {
        "search": catalog.search(who, SearchRequest("bowl", snippets=True, redact=redact)).hits,
        "get": catalog.get(who, GetRequest(("lucie-bowl",), redact=redact)).text,
        "list": catalog.list(who, ListRequest(redact=redact)).cards,
        "directory": catalog.directory(who, DirectoryRequest(redact=redact)).text,
    }


def test_a_further_rule_masks_beside_the_registered_ones_in_every_answer() -> None:
    catalog = Catalog.open("memory:", redaction_rules=[PotterRule()])
    for answer in map(str, answers(catalog).values()):
        assert "[REDACTED:PERSON] or [REDACTED:EMAIL]" in answer
        assert "Lucie" not in answer


def test_a_further_rule_leaves_the_name_by_which_a_skill_is_asked_for() -> None:
    catalog = Catalog.open("memory:", redaction_rules=[PotterRule()])
    for answer in map(str, answers(catalog).values()):
        assert "tools:lucie-bowl" in answer


def test_a_further_rule_follows_the_policy_and_is_of_its_catalog_alone() -> None:
    asked = Catalog.open(
        "memory:", redaction_rules=[PotterRule()], redaction=RedactionPolicy.ON_REQUEST
    )
    assert "Ask Lucie" in str(answers(asked)["get"])
    assert "Ask Lucie" not in str(answers(asked, redact=True)["get"])
    assert "Ask Lucie or [REDACTED:EMAIL]" in str(answers(Catalog.open("memory:"))["get"])
