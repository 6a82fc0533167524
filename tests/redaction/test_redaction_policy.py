"""The operator decides whether texts are redacted, a caller may ask for more."""

from __future__ import annotations

import pytest

from catalog.catalog import Catalog
from catalog.injection.redaction import RedactionPolicy
from catalog.requests import GetRequest
from catalog.scope import ScopeKind
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
