"""The seam of a store: one class behind `SkillStore`, two kinds of transaction.

A reader is one consistent snapshot; a writer is one transaction that happens whole or not
at all. The conformance suite in tests/conformance is the contract in executable form.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from catalog.audit import AuditEvent, AuditPage
from catalog.card import Entry, StoredSkill
from catalog.identity import Identity
from catalog.scope import Scope
from catalog.search.document import IndexedDocument
from catalog.search.profile import Profile
from catalog.search.scope_memory import ScopeMemory
from catalog.skill import Skill
from catalog.stores.vectors import EmbeddingProgress, VectorSpace

if TYPE_CHECKING:
    from catalog.stores.integrity import Finding
    from catalog.stores.near_vectors import NearVectors


@dataclass(frozen=True, slots=True)
class Visible:
    """The scopes of an identity that hold anything, narrowest first.

    `scopes` maps scope ids to scopes. `documents` counts the entries of each. `version`
    pairs their ids with a number that grows with every write: equal versions mean equal
    answers.
    `hidden` are entries of a wider scope whose qualified name a narrower one carries.
    """

    scopes: Mapping[int, Scope]
    documents: Mapping[int, int]
    version: tuple[tuple[int, int], ...]
    hidden: frozenset[int]


@dataclass(frozen=True, slots=True)
class PackEntry:
    """What an import needs to know of an entry that its pack already holds."""

    entry_id: int
    qualified_name: str
    source_path: str
    content_hash: str
    origin_reference: str


@dataclass(frozen=True, slots=True)
class Revision:
    """One accepted write of a name in a scope: `number` counts them from 1. `action` is put,
    delete (somebody asked for it), remove (its pack has it no more, or it was promoted from
    here), rollback or promote. Of what is global `user` and `session` are empty: they may be
    another tenant's."""

    number: int
    action: str
    content_hash: str
    origin_reference: str
    user: str
    session: str
    at: float


@dataclass(frozen=True, slots=True)
class AnsweredProposal:
    """What a proposal with an idempotency key was answered."""

    request_hash: str
    change: str
    qualified_name: str
    content_hash: str


