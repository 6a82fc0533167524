"""From everything that was ranked to the page that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from catalog.card import Entry
from catalog.search.request import Ranked
from catalog.stores.store import StoreReader, Visible

_ENTRIES_A_READ = 500


def distinct(
    ranked: Sequence[Ranked], reader: StoreReader
) -> tuple[list[Ranked], Mapping[int, Entry]]:
    """The ranked entries without copies: packs that carry the same skill show it once."""
    entries = reader.entries([hit.entry_id for hit in ranked])
    seen: set[tuple[str, str]] = set()
    kept = []
    for hit in ranked:
        card = entries[hit.entry_id].card
        key = (card.name, card.content_hash)
        if key not in seen:
            seen.add(key)
            kept.append(hit)
    return kept, entries


def page_of(
    ranked: Sequence[Ranked], start: int, limit: int
) -> tuple[Sequence[Ranked], int | None]:
    """The page that begins there, and where the next one does; None at the end."""
    end = start + limit
    return ranked[start:end], end if len(ranked) > end else None


@dataclass(frozen=True, slots=True)
class EntryPage:
    entries: list[Entry]
    more: bool


def admitted_page(
    reader: StoreReader,
    visible: Visible,
    admits: Callable[[Entry], bool],
    after: int | None,
    size: int,
    checkpoint: Callable[[], None],
) -> EntryPage:
    """The next `size` visible and admitted entries by qualified name: filter, then limit."""
    found: list[Entry] = []
    scope_ids = list(visible.scopes)
    while scope_ids:
        checkpoint()
        batch = reader.page(scope_ids, after, _ENTRIES_A_READ)
        for entry in batch:
            if entry.entry_id in visible.hidden or not admits(entry):
                continue
            if len(found) == size:
                return EntryPage(found, more=True)
            found.append(entry)
        if len(batch) < _ENTRIES_A_READ:
            break
        after = batch[-1].entry_id
    return EntryPage(found, more=False)


def directory_entries(
    reader: StoreReader,
    visible: Visible,
    admits: Callable[[Entry], bool],
    by_use: bool,
    size: int,
    checkpoint: Callable[[], None],
) -> list[Entry]:
    """The first `size` visible and admitted entries in the order of a directory."""
    found: list[Entry] = []
    scope_ids = list(visible.scopes)
    offset = 0
    while scope_ids and len(found) < size:
        checkpoint()
        batch = reader.directory(scope_ids, by_use, offset, _ENTRIES_A_READ)
        found += [
            entry for entry in batch if entry.entry_id not in visible.hidden and admits(entry)
        ]
        if len(batch) < _ENTRIES_A_READ:
            break
        offset += len(batch)
    return found[:size]
