"""From a name that a caller wrote to the one skill that it means for this identity."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

from catalog.card import Entry, StoredSkill
from catalog.errors import AmbiguousName, SkillNotFound
from catalog.injection.capability import Gate
from catalog.injection.redaction import masked, redacted_name
from catalog.injection.redaction.masking import placeholder_spans
from catalog.scope import Scope
from catalog.search.searchable import without
from catalog.skill import is_content_hash
from catalog.stores.store import StoreReader, Visible
from catalog.text.analysis import folded

MAX_NAME_CHARACTERS = 512
NO_SUCH_SKILL = "no skill of that name"
NO_SUCH_VERSION = "the skill has no version of that content hash"


def resolve(
    reader: StoreReader,
    visible: Visible,
    name: str,
    admits: Callable[[Entry], bool],
    clean: Callable[[str], str],
) -> Entry:
    """The visible, admitted skill of that bare or qualified name.

    The author's spelling wins over one that differs in case or width, a qualified name over
    a bare one, and a narrower scope over a wider one. Packs that carry the same skill to
    the byte are one answer. A name that redaction changes also counts as it is shown, so
    that what was listed can be asked for.

    Raises:
        SkillNotFound: there is none for this identity and run. The message is the same
            whether the name is absent, foreign or not allowed.
        AmbiguousName: several packs of one scope carry that bare name.
    """
    if not name.strip() or len(name) > MAX_NAME_CHARACTERS:
        raise SkillNotFound(NO_SUCH_SKILL)
    found = [
        entry
        for entry in reader.named(list(visible.scopes), name) or _shown_as(reader, visible, name)
        if entry.entry_id not in visible.hidden and admits(entry)
    ]
    spelled = _spelled(name)
    for spelling in (
        [entry for entry in found if entry.card.qualified_name == spelled],
        [entry for entry in found if entry.card.name == spelled],
        found,
    ):
        if spelling:
            return _only(spelling, clean)
    raise SkillNotFound(NO_SUCH_SKILL)


def resolve_for_run(
    reader: StoreReader,
    visible: Visible,
    names: Sequence[str],
    admits: Callable[[Entry], bool],
    clean: Callable[[str], str],
) -> list[Entry]:
    """The skill of each name, as `resolve`, for a run that sees only what it may use.

    Raises:
        SkillNotFound, AmbiguousName: of the first name that fails; `position` counts from 0.
    """
    found = []
    for position, name in enumerate(names):
        try:
            found.append(resolve(reader, visible, name, admits, clean))
        except SkillNotFound:
            which = f" (name {position + 1} of {len(names)})" if len(names) > 1 else ""
            # The same words whatever the cause, so that they tell of no skill that is hidden.
            raise SkillNotFound(
                f"{NO_SUCH_SKILL}{which}; a run that may use more (capability) may see more skills",
                position=position,
            ) from None
    return found


def _shown_as(reader: StoreReader, visible: Visible, name: str) -> list[Entry]:
    """The visible skills that redaction shows under that name, by scope."""
    shown = _spelled(name)
    spans = placeholder_spans(shown)
    if not spans:
        return []
    indexed = folded(without(shown, spans))
    found = [
        entry_id
        for scope_id in visible.scopes
        for entry_id, text in reader.card_texts(scope_id)
        if indexed in text.split("\n", 2)[:2]
    ]
    entries = reader.entries(found)
    return [
        entry
        for entry in map(entries.__getitem__, found)
        if shown in (_shown(entry.card.qualified_name), _shown(entry.card.name))
    ]


def _shown(name: str) -> str:
    return redacted_name(name, masked)


def version_of(
    reader: StoreReader, present: StoredSkill, content_hash: str, gate: Gate | None = None
) -> StoredSkill:
    """The version of that content hash of a visible skill; the present one or an earlier one.

    Args:
        gate: of a run that has to be allowed that version too.

    Raises:
        SkillNotFound: the skill never had it, or the run may not use what it requires.
    """
    if is_content_hash(content_hash, present.entry.card.content_hash):
        return present
    scope_ids, name = [present.entry.scope_id], present.skill.qualified_name
    earlier = reader.archived(scope_ids, name, content_hash)
    if earlier is None or (gate and not gate.admits(earlier.skill.requirements)):
        raise SkillNotFound(NO_SUCH_VERSION)
    return earlier


def resolve_deleted(
    reader: StoreReader, scopes: Sequence[Scope], name: str, clean: Callable[[str], str]
) -> tuple[int, str]:
    """Scope id and qualified name of what is no longer present, by exactly that qualified or
    bare name; which one of several is said as by `resolve`.

    Args:
        scopes: where to look, narrowest first.

    Raises:
        SkillNotFound: none of the scopes ever had it.
        AmbiguousName: several packs of one scope had that bare name.
    """
    return _deleted(_once_named(reader, scopes, name), name, clean)


def deleted_version(
    reader: StoreReader,
    scopes: Sequence[Scope],
    name: str,
    clean: Callable[[str], str],
    content_hash: str | None = None,
) -> StoredSkill:
    """The version of that content hash, or the last one, of what is no longer present.

    Raises:
        SkillNotFound: none of the scopes ever had it, it is purged, or it never had that version.
        AmbiguousName: as `resolve_deleted`.
    """
    once_there = _once_named(reader, scopes, name)
    kept = {
        once: version
        for once in once_there
        if (version := reader.archived([once[0]], once[1], content_hash)) is not None
    }
    if once_there and not kept and content_hash is not None:
        raise SkillNotFound(NO_SUCH_VERSION)
    return kept[_deleted(list(kept), name, clean)]


def _once_named(reader: StoreReader, scopes: Sequence[Scope], name: str) -> list[tuple[int, str]]:
    if not name.strip() or len(name) > MAX_NAME_CHARACTERS:
        return []
    return reader.once_named(reader.scope_ids(scopes), _spelled(name))


def _deleted(
    found: list[tuple[int, str]], name: str, clean: Callable[[str], str]
) -> tuple[int, str]:
    qualified = [once for once in found if once[1] == _spelled(name)]
    narrowest = qualified[:1] or [once for once in found if once[0] == found[0][0]]
    if not narrowest:
        raise SkillNotFound(NO_SUCH_SKILL)
    if len(narrowest) > 1:
        raise _ambiguous([name for _, name in narrowest], clean)
    return narrowest[0]


def _spelled(name: str) -> str:
    return unicodedata.normalize("NFC", name.strip())


def _only(found: list[Entry], clean: Callable[[str], str]) -> Entry:
    """The one of the narrowest scope; `found` is ordered by scope."""
    narrowest = [entry for entry in found if entry.scope_id == found[0].scope_id]
    if len({entry.card.content_hash for entry in narrowest}) > 1:
        raise _ambiguous([entry.card.qualified_name for entry in narrowest], clean)
    return narrowest[0]


def _ambiguous(names: Sequence[str], clean: Callable[[str], str]) -> AmbiguousName:
    candidates = tuple(dict.fromkeys(redacted_name(name, clean) for name in names))
    return AmbiguousName(
        f"several packs have a skill of that name; ask for one of: {', '.join(candidates)}",
        candidates=candidates,
    )
