"""What the catalog answers, as messages."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from catalog.audit import AuditEvent
from catalog.card import Card
from catalog.injection.block import InjectedSkill
from catalog.lifecycle import Change, Changed, ProposeAnswer
from catalog.memo import Memo
from catalog.requests import (
    AuditAnswer,
    DirectoryAnswer,
    GetAnswer,
    GotSkill,
    HistoryAnswer,
    ListAnswer,
)
from catalog.scope import ScopeKind
from catalog.search.request import Hit, SearchAnswer
from catalog.skill import Artifact, Origin, Section
from importer.diagnostics import Diagnostic
from importer.report import PackReport
from server.messages.words import CHANGE, ORIGIN, RUNG, SCOPE, TIER
from skillcatalog.v1 import skillcatalog_pb2 as pb

_REMEMBERED_CARDS = 16_384
_REMEMBERED_ANSWERS = 1_024


class SearchAnswers:
    """Answers of searches as bytes. The catalog gives the same object for the same question, so
    it is written once; a message remembered as such would take three times the memory."""

    def __init__(self) -> None:
        # By object: hashing an answer costs as much as building its message. The object is
        # kept beside it so that its id cannot be used again.
        self._written: Memo[int, tuple[SearchAnswer, bytes]] = Memo(_REMEMBERED_ANSWERS)

    def encoded(self, answer: SearchAnswer, request_id: str) -> bytes:
        """A `SkillSearchResponse`."""
        written = self._written.get(id(answer))
        if written is None:
            written = answer, _search_answer(answer).SerializeToString()
            self._written.put(id(answer), written)
        # The fields of a message may come one message after the other.
        return written[1] + pb.SkillSearchResponse(request_id=request_id).SerializeToString()


def _search_answer(answer: SearchAnswer) -> pb.SkillSearchResponse:
    return pb.SkillSearchResponse(
        hits=[_hit(hit) for hit in answer.hits],
        rungs=[
            pb.RungReport(
                rung=RUNG[report.rung],
                available=report.available,
                hits=report.hits,
                passes=report.passes,
                reason=report.reason,
            )
            for report in answer.rungs
        ],
        next_page_token=answer.next_page_token,
        tokens=answer.tokens,
        omitted=answer.omitted,
        redactions=answer.redactions,
    )


def get_answer(answer: GetAnswer, request_id: str) -> pb.SkillGetResponse:
    return pb.SkillGetResponse(
        skills=[_got(got) for got in answer.skills],
        text=answer.text,
        tokens=answer.tokens,
        omitted=answer.omitted,
        redactions=answer.redactions,
        request_id=request_id,
    )


def list_answer(answer: ListAnswer, request_id: str) -> pb.SkillListResponse:
    return pb.SkillListResponse(
        cards=[card(listed.card, listed.scope, listed.origin) for listed in answer.cards],
        next_page_token=answer.next_page_token,
        tokens=answer.tokens,
        omitted=answer.omitted,
        request_id=request_id,
    )


def directory_answer(answer: DirectoryAnswer, request_id: str) -> pb.SkillDirectoryResponse:
    return pb.SkillDirectoryResponse(
        cards=[card(listed.card, listed.scope, listed.origin) for listed in answer.cards],
        text=answer.text,
        tokens=answer.tokens,
        omitted=answer.omitted,
        request_id=request_id,
    )


def propose_answer(
    answer: ProposeAnswer, diagnostics: Iterable[Diagnostic], request_id: str
) -> pb.SkillProposeResponse:
    return pb.SkillProposeResponse(
        change=CHANGE[answer.change],
        card=card(answer.card, answer.scope, Origin.GENERATED),
        reference=answer.reference,
        diagnostics=[_diagnostic(finding) for finding in diagnostics],
        near_duplicates=[
            pb.NearDuplicate(qualified_name=near.qualified_name, similarity=near.similarity)
            for near in answer.near_duplicates
        ],
        request_id=request_id,
    )


def changed_card(changed: Changed) -> pb.Card:
    return card(changed.card, changed.scope, changed.origin)


def history_answer(answer: HistoryAnswer, request_id: str) -> pb.SkillHistoryResponse:
    return pb.SkillHistoryResponse(
        revisions=[
            pb.Revision(
                revision=revision.number,
                action=revision.action,
                content_hash=revision.content_hash,
                reference=revision.origin_reference,
                user=revision.user,
                session=revision.session,
                at=revision.at,
            )
            for revision in answer.revisions
        ],
        next_page_token=answer.next_page_token,
        request_id=request_id,
    )


def audit_answer(answer: AuditAnswer, request_id: str) -> pb.AuditListResponse:
    return pb.AuditListResponse(
        events=[_audit_event(event) for event in answer.events],
        next_page_token=answer.next_page_token,
        request_id=request_id,
    )


def pack_report(report: PackReport) -> pb.PackReport:
    def names(change: Change) -> list[str]:
        return [made.qualified_name for made in report.changes if made.change is change]

    return pb.PackReport(
        pack=report.pack,
        found=report.found,
        added=report.added,
        updated=report.updated,
        unchanged=report.unchanged,
        removed=report.removed,
        deleted_here=report.deleted_here,
        refused=report.refused,
        duplicates=report.duplicates,
        diagnostics=[_diagnostic(finding) for finding in report.diagnostics],
        dry_run=report.dry_run,
        added_names=names(Change.ADDED),
        updated_names=names(Change.UPDATED),
        removed_names=names(Change.REMOVED),
    )


@lru_cache(maxsize=_REMEMBERED_CARDS)
def card(card: Card, scope: ScopeKind, origin: Origin) -> pb.Card:
    """The card as a message, which is remembered and so never to be changed: a message that
    is built with it gets a copy."""
    return pb.Card(
        qualified_name=card.qualified_name,
        name=card.name,
        title=card.title,
        description=card.description,
        trigger=card.trigger,
        tags=card.tags,
        tokens=card.tokens,
        content_hash=card.content_hash,
        scope=SCOPE[scope],
        origin=ORIGIN[origin],
    )


def _hit(hit: Hit) -> pb.Hit:
    return pb.Hit(
        card=card(hit.card, hit.scope, hit.origin),
        score=hit.score,
        rung=RUNG[hit.rung],
        matched_terms=hit.matched_terms,
        matched_fields=hit.matched_fields,
        snippet=hit.snippet,
    )


def _got(got: GotSkill) -> pb.InjectedSkill:
    part: InjectedSkill = got.part
    skill = part.skill
    return pb.InjectedSkill(
        card=card(got.card, got.scope, got.origin),
        tier=pb.TIER_UNSPECIFIED if part.tier is None else TIER[part.tier],
        tokens=part.tokens,
        sections=[_section(section) for section in part.sections],
        artifacts=[_artifact(artifact) for artifact in part.artifacts],
        omitted=[
            pb.OmittedPart(reference=section.id, tokens=section.tokens) for section in part.omitted
        ],
        metadata=dict(skill.metadata),
        allowed_tools_declaration=skill.allowed_tools.declaration.value,
        allowed_tools=skill.allowed_tools.names,
        required_tools=skill.requirements.tools.names,
        hidden_runs=skill.hidden_runs,
        required_namespaces=skill.requirements.namespaces.names,
        required_tags=skill.requirements.tags.names,
    )


def _section(section: Section) -> pb.Section:
    return pb.Section(
        id=section.id,
        kind=section.kind.value,
        heading=section.heading,
        level=section.level,
        markdown=section.markdown,
    )


def _artifact(artifact: Artifact) -> pb.ArtifactReference:
    return pb.ArtifactReference(
        reference=artifact.reference,
        path=artifact.path,
        size=artifact.size,
        media_type=artifact.media_type,
        kind=artifact.kind,
    )


def _diagnostic(finding: Diagnostic) -> pb.Diagnostic:
    return pb.Diagnostic(
        code=finding.code,
        severity=finding.severity.value,
        message=finding.message,
        path=finding.path,
        line=finding.line,
        action=finding.action,
    )


def _audit_event(event: AuditEvent) -> pb.AuditEvent:
    return pb.AuditEvent(
        user=event.user,
        session=event.session,
        agent=event.agent,
        action=event.action,
        outcome=event.outcome.value,
        subject=event.subject,
        content_hash=event.content_hash,
        reason=event.reason,
        audited_request_id=event.request_id,
        at=event.at,
    )
