"""Uses of skills of every scope are counted, those of the global scope too."""

from __future__ import annotations

from catalog.catalog import Catalog
from catalog.identity import Identity
from catalog.requests import DirectoryOrder, DirectoryRequest, GetRequest
from catalog.scope import ScopeKind
from catalog.stores.relational import RelationalStore
from tests.written_skills import identity, written_skill

ANN = identity()
READER = Identity("acme", "eve", "s2")


def test_a_skill_that_is_handed_out_more_often_comes_first(store: RelationalStore) -> None:
    catalog = Catalog(store)
    for kind, name in ((ScopeKind.GLOBAL, "glaze"), (ScopeKind.TENANT, "kiln")):
        with catalog.pack_writer(ANN, kind, "tools") as pack:
            pack.put(written_skill(name), {})
    for name in ("glaze", "glaze", "kiln"):
        catalog.get(READER, GetRequest((name,)))
    catalog._usage.close()
    order = DirectoryRequest(order=DirectoryOrder.MOST_USED)
    cards = catalog.directory(READER, order).cards
    assert [listed.card.name for listed in cards] == ["glaze", "kiln"]
