"""Which visible entries a request admits: filters and capability, as one question."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from catalog.card import Entry
from catalog.injection.capability import Gate
from catalog.scope import Scope
from catalog.search.request import Filters
from catalog.text.folding import fold

NO_FILTERS = Filters()


def admission(gate: Gate, filters: Filters, scopes: Mapping[int, Scope]) -> Callable[[Entry], bool]:
    """The question that every rung and every list asks of an entry before its limit."""
    if filters == NO_FILTERS:
        return lambda entry: gate.admits(entry.requirements)
    tags = {fold(tag) for tag in filters.tags}
    task_types = {fold(task_type) for task_type in filters.task_types}

    def admits(entry: Entry) -> bool:
        return (
            gate.admits(entry.requirements)
            and tags <= {fold(tag) for tag in entry.card.tags}
            and (not filters.packs or entry.pack in filters.packs)
            and (not task_types or fold(entry.task_type) in task_types)
            and (not filters.origins or entry.origin in filters.origins)
            and (not filters.scopes or scopes[entry.scope_id].kind in filters.scopes)
        )

    return admits
