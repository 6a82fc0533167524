"""From a name that a caller wrote to the one skill that it means for this identity."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from catalog.card import Entry, StoredSkill
from catalog.errors import AmbiguousName, SkillNotFound
from catalog.injection.capability import Gate
from catalog.stores.store import StoreReader, Visible

MAX_NAME_CHARACTERS = 512


def resolve(
    reader: StoreReader,
    visible: Visible,
    name: str,
    admits: Callable[[Entry], bool],
    clean: Callable[[str], str],
    position: int = 0,
) -> Entry:
    """The visible, admitted skill of that bare or qualified name.

    The author's spelling wins over one that differs in case or width, a qualified name over
    a bare one, and a narrower scope over a wider one. Packs that carry the same skill to
    the byte are one answer.

    Raises:
        SkillNotFound: there is none for this identity and run. The message is the same
            whether the name is absent, foreign or not allowed.
        AmbiguousName: several packs of one scope carry that bare name.
    """
    if not name.strip() or len(name) > MAX_NAME_CHARACTERS:
        raise SkillNotFound("no skill of that name", position=position)
    found = [
        entry
        for entry in reader.named(list(visible.scopes), name)
        if entry.entry_id not in visible.hidden and admits(entry)
    ]
    spelled = unicodedata.normalize("NFC", name.strip())
    for spelling in (
        [entry for entry in found if entry.card.qualified_name == spelled],
        [entry for entry in found if entry.card.name == spelled],
        found,
    ):
        if spelling:
            return _only(spelling, clean)
    raise SkillNotFound("no skill of that name", position=position)


def earlier_version(
    reader: StoreReader, present: StoredSkill, content_hash: str, gate: Gate
) -> StoredSkill:
    """The version of that content hash of a visible skill, when this run may see it too.

    Raises:
        SkillNotFound: the skill never had it, or the run may not use what it requires.
    """
    scope_ids, name = [present.entry.scope_id], present.skill.qualified_name
    earlier = reader.archived(scope_ids, name, content_hash)
    if earlier is None or not gate.admits(earlier.skill.requirements):
        raise SkillNotFound("the skill has no version of that content hash")
    return earlier


def _only(found: list[Entry], clean: Callable[[str], str]) -> Entry:
    """The one of the narrowest scope; `found` is ordered by scope."""
    narrowest = [entry for entry in found if entry.scope_id == found[0].scope_id]
    if len({entry.card.content_hash for entry in narrowest}) > 1:
        candidates = tuple(clean(entry.card.qualified_name) for entry in narrowest)
        raise AmbiguousName(
            f"several packs have a skill of that name; ask for one of: {', '.join(candidates)}",
            candidates=candidates,
        )
    return narrowest[0]
