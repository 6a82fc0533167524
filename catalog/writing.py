"""How skills come into the catalog: packs and proposals.

Every change is one transaction with its audit event in it; every refused change leaves an
event of its own. A change whose caller waits no longer raises DeadlineExceeded and is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from catalog.audit import Outcome
from catalog.card import card_of
from catalog.checkpoint import NO_DEADLINE, Checkpoint
from catalog.danger import refuse_dangers
from catalog.errors import InvalidPack, InvalidSkill
from catalog.identity import Identity, Role
from catalog.injection.prepare import TextCleaning, clean_card
from catalog.lifecycle import Change, ProposeAnswer, ProposeRequest
from catalog.near_duplicates import near_duplicates
from catalog.pack_writing import PackWriting, checked_pack_name
from catalog.proposing import (
    checked_overwrite,
    checked_proposal,
    generated,
    request_hash,
    scope_for_proposals,
)
from catalog.scope import Scope, ScopeKind, visible_scopes, writable_scope
from catalog.shapes import checked_arguments
from catalog.skill import Skill
from catalog.stores.store import AnsweredProposal, StoreReader, StoreWriter
from catalog.versions import ANY_RUN, CatalogVersions


class CatalogWriting(CatalogVersions):
    """See `catalog.Catalog`."""

    @checked_arguments(InvalidPack)
    @contextmanager
    def pack_writer(
        self,
        identity: Identity,
        scope_kind: ScopeKind,
        pack: str,
        *,
        origin_reference: str | None = None,
        dry_run: bool = False,
        request_id: str = "",
        checkpoint: Checkpoint = NO_DEADLINE,
    ) -> Iterator[PackWriting]:
        """One transaction over the skills of a pack: kept when the block ends, else dropped.

        Args:
            origin_reference: where the skills come from; None where nothing is to be said.

        Raises:
            RoleRequired: the identity may not import into that scope.
            InvalidPack: the pack's name is blank, over 128 characters or holds a colon.
            StoreUnavailable: the store is locked or full.
        """
        name = checked_pack_name(pack)
        with self._allowed(identity, "pack_import", name, request_id):
            scope = writable_scope(identity, scope_kind, Role.IMPORTER)
            with self._written(identity, checkpoint) as writer:
                writing = PackWriting(
                    writer,
                    identity,
                    scope,
                    name,
                    self._counter,
                    self._clock(),
                    request_id,
                    dry_run,
                    origin_reference,
                )
                yield writing
                writing.finish()

    @checked_arguments(InvalidPack)
    def packs_from(
        self,
        identity: Identity,
        scope_kind: ScopeKind,
        origin_reference: str,
        request_id: str = "",
    ) -> list[str]:
        """Packs of that scope that have a skill which an import said to come from there.

        Raises:
            RoleRequired: the identity may not import into that scope.
        """
        with self._allowed(identity, "pack_import", "", request_id):
            scope = writable_scope(identity, scope_kind, Role.IMPORTER)
            with self.store.read(identity) as reader:
                return reader.packs_from(scope, origin_reference)

    @checked_arguments(InvalidSkill)
    def propose(
        self,
        identity: Identity,
        request: ProposeRequest,
        request_id: str = "",
        checkpoint: Checkpoint = NO_DEADLINE,
    ) -> ProposeAnswer:
        """Keep a skill that an agent wrote during a run.

        The same content again is a no-op that says so. A skill that exists is changed only
        by a caller who knows its present content hash.

        Raises:
            RoleRequired: the identity is no author, or may not write into the scope.
            InvalidSkill: it is over 256 KiB, holds a credential or hidden text, or the scope
                is wider than project.
            PackOverwriteRefused: a visible pack skill has that name.
            ContentHashMismatch: the present version is another than the expected one.
        """
        skill = generated(request.skill, identity)
        with self._allowed(identity, "skill_propose", skill.name, request_id):
            scope = scope_for_proposals(identity, request.scope)
            checked_proposal(request)
            refuse_dangers(skill)
            tokens = self._counter.count(skill.body)
            with self._written(identity, checkpoint) as writer:
                change = self._answered(writer, identity, request, scope)
                if change is None:
                    visible = writer.visible(visible_scopes(identity))
                    expected = request.expected_content_hash
                    change = checked_overwrite(writer, visible, scope, skill, expected)
                    if change is not Change.UNCHANGED:
                        writer.put(scope, skill, tokens, self._clock())
                    self._remember(writer, identity, request, scope, skill, change)
                    outcome = Outcome.UNCHANGED if change is Change.UNCHANGED else Outcome.DONE
                    self._audit_change(
                        writer, identity, "skill_propose", skill, request_id, outcome
                    )
        redact = self._redact(identity, asked=True)
        with self.store.read(identity, checkpoint.seconds_left) as reader:
            visible = reader.visible(visible_scopes(identity))
            similar = near_duplicates(reader, visible, skill, lambda _entry: True, redact)
        return ProposeAnswer(
            change=change,
            # Of what was proposed: others may have changed or deleted it by now.
            card=clean_card(
                card_of(skill, tokens),
                TextCleaning(
                    ANY_RUN,
                    skill.requirements,
                    skill.allowed_tools,
                    self._redact_texts(identity, asked=True),
                ),
            ),
            scope=scope.kind,
            reference=redact(skill.origin_reference),
            near_duplicates=similar,
        )

    def _answered(
        self, reader: StoreReader, identity: Identity, request: ProposeRequest, scope: Scope
    ) -> Change | None:
        """What this idempotency key was answered before, if anything."""
        if not request.idempotency_key:
            return None
        answered = reader.answered_proposal(identity, request.idempotency_key)
        if answered is None:
            return None
        if answered.request_hash != request_hash(request, scope):
            raise InvalidSkill(
                "idempotency_key was used for another proposal", field="idempotency_key"
            )
        return Change(answered.change)

    def _remember(
        self,
        writer: StoreWriter,
        identity: Identity,
        request: ProposeRequest,
        scope: Scope,
        skill: Skill,
        change: Change,
    ) -> None:
        if request.idempotency_key:
            answer = AnsweredProposal(
                request_hash(request, scope),
                change.value,
                skill.qualified_name,
                skill.content_hash,
            )
            writer.remember_proposal(identity, request.idempotency_key, answer, self._clock())
