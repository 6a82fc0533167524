"""What is done with skills that are there: deleted, rolled back, promoted, pinned.

Every change is one transaction with its audit event in it; every refused change leaves an
event of its own. A change whose caller waits no longer raises DeadlineExceeded and is dropped.
"""

from __future__ import annotations

from dataclasses import replace

from catalog.audit import AuditEvent, Outcome
from catalog.card import Entry, StoredSkill
from catalog.checkpoint import NO_DEADLINE, Checkpoint
from catalog.errors import InvalidSkill, SkillNotFound
from catalog.history import CatalogHistory
from catalog.identity import Identity, Role
from catalog.injection.capability import Capability, Gate
from catalog.lifecycle import Change, Changed, DeleteRequest
from catalog.naming import deleted_version, resolve, version_of
from catalog.proposing import checked_overwrite, checked_promotion, content_hash_mismatch
from catalog.scope import ScopeKind, visible_scopes, writable_scope
from catalog.shapes import checked_arguments
from catalog.skill import Origin, Skill, is_content_hash
from catalog.stores.store import StoreReader, StoreWriter

# Writers see what they write, whatever a run may use; unset tools replace nothing.
ANY_RUN = Gate(Capability())


class CatalogVersions(CatalogHistory):
    """See `catalog.Catalog`."""

    @checked_arguments()
    def delete(
        self,
        identity: Identity,
        request: DeleteRequest,
        request_id: str = "",
        checkpoint: Checkpoint = NO_DEADLINE,
    ) -> Changed:
        """Take a skill out of everything that reads, at once.

        To purge one that is deleted already, its exact name says which.

        Raises:
            SkillNotFound, AmbiguousName: as `get`.
            RoleRequired: the identity may not write there; `purge` needs role admin.
            ContentHashMismatch: the present version is another than the expected one.
        """
        action = "skill_purge" if request.purge else "skill_delete"
        with self._allowed(identity, action, request.name, request_id):
            with self._written(identity, checkpoint) as writer:
                stored, is_present = self._deletable(writer, identity, request)
                _checked_writer(identity, stored)
                _checked_hash(stored, request.expected_content_hash)
                if is_present:
                    writer.remove(stored.entry.entry_id, self._clock(), "delete")
                if request.purge:
                    writer.purge(stored.scope, stored.skill.qualified_name)
                self._audit_change(writer, identity, action, stored.skill, request_id)
            if request.purge:
                self.store.erase()
        return self._changed(identity, stored)

    @checked_arguments()
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

        A deleted skill comes back where it was, by its exact name and one of its content
        hashes, until it is purged. The version that is present already is a no-op.

        Args:
            expected_content_hash: of the present version; empty for a deleted skill.

        Raises:
            SkillNotFound: no visible skill has, or had, that name, or it never had that version.
            AmbiguousName: as `get`.
            RoleRequired: the identity may not write there.
            PackOverwriteRefused: a pack has brought a skill of the deleted one's name.
            ContentHashMismatch: the present version is another than the expected one.
        """
        with (
            self._allowed(identity, "skill_rollback", name, request_id),
            self._written(identity, checkpoint) as writer,
        ):
            present, wanted = self._versions(writer, identity, name, content_hash)
            _checked_writer(identity, present or wanted)
            if present is not None:
                _checked_hash(present, expected_content_hash, needed=True)
            else:
                visible = writer.visible(visible_scopes(identity))
                checked_overwrite(
                    writer, visible, wanted.scope, wanted.skill, expected_content_hash
                )
            outcome = Outcome.UNCHANGED if present is wanted else Outcome.DONE
            if outcome is Outcome.DONE:
                tokens = wanted.entry.card.tokens
                writer.put(wanted.scope, wanted.skill, tokens, self._clock(), "rollback")
            self._audit_change(
                writer, identity, "skill_rollback", wanted.skill, request_id, outcome
            )
        return self._changed(identity, wanted)

    @checked_arguments()
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
            SkillExists: the wider scope has another skill of that name.
            ContentHashMismatch: the present version is another than the expected one.
        """
        with (
            self._allowed(identity, "skill_promote", name, request_id),
            self._written(identity, checkpoint) as writer,
        ):
            target = writable_scope(identity, kind, Role.IMPORTER)
            # Of the global scope, admins of other tenants.
            writer.hold(target)
            stored = self._present(writer, identity, name, None)
            _checked_hash(stored, expected_content_hash)
            if kind.breadth <= stored.scope.kind.breadth:
                raise InvalidSkill(
                    f"scope '{kind}' is not wider than '{stored.scope.kind}', where the skill is",
                    field="scope",
                )
            visible = writer.visible(visible_scopes(identity))
            change = checked_promotion(writer, visible, target, stored.skill)
            now = self._clock()
            writer.remove(stored.entry.entry_id, now)
            if change is not Change.UNCHANGED:
                skill = _shown_to(kind, stored.skill)
                writer.put(target, skill, stored.entry.card.tokens, now, "promote")
            self._audit_change(writer, identity, "skill_promote", stored.skill, request_id)
        return replace(self._changed(identity, stored), scope=kind)

    @checked_arguments()
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
            self._allowed(identity, action, name, request_id),
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
            if not request.purge:
                raise
            return self._gone(reader, identity, request.name, request.scope), False

    def _versions(
        self, reader: StoreReader, identity: Identity, name: str, content_hash: str
    ) -> tuple[StoredSkill | None, StoredSkill]:
        """The present version of a skill, if it has one, and the one of that content hash."""
        try:
            present = self._present(reader, identity, name, None)
        except SkillNotFound:
            return None, self._gone(reader, identity, name, None, content_hash)
        try:
            return present, version_of(reader, present, content_hash)
        except SkillNotFound as no_such_version:
            # A deleted skill may have the name of one that is present in a wider scope.
            try:
                return None, self._gone(reader, identity, name, None, content_hash)
            except SkillNotFound:
                raise no_such_version from None

    def _gone(
        self,
        reader: StoreReader,
        identity: Identity,
        name: str,
        kind: ScopeKind | None,
        content_hash: str | None = None,
    ) -> StoredSkill:
        """The last version of a deleted skill, or the one of that content hash."""
        scopes = [scope for scope in visible_scopes(identity) if kind is None or scope.kind is kind]
        redact = self._redact(identity, asked=True)
        return deleted_version(reader, scopes, name, redact, content_hash)

    def _changed(self, identity: Identity, stored: StoredSkill) -> Changed:
        redact = self._redact_texts(identity, asked=True)
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


def _shown_to(kind: ScopeKind, skill: Skill) -> Skill:
    """The skill without the session and run it came from, where other tenants read it."""
    is_told = kind is not ScopeKind.GLOBAL or skill.origin is not Origin.GENERATED
    return skill if is_told else replace(skill, origin_reference="")


def _checked_writer(identity: Identity, stored: StoredSkill) -> None:
    """Raises:
    RoleRequired: generated skills are their authors', all others the importers'.
    """
    author = (Role.AUTHOR,) if stored.skill.origin is Origin.GENERATED else ()
    writable_scope(identity, stored.scope.kind, *author, Role.IMPORTER)


def _checked_hash(stored: StoredSkill, expected: str, *, needed: bool = False) -> None:
    """Raises:
    ContentHashMismatch: another version is present, or none was named where one must be.
    """
    current = stored.entry.card.content_hash
    if (expected or needed) and not is_content_hash(expected, current):
        raise content_hash_mismatch(current, expected)
