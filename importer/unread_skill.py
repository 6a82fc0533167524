"""A skill whose bytes are at hand and not read yet: any process can make it ready to be written."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.search.document import IndexedDocument, index_document
from catalog.skill import Artifact, Skill
from importer.diagnostics import Diagnostic
from importer.skill_file import read_skill


@dataclass(frozen=True, slots=True)
class ReadySkill:
    """`skill` is None when the file was refused; `document` where it is not to be indexed."""

    skill: Skill | None
    document: IndexedDocument | None
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class UnreadSkill:
    """`source` is why there are no bytes where there are none; the rest as for `read_skill`."""

    source: bytes | Diagnostic
    path: str
    pack: str
    folder: str
    qualified_name: str | None
    artifacts: tuple[Artifact, ...]
    earlier: tuple[Diagnostic, ...]
    strict: bool

    def ready(self, *, indexed: bool) -> ReadySkill:
        """Reads it; never raises, whatever the bytes.

        Args:
            indexed: make what the index keeps of it too.
        """
        if isinstance(self.source, Diagnostic):
            return ReadySkill(None, None, (*self.earlier, self.source))
        read = read_skill(
            self.source,
            self.path,
            pack=self.pack,
            folder=self.folder,
            qualified_name=self.qualified_name,
            artifacts=self.artifacts,
            earlier=self.earlier,
            strict=self.strict,
        )
        document = index_document(read.skill) if indexed and read.skill else None
        return ReadySkill(read.skill, document, read.diagnostics)
