"""What an identity sees does not depend on the mode: the conformance tests, in the other two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from catalog.catalog import Catalog
from catalog.identity import Identity
from catalog.search.request import Rung, SearchAnswer, SearchMode, SearchRequest
from tests.conformance import test_visibility as conformance
from tests.semantic.hashing_embedder import HashingEmbedder
from tests.written_skills import written_skill


class InMode(Catalog):
    """Every search in one mode, over vectors that are up to date."""

    mode = SearchMode.SEMANTIC

    def search(self, identity: Identity, request: SearchRequest, *rest: Any) -> SearchAnswer:
        self.embed_missing()
        return super().search(identity, replace(request, mode=self.mode), *rest)


@pytest.fixture(params=[SearchMode.SEMANTIC, SearchMode.HYBRID])
def catalog(request: pytest.FixtureRequest, store_url: str) -> Iterator[Catalog]:
    opened = InMode.open(store_url, embedder=HashingEmbedder())
    opened.mode = request.param  # type: ignore[attr-defined]
    yield opened
    opened.close()


# Two open catalogs of their own, without an embedder; one asks that a word finds nothing,
# and vectors find the nearest, however far.
NOT_APPLICABLE = {
    "test_a_page_token_is_good_for_whom_it_was_given_only",
    "test_what_a_foreign_tenant_imports_changes_no_hit_no_order_and_no_score",
    "test_a_deleted_skill_is_gone_at_once_and_an_edited_one_is_found_by_its_new_words",
}

for _name, _test in vars(conformance).items():
    if _name.startswith("test_") and _name not in NOT_APPLICABLE:
        globals()[_name] = _test


def test_what_a_foreign_tenant_imports_changes_nothing(catalog: Catalog) -> None:
    log, plan = (written_skill(name, f"Kiln {name}s every firing") for name in ("log", "plan"))
    conformance.imported(catalog, log, plan)
    before = catalog.search(conformance.ANN, SearchRequest("log the kiln firing"))
    others = (written_skill(f"kiln-{n}", "Logs every kiln firing") for n in range(30))
    conformance.imported(catalog, *others, who=conformance.BOB)
    assert catalog.search(conformance.ANN, SearchRequest("log the kiln firing")) == before
    catalog._answers.clear()
    assert catalog.search(conformance.ANN, SearchRequest("log the kiln firing")) == before


def test_the_trace_names_what_ran(catalog: InMode) -> None:
    conformance.imported(catalog, written_skill("log", "Logs the kiln"))
    ran = [report.rung for report in catalog.search(conformance.ANN, SearchRequest("kiln")).rungs]
    assert ran[-1] is Rung.SEMANTIC
    assert (Rung.FULL_TEXT in ran) is (catalog.mode is SearchMode.HYBRID)
