"""Writing a pack: all of it in one transaction, or none."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import replace

from catalog.audit import AuditEvent, Outcome
from catalog.errors import InvalidPack, SkillNotFound
from catalog.identity import Identity
from catalog.injection.tokens import TokenCounter
from catalog.lifecycle import Change
from catalog.scope import Scope
from catalog.search.document import IndexedDocument
from catalog.skill import Skill
from catalog.stores.store import StoreWriter
from catalog.text.surrogates import holds_half_a_pair

MAX_PACK_NAME_CHARACTERS = 128


class PackWriting:
    """The present skills of one pack in one scope, and the changes of one import to them.

    `existing` maps qualified names, and `existing_by_path` source paths, to what is stored
    when the import begins; `deleted` maps names that somebody deleted since the last import
    that had them to the content hash they had. With `dry_run` every change is reported and
    none is written. `origin_reference` names where the import comes from, and the skills that
    it has with it; None keeps what is said of them.
    """

    def __init__(
        self,
        writer: StoreWriter,
        identity: Identity,
        scope: Scope,
        pack: str,
        counter: TokenCounter,
        now: float,
        request_id: str,
        dry_run: bool,
        origin_reference: str | None = None,
    ) -> None:
        self._writer = writer
        self._identity = identity
        self._scope = scope
        self._pack = pack
        self._changed = False
        self._counter = counter
        self._now = now
        self._request_id = request_id
        self.dry_run = dry_run
        self._origin_reference = origin_reference
        self._from_elsewhere: list[int] = []
        present = writer.pack_entries(scope, pack)
        self.deleted: Mapping[str, str] = writer.deleted_of_pack(scope, pack)
        self._entries = {entry.qualified_name: entry for entry in present}
        self.existing: Mapping[str, str] = {
            entry.qualified_name: entry.content_hash for entry in present
        }
        self.existing_by_path: Mapping[str, tuple[str, str]] = {
            entry.source_path: (entry.qualified_name, entry.content_hash) for entry in present
        }

    def put(
        self,
        skill: Skill,
        artifacts: Mapping[str, bytes],
        document: IndexedDocument | None = None,
    ) -> Change:
        """Write the skill unless the same content is there already, or was deleted here.

        Args:
            artifacts: the bytes of each of the skill's artifacts, by SHA-256.
            document: what the index keeps of it, where that was made already.
        """
        content_hash = skill.content_hash
        present = self.existing.get(skill.qualified_name)
        if present == content_hash:
            self.keep(skill.qualified_name)
            return Change.UNCHANGED
        if present is None and self.deleted.get(skill.qualified_name) == content_hash:
            return Change.DELETED_HERE
        change = Change.ADDED if present is None else Change.UPDATED
        self._changed = True
        if not self.dry_run:
            for artifact in skill.artifacts:
                self._writer.put_artifact(self._scope, artifact.sha256, artifacts[artifact.sha256])
            if self._origin_reference:
                skill = replace(skill, origin_reference=self._origin_reference)
            tokens = self._counter.count(skill.body)
            self._writer.put(self._scope, skill, tokens, self._now, document=document)
            self._audit("skill_put", skill.qualified_name, content_hash)
        return change

    def keep(self, qualified_name: str) -> None:
        """Take note that the source has the skill as it is stored."""
        entry = self._entries[qualified_name]
        if self._origin_reference not in (None, entry.origin_reference):
            self._from_elsewhere.append(entry.entry_id)

    def existing_from(self, origin_reference: str) -> tuple[str, ...]:
        """Qualified names of the skills that came from there, when the import begins."""
        return tuple(
            name
            for name, entry in self._entries.items()
            if entry.origin_reference == origin_reference
        )

    def remove(self, qualified_name: str) -> None:
        """Take a skill of the pack out of the catalog.

        Raises:
            SkillNotFound: the pack has no skill of that name in this scope.
        """
        entry = self._entries.get(qualified_name)
        if entry is None:
            raise SkillNotFound("the pack has no skill of that name")
        self._changed = True
        if not self.dry_run:
            self._writer.remove(entry.entry_id, self._now)
            self._audit("skill_remove", qualified_name, entry.content_hash)

    def finish(self) -> None:
        """Record the import as a whole."""
        if not self.dry_run:
            if self._from_elsewhere and self._origin_reference is not None:
                self._writer.refer_to_origin(
                    self._scope, self._from_elsewhere, self._origin_reference
                )
            self._audit(
                "pack_import", self._pack, "", Outcome.DONE if self._changed else Outcome.UNCHANGED
            )

    def _audit(
        self, action: str, subject: str, content_hash: str, outcome: Outcome = Outcome.DONE
    ) -> None:
        self._writer.append_audit(
            AuditEvent.of(
                self._identity,
                action,
                outcome,
                self._now,
                subject=subject,
                content_hash=content_hash,
                request_id=self._request_id,
            )
        )


def checked_pack_name(name: str) -> str:
    """The name in NFC.

    Raises:
        InvalidPack: it is blank, over 128 characters, or holds a colon, a slash, a
            control character or a lone surrogate.
    """
    pack = unicodedata.normalize("NFC", name.strip())
    if not pack or len(pack) > MAX_PACK_NAME_CHARACTERS:
        raise InvalidPack(
            f"pack name has {len(pack)} characters; it takes 1 to {MAX_PACK_NAME_CHARACTERS}",
            field="pack_name",
            limit=MAX_PACK_NAME_CHARACTERS,
        )
    if holds_half_a_pair(pack) or any(
        character in ":/\\" or unicodedata.category(character) == "Cc" for character in pack
    ):
        raise InvalidPack(
            "pack name holds a colon, a slash, a control character or a lone surrogate",
            field="pack_name",
        )
    return pack
