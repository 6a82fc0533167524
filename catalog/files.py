"""What of a skill is handed out byte for byte: its attachments, and its files as imported."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from catalog.embedding_modes import CatalogEmbedding
from catalog.errors import ArtifactNotFound
from catalog.identity import Identity
from catalog.injection.capability import Capability, Gate
from catalog.naming import resolve_for_run
from catalog.requests import ExportedFile
from catalog.scope import visible_scopes
from catalog.search.filters import NO_FILTERS, admission
from catalog.shapes import checked_arguments

_ARTIFACT_REFERENCE = re.compile(r"artifact://sha256/([0-9a-f]{64})")
_NO_CAPABILITY = Capability()


class CatalogFiles(CatalogEmbedding):
    """The part of the facade that gives bytes."""

    @checked_arguments()
    def artifact(
        self, identity: Identity, reference: str, capability: Capability = _NO_CAPABILITY
    ) -> bytes:
        """The bytes behind `artifact://sha256/…`.

        Raises:
            ArtifactNotFound: no visible and allowed skill has such an attachment.
        """
        self._checked_role(identity, "artifact_get")
        match = _ARTIFACT_REFERENCE.fullmatch(reference)
        if match is None:
            raise ArtifactNotFound("no such artifact")
        gate = Gate(capability)
        with self.store.read(identity) as reader:
            visible = reader.visible(visible_scopes(identity))
            owners = reader.artifact_owners(list(visible.scopes), match[1])
            if not any(
                owner.entry_id not in visible.hidden and gate.admits(owner.requirements)
                for owner in owners
            ):
                raise ArtifactNotFound("no such artifact")
            return reader.artifact(list(visible.scopes), match[1])

    @checked_arguments()
    def export(
        self, identity: Identity, name: str, capability: Capability = _NO_CAPABILITY
    ) -> tuple[ExportedFile, ...]:
        """The files of a skill exactly as they were imported.

        Raises:
            SkillNotFound, AmbiguousName: as `get`.
        """
        self._checked_role(identity, "skill_export")
        gate = Gate(capability)
        with self.store.read(identity) as reader:
            visible = reader.visible(visible_scopes(identity))
            admits = admission(gate, NO_FILTERS, visible.scopes)
            redact = self._redact(identity, asked=True)
            (entry,) = resolve_for_run(reader, visible, [name], admits, redact)
            skill = reader.skill(entry.entry_id).skill
            scope_ids = [entry.scope_id]
            return (
                ExportedFile(PurePosixPath(skill.source_path).name, skill.source),
                *(
                    ExportedFile(artifact.path, reader.artifact(scope_ids, artifact.sha256))
                    for artifact in skill.artifacts
                ),
            )
