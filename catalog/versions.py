"""What is done with skills that are there: deleted, rolled back, promoted, pinned; and their past.

Every change is one transaction with its audit event in it; every refused change leaves an
event of its own. A change whose caller waits no longer raises DeadlineExceeded and is dropped.
"""

from __future__ import annotations

from dataclasses import replace

from catalog.audit import AuditEvent, Outcome
from catalog.card import Entry, StoredSkill
from catalog.checkpoint import NO_DEADLINE, Checkpoint
from catalog.errors import InvalidSkill, RoleRequired, SkillNotFound
from catalog.foundation import CatalogFoundation
from catalog.identity import Identity, Role
from catalog.injection.capability import Capability, Gate
from catalog.lifecycle import Changed, DeleteRequest
from catalog.naming import resolve
from catalog.proposing import checked_overwrite, content_hash_mismatch
from catalog.requests import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, HistoryAnswer, checked_range
from catalog.scope import ScopeKind, visible_scopes, writable_scope
from catalog.skill import Origin, Skill
from catalog.stores.store import StoreReader, StoreWriter

# Writers see what they write, whatever a run may use; unset tools replace nothing.
ANY_RUN = Gate(Capability())


class CatalogVersions(CatalogFoundation):
    """See `catalog.Catalog`."""

    def delete(
        self,
        identity: Identity,
        request: DeleteRequest,
        request_id: str = "",
        checkpoint: Checkpoint = NO_DEADLINE,
    ) -> Changed:
        """Take a skill out of everything that reads, at once.

        To purge one that is deleted already, its exact qualified name says which.

        Raises:
            SkillNotFound, AmbiguousName: as `get`.
            RoleRequired: the identity may not write there; `purge` needs role admin.
            ContentHashMismatch: the present version is another than the expected one.
        """
        action = "skill_purge" if request.purge else "skill_delete"
        with self._refusals_audited(identity, action, request.name, request_id):
            if request.purge and not identity.has_role(Role.ADMIN):
                raise RoleRequired("purge needs role admin", role=Role.ADMIN)
            with self._written(identity, checkpoint) as writer:
                stored, is_present = self._deletable(writer, identity, request)
                _checked_writer(identity, stored)
                _checked_hash(stored, request.expected_content_hash)
                if is_present:
                    writer.remove(stored.entry.entry_id, self._clock())
                if request.purge:
                    writer.purge(stored.scope, stored.skill.qualified_name)
                self._audit_change(writer, identity, action, stored.skill, request_id)
            if request.purge:
                self.store.erase()
        return self._changed(identity, stored)

    def history(
        self,
        identity: Identity,
        name: str,
        page_size: int = DEFAULT_PAGE_SIZE,
        page_token: str = "",
    ) -> HistoryAnswer:
        """The accepted writes of a skill that this identity sees, newest first.

        A deleted skill is found by its exact qualified name, in the narrowest scope that had
        it.

        Raises:
            SkillNotFound: no visible skill has, or had, that name.
            AmbiguousName: as `get`.
            InvalidQuery: `page_size` is not 1 to 1,000.
            InvalidPageToken: `page_token` belongs to something else.
        """
        checked_range("page_size", page_size, MAX_PAGE_SIZE)
        asked = ("history", name)
        before = self._page_tokens.position(page_token, identity, asked)
        redact = self._redact(identity, asked=True)
        with self.store.read(identity) as reader:
            visible = reader.visible(visible_scopes(identity))
            try:
                entry = resolve(reader, visible, name, lambda _entry: True, redact)
                scope_ids, qualified_name = [entry.scope_id], entry.card.qualified_name
            except SkillNotFound:
                scope_ids, qualified_name = reader.scope_ids(visible_scopes(identity)), name
            for scope_id in scope_ids:
                found = reader.revisions(scope_id, qualified_name, before, page_size)
                if found:
                    oldest = found[-1].number
                    following = oldest if oldest > 1 else None
                    return HistoryAnswer(
                        tuple(
                            replace(line, origin_reference=redact(line.origin_reference))
                            for line in found
                        ),
                        self._page_tokens.token(following, identity, asked),
                    )
        raise SkillNotFound("no skill of that name")

    def rollback(
        self,
        identity: Identity,
        name: str,
        content_hash: str,
        expected_content_hash: str,
        request_id: str = "",
        checkpoint: Checkpoint = NO_DEADLINE,
    ) -> Changed:
        """Make an earlier version of a skill the present one again.

        Raises:
            SkillNotFound: no visible skill has that name, or it never had that version.
            RoleRequired: the identity may not write there.
            ContentHashMismatch: the present version is another than the expected one.
        """
        with (
            self._refusals_audited(identity, "skill_rollback", name, request_id),
            self._written(identity, checkpoint) as writer,
        ):
            stored = self._present(writer, identity, name, None)
            _checked_writer(identity, stored)
            _checked_hash(stored, expected_content_hash, needed=True)
            scope_ids, qualified_name = [stored.entry.scope_id], stored.skill.qualified_name
            earlier = writer.archived(scope_ids, qualified_name, content_hash)
            if earlier is None:
                raise SkillNotFound("the skill has no earlier version of that content hash")
            tokens = earlier.entry.card.tokens
            writer.put(stored.scope, earlier.skill, tokens, self._clock(), "rollback")
            self._audit_change(writer, identity, "skill_rollback", earlier.skill, request_id)
        return self._changed(identity, earlier)

    def promote(
        self,
        identity: Identity,
        name: str,
        kind: ScopeKind,
        expected_content_hash: str = "",
        request_id: str = "",
        checkpoint: Checkpoint = NO_DEADLINE,
    ) -> Changed:
        """Move a skill into a wider scope.

        Raises:
            SkillNotFound, AmbiguousName: as `get`.
            RoleRequired: the identity is no importer (admin, for global).
            InvalidSkill: the scope is not wider than the skill's own.
            PackOverwriteRefused: a pack skill has that name there.
            ContentHashMismatch: the present version is another than the expected one.
        """
        with (
            self._refusals_audited(identity, "skill_promote", name, request_id),
            self._written(identity, checkpoint) as writer,
        ):
            target = writable_scope(identity, kind, Role.IMPORTER)
            stored = self._present(writer, identity, name, None)
            _checked_hash(stored, expected_content_hash)
            if kind.breadth <= stored.scope.kind.breadth:
                raise InvalidSkill(
                    f"scope '{kind}' is not wider than '{stored.scope.kind}', where the skill is",
                    field="scope",
                )
            visible = writer.visible(visible_scopes(identity))
            checked_overwrite(writer, visible, target, stored.skill, None)
            now = self._clock()
            writer.remove(stored.entry.entry_id, now)
            writer.put(target, stored.skill, stored.entry.card.tokens, now, "promote")
            self._audit_change(writer, identity, "skill_promote", stored.skill, request_id)
        return replace(self._changed(identity, stored), scope=kind)

    def pin(
        self,
        identity: Identity,
        name: str,
        pinned: bool,
        request_id: str = "",
        checkpoint: Checkpoint = NO_DEADLINE,
    ) -> Changed:
        """Put a skill at the head of directories, or take it from there.

        Raises:
            SkillNotFound, AmbiguousName: as `get`.
            RoleRequired: the identity may not import into the skill's scope.
        """
        action = "skill_pin" if pinned else "skill_unpin"
        with (
            self._refusals_audited(identity, action, name, request_id),
            self._written(identity, checkpoint) as writer,
        ):
            stored = self._present(writer, identity, name, None)
            writable_scope(identity, stored.scope.kind, Role.IMPORTER)
            writer.pin(stored.scope, stored.skill.qualified_name, pinned)
            self._audit_change(writer, identity, action, stored.skill, request_id)
        return self._changed(identity, stored)

    def _present(
        self, reader: StoreReader, identity: Identity, name: str, kind: ScopeKind | None
    ) -> StoredSkill:
        """The skill of that name as one who writes means it: whatever a run may use, and in
        that scope where one is given."""
        visible = reader.visible(visible_scopes(identity))

        def meant(entry: Entry) -> bool:
            return kind is None or visible.scopes[entry.scope_id].kind is kind

        seen = visible if kind is None else replace(visible, hidden=frozenset())
        entry = resolve(reader, seen, name, meant, self._redact(identity, asked=True))
        return reader.skill(entry.entry_id)

    def _deletable(
        self, reader: StoreReader, identity: Identity, request: DeleteRequest
    ) -> tuple[StoredSkill, bool]:
        """The skill that is meant, and whether it is present: a purge may be of a deleted one."""
        try:
            return self._present(reader, identity, request.name, request.scope), True
        except SkillNotFound:
            gone = self._gone(reader, identity, request) if request.purge else None
            if gone is None:
                raise
            return gone, False

    def _gone(
        self, reader: StoreReader, identity: Identity, request: DeleteRequest
    ) -> StoredSkill | None:
        """The last version of a deleted skill of that qualified name, in the narrowest scope."""
        scopes = [
            scope
            for scope in visible_scopes(identity)
            if request.scope is None or scope.kind is request.scope
        ]
        for scope_id in reader.scope_ids(scopes):
            for revision in reader.revisions(scope_id, request.name, None, MAX_PAGE_SIZE):
                gone = reader.archived([scope_id], request.name, revision.content_hash)
                if gone is not None:
                    return gone
        return None

    def _changed(self, identity: Identity, stored: StoredSkill) -> Changed:
        redact = self._redact(identity, asked=True)
        card = self._preparation.card(stored.entry, ANY_RUN, redact)
        return Changed(card, stored.scope.kind, stored.skill.origin)

    def _audit_change(
        self,
        writer: StoreWriter,
        identity: Identity,
        action: str,
        skill: Skill,
        request_id: str,
        outcome: Outcome = Outcome.DONE,
    ) -> None:
        writer.append_audit(
            AuditEvent.of(
                identity,
                action,
                outcome,
                self._clock(),
                subject=skill.qualified_name,
                content_hash=skill.content_hash,
                request_id=request_id,
            )
        )


def _checked_writer(identity: Identity, stored: StoredSkill) -> None:
    """Raises:
    RoleRequired: generated skills are their authors', all others the importers'.
    """
    roles = (Role.AUTHOR, Role.IMPORTER) if stored.skill.origin is Origin.GENERATED else ()
    writable_scope(identity, stored.scope.kind, *(roles or (Role.IMPORTER,)))


def _checked_hash(stored: StoredSkill, expected: str, *, needed: bool = False) -> None:
    """Raises:
    ContentHashMismatch: another version is present, or none was named where one must be.
    """
    current = stored.entry.card.content_hash
    if (expected or needed) and expected != current:
        raise content_hash_mismatch(current)
