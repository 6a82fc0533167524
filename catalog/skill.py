"""A skill: reusable know-how with a name, a description, a trigger and a Markdown body.

These are values. They are made by the importer (or by a proposal), kept by a store and
handed on; none of them knows a file format, a database or the wire.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum


class Origin(StrEnum):
    PACK = "pack"
    GENERATED = "generated"


class SectionKind(StrEnum):
    STEPS = "steps"
    PRECONDITIONS = "preconditions"
    FAILURE_MODES = "failure_modes"
    EXAMPLES = "examples"
    REFERENCES = "references"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of a body with the text under it, up to the next heading.

    `markdown` is the exact slice of the body, heading line included, so that joining the
    sections of a skill gives its body back to the byte. Text before the first heading is a
    section with level 0 and an empty heading. `id` is unique within the skill and stable
    for the same body (for example `2-failure-modes`).
    """

    id: str
    kind: SectionKind
    heading: str
    level: int
    markdown: str

    def __reduce__(self) -> tuple[type[Section], tuple[str, SectionKind, str, int, str]]:
        # Several times as fast as a dataclass's own way, and an import sends millions.
        return Section, (self.id, self.kind, self.heading, self.level, self.markdown)


class Declaration(StrEnum):
    """How a list was declared. EMPTY and UNPARSABLE never widen access."""

    ABSENT = "absent"
    EMPTY = "empty"
    UNPARSABLE = "unparsable"
    DECLARED = "declared"


@dataclass(frozen=True, slots=True)
class DeclaredList:
    """A list of names as its author wrote them, in order, without repeats."""

    declaration: Declaration = Declaration.ABSENT
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Requirements:
    """What a run must allow for the skill to show: every name of all three lists.

    A name of the form `a | b` is met by any of its alternatives. A list that could not be
    parsed is a need that no run meets.
    """

    tools: DeclaredList = DeclaredList()
    namespaces: DeclaredList = DeclaredList()
    tags: DeclaredList = DeclaredList()


@dataclass(frozen=True, slots=True)
class Artifact:
    """An attachment of a skill: stored once by SHA-256 and handed out by reference.

    `path` is relative to the skill's folder, with `/` between parts. `kind` is script,
    reference, asset or other, read from the folder it lies in.
    """

    path: str
    sha256: str
    size: int
    media_type: str
    kind: str

    @property
    def reference(self) -> str:
        return f"artifact://sha256/{self.sha256}"


@dataclass(frozen=True, slots=True)
class Skill:
    """One version of one skill, as an author wrote it.

    Args:
        qualified_name: `pack:name`, or `pack:folder/name` where one pack has several
            skills of that name. A generated skill without a pack has its bare name.
        name: the bare name, in NFC.
        title: what people call it; the name when the author gave none.
        trigger: when to use it; the description when the author gave none.
        allowed_tools: the `allowed-tools` of the Agent Skills specification. It restricts
            what the skill uses; it is not a requirement.
        metadata: every other frontmatter key, flattened to dotted keys, as text.
        body: the Markdown after the frontmatter; `sections` are its exact slices.
        source: the bytes of the file, kept for export.
        source_path: where the file was, relative to its pack, with `/` between parts.
    """

    qualified_name: str
    name: str
    title: str
    description: str
    trigger: str
    body: str
    sections: tuple[Section, ...]
    source: bytes
    source_path: str
    pack: str | None = None
    task_type: str = ""
    tags: tuple[str, ...] = ()
    requirements: Requirements = Requirements()
    allowed_tools: DeclaredList = DeclaredList()
    metadata: tuple[tuple[str, str], ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    license: str = ""
    compatibility: str = ""
    origin: Origin = Origin.PACK
    origin_reference: str = ""

    def __post_init__(self) -> None:
        # One order, whatever the walk that found them: the same skill is the same value.
        by_path = tuple(sorted(self.artifacts, key=lambda artifact: artifact.path))
        object.__setattr__(self, "artifacts", by_path)

    @property
    def content_hash(self) -> str:
        """SHA-256 (64 hexadecimal digits) over the source and every artifact's path and hash."""
        return content_hash_of(self.source, self.artifacts)


def short_hash(content_hash: str) -> str:
    """Its first 32 digits: 128 bits, which nobody finds a second text for."""
    return content_hash[:SHORT_HASH_DIGITS]


def is_content_hash(given: str, content_hash: str) -> bool:
    """Whether a caller named that content hash: whole, or by its first 32 digits or more."""
    return len(given) >= SHORT_HASH_DIGITS and content_hash.startswith(given)


SHORT_HASH_DIGITS = 32


def content_hash_of(source: bytes, artifacts: tuple[Artifact, ...]) -> str:
    """The content hash that a skill of this source and these artifacts has."""
    digest = hashlib.sha256(source)
    for artifact in sorted(artifacts, key=lambda artifact: artifact.path):
        digest.update(f"\0{artifact.path}\0{artifact.sha256}".encode())
    return digest.hexdigest()
