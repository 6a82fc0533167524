"""The catalog: everything that a planner, an importer or an operator may ask, on one path.

A search reads as its steps: visible scopes → ladder → capability → redaction → budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from catalog.card import Card, Entry
from catalog.checkpoint import NO_DEADLINE, Checkpoint
from catalog.files import CatalogFiles
from catalog.identity import Identity
from catalog.injection.block import fit, fit_sections
from catalog.injection.capability import Gate
from catalog.injection.cards import FittedCards, fit_cards
from catalog.injection.prepare import Redact
from catalog.injection.redaction.masking import placeholder_spans
from catalog.memo import Memo
from catalog.naming import resolve_for_run, version_of
from catalog.requests import (
    MAX_DIRECTORY_ENTRIES,
    MAX_PAGE_SIZE,
    DirectoryAnswer,
    DirectoryOrder,
    DirectoryRequest,
    GetAnswer,
    GetRequest,
    GotSkill,
    ListAnswer,
    ListedCard,
    ListRequest,
    checked_range,
)
from catalog.scope import Scope, visible_scopes
from catalog.search.filters import NO_FILTERS, admission
from catalog.search.modes import ranked_by_mode
from catalog.search.pages import admitted_page, directory_entries, distinct, page_of
from catalog.search.query import validated
from catalog.search.request import Hit, Ranked, SearchAnswer, SearchRequest
from catalog.search.snippet import snippet, with_snippets
from catalog.shapes import checked_arguments
from catalog.steps import StepClock
from catalog.stores.open import open_store
from catalog.stores.store import SkillStore, Visible
from catalog.usage import UsageLog

_REMEMBERED_ANSWERS = 4_096


class Catalog(CatalogFiles):
    """One store with the rules around it. Safe to share between threads.

    Every method takes the identity that asks, and raises RoleRequired where its roles do not
    allow that (`catalog.access` has the table). `checkpoint` is called between the steps of
    a request and may raise `DeadlineExceeded`; nothing after it is then done.

    Args:
        redaction: the operator's policy.
        tenant_redaction: other policies for single tenants.
        redaction_rules: mask more than the registered rules in the texts of answers; names by
            which a skill is asked for stay, and so do index, reports and trail.
        counter: name of the token counter that budgets are counted with.
        clock: seconds since the epoch.
        embedder: what the modes SEMANTIC and HYBRID need; the reason why there is none may
            stand in its place.
    """

    def __init__(self, store: SkillStore, **settings: Any) -> None:
        super().__init__(store, **settings)
        self._usage = UsageLog(store)
        self._answers: Memo[object, _Remembered] = Memo(_REMEMBERED_ANSWERS)

    @classmethod
    def open(cls, url: str, **settings: Any) -> Catalog:
        """A catalog on the store of that URL: `memory:`, `sqlite:///FILE`, `postgresql://…`."""
        return cls(open_store(url), **settings)

    def close(self) -> None:
        self.close_embedding()
        self._usage.close()
        self.store.close()

    @checked_arguments()
    def search(
        self, identity: Identity, request: SearchRequest, checkpoint: Checkpoint = NO_DEADLINE
    ) -> SearchAnswer:
        """The right few skills, ranked, as cards.

        Raises:
            InvalidQuery: the query is empty, has no token or is over 8,192 characters, or
                another field is out of its range.
            InvalidPageToken: `page_token` belongs to another request.
            EmbedderUnavailable: the mode needs an embedder, and there is none or it fails.
            EmbeddingsStale: the mode needs vectors, and the store's are of another model.
        """
        self._checked_role(identity, "skill_search")
        validated(request)
        start = self._page_tokens.position(request.page_token, identity, _whole(request)) or 0
        meaning = self.meaning(request, checkpoint)
        with self.store.read(identity, checkpoint.seconds_left) as reader:
            scopes = visible_scopes(identity)
            visible = reader.visible(scopes)
            key = (identity.tenant, visible.version, request)
            remembered = self._answers.get(key)
            if remembered is not None and remembered.scopes == scopes:
                return remembered.answer
            if remembered is not None:
                return self._sealed(remembered.answer, remembered.following, identity, request)
            checkpoint()
            steps = StepClock()
            gate = Gate(request.capability)
            admits = admission(gate, request.filters, visible.scopes)
            ranked, rungs = ranked_by_mode(reader, visible, request, admits, meaning, steps)
            checkpoint()
            ranked, entries = distinct(ranked, reader)
            page, following = page_of(ranked, start, request.limit)
            shown = [entries[hit.entry_id] for hit in page]
            bodies = [reader.skill(e.entry_id) for e in shown] if request.snippets else []
        steps.done("page")
        checkpoint()
        redact = self._redact_texts(identity, request.redact)
        cards = [self._preparation.card(entry, gate, redact) for entry in shown]
        prepared = [self._preparation.skill(body, gate, redact) for body in bodies]
        steps.done("redaction")
        fitted = fit_cards(cards, request.max_tokens, self._counter)
        hits, tokens = with_snippets(
            [
                _hit(page[place], card, shown[place], visible)
                for card, place in zip(fitted.kept, fitted.places, strict=True)
            ],
            [snippet(prepared[place], page[place].matched_terms) for place in fitted.places]
            if request.snippets
            else [],
            fitted.tokens,
            request.max_tokens,
            self._counter,
        )
        steps.done("budget")
        steps.report(self.observe)
        answer = SearchAnswer(
            hits=hits,
            rungs=rungs,
            tokens=tokens,
            omitted=fitted.omitted,
            redactions=_masked_values(fitted.text, *(hit.snippet for hit in hits)),
        )
        answer = self._sealed(answer, following, identity, request)
        self._answers.put(key, _Remembered(answer, scopes, following))
        return answer

    @checked_arguments()
    def get(
        self, identity: Identity, request: GetRequest, checkpoint: Checkpoint = NO_DEADLINE
    ) -> GetAnswer:
        """Skills by name, as a block for a prompt that fits its budget.

        Raises:
            SkillNotFound: a name is absent, foreign or not allowed for this run.
            AmbiguousName: a bare name that several packs of one scope carry.
            SkillTooLarge: the only skill asked for does not fit in its smallest form.
            InvalidQuery: a field is out of its range, or a section id is not the skill's.
        """
        self._checked_role(identity, "skill_get")
        request.validated()
        steps = StepClock()
        gate = Gate(request.capability)
        redact = self._redact_texts(identity, request.redact)
        with self.store.read(identity, checkpoint.seconds_left) as reader:
            visible = reader.visible(visible_scopes(identity))
            admits = admission(gate, NO_FILTERS, visible.scopes)
            found = resolve_for_run(
                reader, visible, request.names, admits, self._redact(identity, request.redact)
            )
            entries = list({entry.entry_id: entry for entry in found}.values())
            checkpoint()
            skills = [reader.skill(entry.entry_id) for entry in entries]
            if request.content_hash:
                skills = [version_of(reader, skills[0], request.content_hash, gate)]
                entries = [skills[0].entry]
        steps.done("names")
        checkpoint()
        prepared = [self._preparation.skill(skill, gate, redact) for skill in skills]
        steps.done("redaction")
        checkpoint()
        if request.sections:
            injection = fit_sections(
                prepared[0], request.sections, request.max_tokens, self._counter
            )
        else:
            injection = fit(prepared, request.max_tokens, self._counter)
        steps.done("budget")
        steps.report(self.observe)
        self._usage.record(skills)
        return GetAnswer(
            skills=tuple(
                GotSkill(
                    card=self._preparation.card(entry, gate, redact),
                    scope=visible.scopes[entry.scope_id].kind,
                    origin=entry.origin,
                    part=part,
                )
                for entry, part in zip(entries, injection.skills, strict=True)
            ),
            text=injection.text,
            tokens=injection.tokens,
            omitted=injection.omitted,
            redactions=_masked_values(injection.text),
        )

    @checked_arguments()
    def list(
        self, identity: Identity, request: ListRequest, checkpoint: Checkpoint = NO_DEADLINE
    ) -> ListAnswer:
        """Cards of the visible and allowed skills, ordered by qualified name.

        Raises:
            InvalidQuery: `page_size` is not 1 to 1,000.
            InvalidPageToken: `page_token` belongs to another request.
        """
        self._checked_role(identity, "skill_list")
        checked_range("page_size", request.page_size, MAX_PAGE_SIZE)
        after = self._page_tokens.position(request.page_token, identity, _whole(request))
        gate = Gate(request.capability)
        with self.store.read(identity, checkpoint.seconds_left) as reader:
            visible = reader.visible(visible_scopes(identity))
            admits = admission(gate, request.filters, visible.scopes)
            page = admitted_page(reader, visible, admits, after, request.page_size, checkpoint)
        redact = self._redact_texts(identity, request.redact)
        fitted = self._fitted(page.entries, gate, redact, request.max_tokens)
        # The next page begins behind this one, whatever of it the budget left out.
        following = page.entries[-1].entry_id if page.more else None
        return ListAnswer(
            cards=_listed(fitted, page.entries, visible),
            next_page_token=self._page_tokens.token(following, identity, _whole(request)),
            tokens=fitted.tokens,
            omitted=fitted.omitted,
        )

    @checked_arguments()
    def directory(
        self, identity: Identity, request: DirectoryRequest, checkpoint: Checkpoint = NO_DEADLINE
    ) -> DirectoryAnswer:
        """Cards for a system prompt: pinned first, then most recent or most used.

        Raises:
            InvalidQuery: `max_entries` is not 1 to 200.
        """
        self._checked_role(identity, "skill_directory")
        checked_range("max_entries", request.max_entries, MAX_DIRECTORY_ENTRIES)
        gate = Gate(request.capability)
        with self.store.read(identity, checkpoint.seconds_left) as reader:
            visible = reader.visible(visible_scopes(identity))
            admits = admission(gate, request.filters, visible.scopes)
            by_use = request.order is DirectoryOrder.MOST_USED
            entries = directory_entries(
                reader, visible, admits, by_use, request.max_entries, checkpoint
            )
        redact = self._redact_texts(identity, request.redact)
        fitted = self._fitted(entries, gate, redact, request.max_tokens)
        return DirectoryAnswer(
            cards=_listed(fitted, entries, visible),
            text=fitted.text,
            tokens=fitted.tokens,
            omitted=fitted.omitted,
        )

    def _sealed(
        self,
        answer: SearchAnswer,
        following: int | None,
        identity: Identity,
        request: SearchRequest,
    ) -> SearchAnswer:
        """The answer with this identity's token of the next page."""
        if following is None:
            return answer
        token = self._page_tokens.token(following, identity, _whole(request))
        return replace(answer, next_page_token=token)

    def _fitted(
        self, entries: Sequence[Entry], gate: Gate, redact: Redact, max_tokens: int | None
    ) -> FittedCards:
        cards = [self._preparation.card(entry, gate, redact) for entry in entries]
        return fit_cards(cards, max_tokens, self._counter)


@dataclass(frozen=True, slots=True)
class _Remembered:
    """An answer with the scopes of the identity whose token of the next page it has."""

    answer: SearchAnswer
    scopes: tuple[Scope, ...]
    following: int | None


def _whole(request: SearchRequest | ListRequest) -> SearchRequest | ListRequest:
    """What all pages of a request have in common."""
    return replace(request, page_token="") if request.page_token else request


def _masked_values(*texts: str) -> int:
    """How many placeholders stand in what leaves."""
    return sum(len(placeholder_spans(text)) for text in texts if "[REDACTED:" in text)


def _listed(
    fitted: FittedCards, entries: Sequence[Entry], visible: Visible
) -> tuple[ListedCard, ...]:
    return tuple(
        ListedCard(card, visible.scopes[entries[place].scope_id].kind, entries[place].origin)
        for card, place in zip(fitted.kept, fitted.places, strict=True)
    )


def _hit(ranked: Ranked, card: Card, entry: Entry, visible: Visible) -> Hit:
    return Hit(
        card=card,
        scope=visible.scopes[entry.scope_id].kind,
        origin=entry.origin,
        score=ranked.score,
        rung=ranked.rung,
        matched_terms=ranked.matched_terms,
        matched_fields=ranked.matched_fields,
    )
