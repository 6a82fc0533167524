"""What every part of the facade stands on: store, redaction, token counter, clock, trail."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from catalog.access import require_role
from catalog.audit import AuditEvent, Outcome
from catalog.checkpoint import NO_DEADLINE, Checkpoint
from catalog.errors import (
    ContentHashMismatch,
    FailedPrecondition,
    InvalidConfiguration,
    InvalidSkill,
    RoleRequired,
    SkillCatalogError,
)
from catalog.identity import Identity
from catalog.injection.prepare import Preparation, Redact, RedactTexts
from catalog.injection.redaction import (
    RedactionPolicy,
    RedactionRule,
    Redactor,
    default_rules,
    effective,
    masked,
    redacted_name,
)
from catalog.injection.tokens import DEFAULT_COUNTER, token_counter
from catalog.page_token import PageTokens
from catalog.requests import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, AuditAnswer, checked_range
from catalog.shapes import checked_arguments, taken_choice
from catalog.steps import Observe
from catalog.stores.store import SkillStore, StoreWriter


class CatalogFoundation:
    """See `catalog.Catalog` for the arguments.

    Attributes:
        observe: called with every step of an answered search or get and its seconds. A
            search has the rungs that ran (`full_text`, `regex`, `exact`, `semantic`), `filter`
            (capability and filters, inside the rungs), `page`, `redaction` and `budget`; a get
            `names`, `redaction` and `budget`. Remembered answers have no steps.
    """

    def __init__(
        self,
        store: SkillStore,
        *,
        redaction: RedactionPolicy = RedactionPolicy.ALWAYS,
        tenant_redaction: Mapping[str, RedactionPolicy] | None = None,
        redaction_rules: Iterable[RedactionRule] = (),
        counter: str = DEFAULT_COUNTER,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.store = store
        self.observe: Observe | None = None
        self._counter = token_counter(counter)
        self._clock = clock
        self._page_tokens = PageTokens(store.page_key)
        self._preparation = Preparation()
        self._masked_text = _masking(tuple(redaction_rules))
        self._redaction = _policy("redaction", redaction)
        self._tenant_redaction = {
            # As an identity keeps it, or the policy would be of nobody.
            unicodedata.normalize("NFC", tenant): _policy("tenant_redaction", policy)
            for tenant, policy in (tenant_redaction or {}).items()
        }

    @checked_arguments()
    def audit(
        self, identity: Identity, page_size: int = DEFAULT_PAGE_SIZE, page_token: str = ""
    ) -> AuditAnswer:
        """What happened in the identity's tenant, newest first.

        Raises:
            RoleRequired: the identity is no admin.
            InvalidQuery: `page_size` is not 1 to 1,000.
            InvalidPageToken: `page_token` belongs to something else.
        """
        self._checked_role(identity, "audit_list")
        checked_range("page_size", page_size, MAX_PAGE_SIZE)
        before = self._page_tokens.position(page_token, identity, "audit")
        with self.store.read(identity) as reader:
            page = reader.audit(identity.tenant, before, page_size)
        redact = self._redact(identity, asked=True)
        return AuditAnswer(
            events=tuple(
                replace(event, subject=redacted_name(event.subject, redact))
                for event in page.events
            ),
            next_page_token=self._page_tokens.token(page.next_before, identity, "audit"),
        )

    @checked_arguments()
    def verify_audit(self, identity: Identity) -> int | None:
        """The first line at which the tenant's trail is broken; None where it holds.

        Raises:
            RoleRequired: the identity is no admin.
        """
        self._checked_role(identity, "audit_verify")
        return self.store.verify_audit(identity.tenant)

    def audit_refusal(
        self,
        identity: Identity | None,
        action: str,
        refusal: SkillCatalogError,
        *,
        subject: str = "",
        request_id: str = "",
    ) -> None:
        """Record a refused call. Without an identity the event belongs to no tenant."""
        self.store.append_audit(
            AuditEvent.of(
                identity,
                action,
                Outcome.REFUSED,
                self._clock(),
                # The caller wrote it, and an event never holds a secret.
                subject=redacted_name(subject, masked),
                reason=refusal.reason,
                request_id=request_id,
            )
        )

    @contextmanager
    def _allowed(
        self, identity: Identity, action: str, subject: str = "", request_id: str = ""
    ) -> Iterator[None]:
        """Begins an action that the identity's roles allow, and leaves an event when it is
        refused, by them or by anything inside. Wraps a change from outside its transaction, so
        that the event outlives it."""
        try:
            require_role(identity, action)
            yield
        except (RoleRequired, FailedPrecondition, ContentHashMismatch, InvalidSkill) as refusal:
            self.audit_refusal(identity, action, refusal, subject=subject, request_id=request_id)
            raise

    @contextmanager
    def _written(
        self, identity: Identity, checkpoint: Checkpoint = NO_DEADLINE
    ) -> Iterator[StoreWriter]:
        """The transaction of a change to skills, dropped when nobody waits for it any more."""
        with self.store.write(identity, checkpoint.seconds_left) as writer:
            yield writer
            checkpoint()

    def _checked_role(self, identity: Identity, action: str) -> None:
        with self._allowed(identity, action):
            pass

    def _redact(self, identity: Identity, asked: bool) -> Redact:
        """For names and references, by which something is asked for."""
        return masked if self._is_redacted(identity, asked) else _unchanged

    def _redact_texts(self, identity: Identity, asked: bool) -> Redact:
        """For skills and cards that leave: further rules count as well."""
        return self._masked_text if self._is_redacted(identity, asked) else _unchanged

    def _is_redacted(self, identity: Identity, asked: bool) -> bool:
        return effective(self._tenant_redaction.get(identity.tenant, self._redaction), asked)


def _policy(field: str, policy: object) -> RedactionPolicy:
    return taken_choice(field, policy, RedactionPolicy, InvalidConfiguration)


def _masking(further: tuple[RedactionRule, ...]) -> Redact:
    if not further:
        return masked
    redactor = Redactor((*default_rules(), *further))
    return RedactTexts(names=masked, texts=lambda text: redactor.redact(text).text)


def _unchanged(text: str) -> str:
    return text
