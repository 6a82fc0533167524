"""From everything that was ranked to the page that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from catalog.card import Entry
from catalog.page_token import page_position, page_token
from catalog.search.request import Ranked, SearchRequest
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


def page_of(ranked: Sequence[Ranked], request: SearchRequest) -> tuple[Sequence[Ranked], str]:
    """The page of a request, and the token of the next one or an empty string.

    Raises:
        InvalidPageToken: the request's token belongs to another request.
    """
    bound = replace(request, page_token="")
    start = page_position(request.page_token, bound, (int,))[0] if request.page_token else 0
    end = start + request.limit
    following = page_token([end], bound) if len(ranked) > end else ""
    return ranked[start:end], following


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
