"""The past of a skill: every accepted write of its name, also behind a delete."""

from __future__ import annotations

from dataclasses import replace

from catalog.errors import SkillNotFound
from catalog.foundation import CatalogFoundation
from catalog.identity import Identity
from catalog.naming import resolve, resolve_deleted
from catalog.requests import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, HistoryAnswer, checked_range
from catalog.scope import visible_scopes
from catalog.shapes import checked_arguments


class CatalogHistory(CatalogFoundation):
    """See `catalog.Catalog`."""

    @checked_arguments()
    def history(
        self,
        identity: Identity,
        name: str,
        page_size: int = DEFAULT_PAGE_SIZE,
        page_token: str = "",
    ) -> HistoryAnswer:
        """The accepted writes of a skill that this identity sees, newest first.

        A deleted skill is found by its exact name, bare or qualified, in the narrowest scope
        that had it.

        Raises:
            SkillNotFound: no visible skill has, or had, that name.
            AmbiguousName: as `get`.
            InvalidQuery: `page_size` is not 1 to 1,000.
            InvalidPageToken: `page_token` belongs to something else.
        """
        self._checked_role(identity, "skill_history")
        checked_range("page_size", page_size, MAX_PAGE_SIZE)
        redact = self._redact(identity, asked=True)
        with self.store.read(identity) as reader:
            visible = reader.visible(visible_scopes(identity))
            try:
                entry = resolve(reader, visible, name, lambda _entry: True, redact)
                skill = entry.scope_id, entry.card.qualified_name
            except SkillNotFound:
                skill = resolve_deleted(reader, visible_scopes(identity), name, redact)
            # The name may come to mean another skill between two pages.
            asked = ("history", skill)
            before = self._page_tokens.position(page_token, identity, asked)
            found = reader.revisions(*skill, before, page_size)
        following = found[-1].number if found and found[-1].number > 1 else None
        return HistoryAnswer(
            tuple(replace(line, origin_reference=redact(line.origin_reference)) for line in found),
            self._page_tokens.token(following, identity, asked),
        )