class StoreReader(Protocol):
    """Reads of one snapshot. Entry ids that a method is given must come from this reader
    and from scopes of the `Visible` it handed out."""

    def visible(self, scopes: Sequence[Scope]) -> Visible: ...

    @property
    def full_text_engine(self) -> str | None:
        """`fts5`, `fts4`, `postgresql`, or None where the engine has no full text."""

    def match_all(self, scope_id: int, groups: Sequence[Sequence[str]], limit: int) -> list[int]:
        """Entry ids of one scope that hold at least one token of every group, by id."""

    def match_any(self, scope_id: int, tokens: Sequence[str], limit: int) -> list[int]:
        """Entry ids of one scope that hold at least one of the tokens, by id."""

    def document_frequencies(self, scope_id: int, terms: Sequence[int]) -> Mapping[int, int]:
        """In how many entries of the scope each term (by its 64-bit key) occurs; absent: 0."""

    def scope_memory(self, scope_id: int, version: int) -> ScopeMemory:
        """What search remembers of that version of the scope: equal versions, one memory."""

    def profiles(self, entry_ids: Sequence[int]) -> Mapping[int, Profile]: ...

    def entries(self, entry_ids: Sequence[int]) -> Mapping[int, Entry]: ...

    def named(self, scope_ids: Sequence[int], name: str) -> list[Entry]:
        """Entries whose qualified or bare name equals `name` after NFKC and case folding,
        ordered by scope as given, then by qualified name."""

    def page(self, scope_ids: Sequence[int], after: int | None, limit: int) -> list[Entry]:
        """Entries ordered by qualified name, then entry id, strictly after the entry `after`.

        Raises:
            InvalidPageToken: the entry `after` is not in those scopes any more.
        """

    def directory(
        self, scope_ids: Sequence[int], by_use: bool, offset: int, limit: int
    ) -> list[Entry]:
        """Entries in the order of a directory: pinned first, then the most used (by_use) or
        the latest written, then by qualified name."""

    def card_texts(self, scope_id: int) -> Iterable[tuple[int, str]]:
        """Entry id and folded card text (names, title, description, trigger, tags,
        headings) of every entry of a scope, by id: what the regex and exact rungs read."""

    def skill(self, entry_id: int) -> StoredSkill: ...

    def scope_ids(self, scopes: Sequence[Scope]) -> list[int]:
        """Ids of those scopes that anything was ever written to, empty ones too."""

    def archived(
        self, scope_ids: Sequence[int], qualified_name: str, content_hash: str | None
    ) -> StoredSkill | None:
        """The latest version of that name that is no longer the present one, and of that
        content hash (see `is_content_hash`) where one is given."""

    def once_named(self, scope_ids: Sequence[int], name: str) -> list[tuple[int, str]]:
        """Scope id and qualified name of what was ever written under exactly that qualified or
        bare name, ordered by scope as given, then by qualified name."""

    def deleted_of_pack(self, scope: Scope, pack: str) -> Mapping[str, str]:
        """Qualified name and last content hash of the skills of a pack that somebody deleted
        and that are not back."""

    def revisions(
        self, scope_id: int, qualified_name: str, before: int | None, limit: int
    ) -> list[Revision]:
        """Accepted writes of that name in that scope, newest first, strictly before that
        number. None was ever left out: the number before 2 is the first."""

    def answered_proposal(self, identity: Identity, key: str) -> AnsweredProposal | None: ...

    def pack_entries(self, scope: Scope, pack: str) -> list[PackEntry]: ...

    def packs_from(self, scope: Scope, origin_reference: str) -> list[str]:
        """Packs of the scope that have a skill of that origin reference, by name."""

    def artifact_owners(self, scope_ids: Sequence[int], sha256: str) -> list[Entry]:
        """Entries of those scopes that carry an attachment of that content."""

    def artifact(self, scope_ids: Sequence[int], sha256: str) -> bytes:
        """Raises:
        ArtifactNotFound: no entry of those scopes carries it.
        """

    def active_vectors(self) -> str | None:
        """The key of the vector space that searches read; None before any embedder."""

    def unembedded(self, space: VectorSpace, limit: int) -> list[int]:
        """Entries of the reader's tenant and of the global scope without vectors of the
        space, by id."""

    def embedded_entries(self, scope_id: int, space: VectorSpace) -> list[int]:
        """Entries of the scope that have vectors of the space, by id."""

    def vectors(
        self, scope_id: int, space: VectorSpace, entry_ids: Sequence[int]
    ) -> Iterable[tuple[int, bytes]]:
        """Entry id and vector (float32, little-endian), by entry id, then by chunk."""

    def near_vectors(self, scope_id: int, space: VectorSpace) -> NearVectors:
        """How much of the scope `nearest_entries` searches: all of it or nothing."""

    def nearest_entries(
        self, scope_id: int, space: VectorSpace, query: bytes, count: int
    ) -> list[int]:
        """Entries of the scope that own one of the `count` vectors nearest to the query, by
        id. An index may miss a few of those that are less near."""

    def audit(self, tenant: str, before: int | None, limit: int) -> AuditPage: ...


