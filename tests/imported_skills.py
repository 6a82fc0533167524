"""Who imports in tests, and what is then in a catalog."""

from __future__ import annotations

from catalog.catalog import Catalog
from catalog.identity import Identity, Role
from catalog.requests import ListRequest

IMPORTER = Identity("acme", "ada", "s1", roles=frozenset({Role.IMPORTER, Role.READER}))


def present(catalog: Catalog) -> list[str]:
    """Qualified names in their order."""
    return [listed.card.qualified_name for listed in catalog.list(IMPORTER, ListRequest()).cards]
