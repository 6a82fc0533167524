"""Every error the product raises, with the reason that travels on the wire.

::

    SkillCatalogError
    ├── IdentityRequired            IDENTITY_REQUIRED        UNAUTHENTICATED
    ├── RoleRequired                ROLE_REQUIRED            PERMISSION_DENIED
    ├── NotFound
    │   ├── SkillNotFound           SKILL_NOT_FOUND          NOT_FOUND
    │   └── ArtifactNotFound        ARTIFACT_NOT_FOUND       NOT_FOUND
    ├── InvalidArgument
    │   ├── InvalidQuery            INVALID_QUERY            INVALID_ARGUMENT
    │   ├── InvalidSkill            INVALID_SKILL            INVALID_ARGUMENT
    │   ├── InvalidPack             INVALID_PACK             INVALID_ARGUMENT
    │   ├── InvalidPageToken        INVALID_PAGE_TOKEN       INVALID_ARGUMENT
    │   ├── AmbiguousName           AMBIGUOUS_NAME           INVALID_ARGUMENT
    │   └── InvalidConfiguration    INVALID_CONFIGURATION    INVALID_ARGUMENT
    ├── FailedPrecondition
    │   ├── PackOverwriteRefused    PACK_OVERWRITE_REFUSED   FAILED_PRECONDITION
    │   ├── SkillExists             SKILL_EXISTS             FAILED_PRECONDITION
    │   ├── EmbedderUnavailable     EMBEDDER_UNAVAILABLE     FAILED_PRECONDITION
    │   └── EmbeddingsStale         EMBEDDINGS_STALE         FAILED_PRECONDITION
    ├── ContentHashMismatch         CONTENT_HASH_MISMATCH    ABORTED
    ├── ResourceExhausted
    │   ├── SkillTooLarge           SKILL_TOO_LARGE          RESOURCE_EXHAUSTED
    │   ├── PackTooLarge            PACK_TOO_LARGE           RESOURCE_EXHAUSTED
    │   ├── MessageTooLarge         MESSAGE_TOO_LARGE        RESOURCE_EXHAUSTED
    │   └── Overloaded              OVERLOADED               RESOURCE_EXHAUSTED
    ├── DeadlineExceeded            DEADLINE_EXCEEDED        DEADLINE_EXCEEDED
    └── StoreUnavailable            STORE_UNAVAILABLE        UNAVAILABLE

No error class lives anywhere else. A message is a sentence for the caller: it names the
field, the shape of the value and the limit, and never a stack, a path of the machine, SQL
or another tenant's name. `metadata` holds the same facts for programs.
"""

from __future__ import annotations

from typing import ClassVar


class SkillCatalogError(Exception):
    """Base of the tree. `reason` and `code` are the google.rpc.ErrorInfo reason and status."""

    reason: ClassVar[str]
    code: ClassVar[str]

    def __init__(self, message: str, /, **metadata: str | int) -> None:
        super().__init__(message)
        self.message = message
        self.metadata: dict[str, str] = {key: str(value) for key, value in metadata.items()}


class IdentityRequired(SkillCatalogError):
    """A part of the identity is missing, blank, repeated, disagreeing or not verified."""

    reason = "IDENTITY_REQUIRED"
    code = "UNAUTHENTICATED"


class RoleRequired(SkillCatalogError):
    """The identity is known and its roles do not allow the call."""

    reason = "ROLE_REQUIRED"
    code = "PERMISSION_DENIED"


class NotFound(SkillCatalogError):
    """Absent, or not visible to this identity: the two are the same answer."""

    code = "NOT_FOUND"


class SkillNotFound(NotFound):
    reason = "SKILL_NOT_FOUND"


class ArtifactNotFound(NotFound):
    reason = "ARTIFACT_NOT_FOUND"


class InvalidArgument(SkillCatalogError):
    """The caller sent something that no catalog could answer."""

    code = "INVALID_ARGUMENT"


class InvalidQuery(InvalidArgument):
    reason = "INVALID_QUERY"


class InvalidSkill(InvalidArgument):
    reason = "INVALID_SKILL"


class InvalidPack(InvalidArgument):
    """A pack as a whole cannot be read: no such path, an empty folder, a corrupt archive."""

    reason = "INVALID_PACK"


class InvalidPageToken(InvalidArgument):
    reason = "INVALID_PAGE_TOKEN"


class AmbiguousName(InvalidArgument):
    """A bare name that several packs carry in one scope; `candidates` are qualified names."""

    reason = "AMBIGUOUS_NAME"

    def __init__(self, message: str, /, *, candidates: tuple[str, ...]) -> None:
        super().__init__(message, candidates=", ".join(candidates))
        self.candidates = candidates


class InvalidConfiguration(InvalidArgument):
    """A setting of the operator is missing or wrong; raised at start, never during a call."""

    reason = "INVALID_CONFIGURATION"


class FailedPrecondition(SkillCatalogError):
    """The catalog is not in the state that the call needs."""

    code = "FAILED_PRECONDITION"


class PackOverwriteRefused(FailedPrecondition):
    reason = "PACK_OVERWRITE_REFUSED"


class SkillExists(FailedPrecondition):
    """Another skill has that name where this one is to go; metadata carries its hash."""

    reason = "SKILL_EXISTS"


class EmbedderUnavailable(FailedPrecondition):
    reason = "EMBEDDER_UNAVAILABLE"


class EmbeddingsStale(FailedPrecondition):
    reason = "EMBEDDINGS_STALE"


class ContentHashMismatch(SkillCatalogError):
    """Somebody else wrote in between; metadata carries the current hash."""

    reason = "CONTENT_HASH_MISMATCH"
    code = "ABORTED"


class ResourceExhausted(SkillCatalogError):
    """A stated limit is passed; metadata names the limit and the number needed."""

    code = "RESOURCE_EXHAUSTED"


class SkillTooLarge(ResourceExhausted):
    reason = "SKILL_TOO_LARGE"


class PackTooLarge(ResourceExhausted):
    reason = "PACK_TOO_LARGE"


class MessageTooLarge(ResourceExhausted):
    """A request or an answer is over the message limit of the wire; send or ask for less at a
    time."""

    reason = "MESSAGE_TOO_LARGE"


class Overloaded(ResourceExhausted):
    reason = "OVERLOADED"


class DeadlineExceeded(SkillCatalogError):
    """The caller's deadline passed between two steps; nothing after it was done."""

    reason = "DEADLINE_EXCEEDED"
    code = "DEADLINE_EXCEEDED"


class StoreUnavailable(SkillCatalogError):
    """The store cannot be reached or is locked; the call may be tried again."""

    reason = "STORE_UNAVAILABLE"
    code = "UNAVAILABLE"
