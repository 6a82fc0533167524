"""Skills that say much the same as a proposed one, so that agents do not pile up copies."""

from __future__ import annotations

from collections.abc import Callable

from catalog.card import Entry
from catalog.injection.redaction import redacted_name
from catalog.lifecycle import NearDuplicate
from catalog.search.document import index_document
from catalog.search.ladder import search_ladder
from catalog.search.profile import Profile
from catalog.search.request import MAX_QUERY_CHARACTERS, SearchRequest
from catalog.skill import Skill
from catalog.steps import StepClock
from catalog.stores.store import StoreReader, Visible

NEAR = 0.6
"""Share of common terms (Jaccard) from which two skills are near duplicates."""
_COMPARED = 10


def near_duplicates(
    reader: StoreReader,
    visible: Visible,
    skill: Skill,
    admits: Callable[[Entry], bool],
    clean: Callable[[str], str],
) -> tuple[NearDuplicate, ...]:
    """Visible and admitted skills of other names, the most similar first."""
    query = f"{skill.title} {skill.description}"[:MAX_QUERY_CHARACTERS]
    request = SearchRequest(query, limit=_COMPARED)
    ranked, _ = search_ladder(reader, visible, request, admits, StepClock())
    ids = [hit.entry_id for hit in ranked[:_COMPARED]]
    entries, profiles = reader.entries(ids), reader.profiles(ids)
    terms = Profile.decode(index_document(skill).profile).terms()
    found = []
    for entry_id in ids:
        card = entries[entry_id].card
        if card.qualified_name == skill.qualified_name:
            continue
        others = profiles[entry_id].terms()
        similarity = len(terms & others) / max(1, len(terms | others))
        if similarity >= NEAR:
            found.append(
                NearDuplicate(redacted_name(card.qualified_name, clean), round(similarity, 3))
            )
    return tuple(sorted(found, key=lambda near: (-near.similarity, near.qualified_name)))