class StoreWriter(StoreReader, Protocol):
    """Writes of one transaction: kept when the block ends, dropped when it raises."""

    def hold(self, scope: Scope) -> None:
        """Wait for whoever writes into the scope, and keep all others out until the end: what
        is read behind it stays true. A tenant's own scopes are held from the beginning."""

    def put(
        self,
        scope: Scope,
        skill: Skill,
        tokens: int,
        now: float,
        action: str = "put",
        document: IndexedDocument | None = None,
    ) -> int:
        """Write a new version of the skill of that qualified name in that scope: row,
        source, full-text tokens, profile, statistics and revision. The version before it
        is archived. Returns the new entry id.

        Args:
            document: `index_document(skill)`, where it was made already.
        """

    def remove(self, entry_id: int, now: float, action: str = "remove") -> None:
        """Take an entry out of everything that reads; its version is archived."""

    def refer_to_origin(self, scope: Scope, entry_ids: Sequence[int], reference: str) -> None:
        """Give present entries another origin reference; nothing else of them changes."""

    def purge(self, scope: Scope, qualified_name: str) -> None:
        """Delete every archived version of a name and the bytes that nothing else names."""

    def remember_proposal(
        self, identity: Identity, key: str, answer: AnsweredProposal, now: float
    ) -> None: ...

    def put_artifact(self, scope: Scope, sha256: str, data: bytes) -> None: ...

    def pin(self, scope: Scope, qualified_name: str, pinned: bool) -> None: ...

    def count_uses(self, scope: Scope, qualified_name: str, uses: int, last_used_at: float) -> None:
        """Add to how often a name was handed out."""

    def put_vectors(self, stored: StoredSkill, space: VectorSpace, vectors: list[bytes]) -> bool:
        """Keep the vectors of an entry beside it, unless the entry is gone by now. Answers
        stay true while searches read those of another space."""

    def append_audit(self, event: AuditEvent) -> None: ...


class SkillStore(Protocol):
    def read(
        self, identity: Identity, timeout_seconds: float | None = None
    ) -> AbstractContextManager[StoreReader]:
        """A snapshot that holds the identity's tenant and the global scope, nothing else.

        Args:
            timeout_seconds: how long a single statement may take, on engines with a server.

        Raises:
            StoreUnavailable: the store cannot be read.
            DeadlineExceeded: a statement took longer than `timeout_seconds`.
        """

    def write(
        self, identity: Identity, timeout_seconds: float | None = None
    ) -> AbstractContextManager[StoreWriter]:
        """A transaction of this actor; serialises with every other writer into the same
        scopes.

        Args:
            timeout_seconds: how long to wait for another writer and, on engines with a
                server, how long a single statement may take.

        Raises:
            StoreUnavailable: the store is locked past its busy timeout or unreachable.
            DeadlineExceeded: one or the other took longer than `timeout_seconds`.
        """

    def append_audit(self, event: AuditEvent) -> None:
        """Record an event in a transaction of its own. Where no identity was accepted, the
        event has no tenant."""

    def verify_audit(self, tenant: str) -> int | None:
        """The first line at which the tenant's chain is broken, None where it holds."""

    def check(self) -> list[Finding]:
        """Every disagreement between the rows and what is derived from them, and every audit
        trail that is broken."""

    def repair(self) -> None:
        """Make everything that is derived from the rows anew."""

    def count_skills(self) -> int:
        """How many skills all tenants have together."""

    def tenants(self) -> list[str]:
        """Every tenant that anything was written for; the empty one has the global scope."""

    def claim_vectors(self, space: VectorSpace) -> str:
        """Make searches read that space where nothing is embedded in another yet; return
        the key of the one that they read."""

    def switch_vectors(self, space: VectorSpace) -> bool:
        """Make searches read that space from now on and drop all others, at once; False,
        with nothing changed, while an entry lacks its vectors."""

    def embedding_progress(self, space: VectorSpace) -> EmbeddingProgress: ...

    def active_embedding_progress(self) -> EmbeddingProgress | None:
        """Of the space that searches read; None before any embedder."""

    @property
    def page_key(self) -> bytes:
        """What page tokens are sealed with: 32 random bytes, the store's own."""

    @property
    def vector_folder(self) -> Path | None:
        """Where search may keep what it builds from vectors; None keeps it in memory."""

    @property
    def vector_search(self) -> str:
        """Where vectors are searched, for people."""

    def erase(self) -> None:
        """Rewrite what the engine keeps of deleted rows, so that no file holds it."""

    def close(self) -> None: ...
