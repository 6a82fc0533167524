"""What an import did: counts, changes and every diagnostic, for people and programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from catalog.injection.redaction import masked, redacted_name
from catalog.lifecycle import Change
from importer.diagnostics import Diagnostic, Severity, masked_path


@dataclass(frozen=True, slots=True)
class SkillChange:
    """One skill that an import added, updated or removed (or would, in a dry run)."""

    change: Change
    qualified_name: str


@dataclass(frozen=True, slots=True)
class PackReport:
    """`found` counts skill files: each was added, updated, unchanged, refused, left deleted as
    somebody had deleted it (`deleted_here`), or is one of the `duplicates` of another to the
    byte. An unchanged skill is not parsed again, so its earlier diagnostics are not repeated."""

    pack: str
    found: int
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    deleted_here: int = 0
    refused: int = 0
    duplicates: int = 0
    dry_run: bool = False
    changes: tuple[SkillChange, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "pack": self.pack,
            "found": self.found,
            "added": self.added,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "removed": self.removed,
            "deleted_here": self.deleted_here,
            "refused": self.refused,
            "duplicates": self.duplicates,
            "dry_run": self.dry_run,
            "changes": [
                {"change": str(change.change), "skill": change.qualified_name}
                for change in self.changes
            ],
            "diagnostics": [diagnostic.as_json() for diagnostic in self.diagnostics],
        }


def masked_report(report: PackReport) -> PackReport:
    """The report without what redaction masks in names and paths; it goes to logs as well."""
    return replace(
        report,
        pack=masked(report.pack),
        changes=tuple(
            replace(change, qualified_name=redacted_name(change.qualified_name, masked))
            for change in report.changes
        ),
        diagnostics=tuple(
            replace(finding, path=masked_path(finding.path)) for finding in report.diagnostics
        ),
    )


@dataclass(frozen=True, slots=True)
class ImportReport:
    """One report for each pack of the source: several for a marketplace, else one."""

    packs: tuple[PackReport, ...]

    def total(self, count: Callable[[PackReport], int]) -> int:
        """The sum over the packs, as `report.total(lambda pack: pack.added)`."""
        return sum(count(pack) for pack in self.packs)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return tuple(diagnostic for pack in self.packs for diagnostic in pack.diagnostics)

    @property
    def codes(self) -> dict[str, int]:
        """How often each diagnostic code occurs, the most frequent first."""
        return dict(Counter(diagnostic.code for diagnostic in self.diagnostics).most_common())

    @property
    def exit_code(self) -> int:
        """0, 1 when a skill or a file of a pack was refused, 2 when nothing could be read."""
        refused = self.total(lambda pack: pack.refused)
        if refused == self.total(lambda pack: pack.found):
            return 2
        has_errors = any(found.severity is Severity.ERROR for found in self.diagnostics)
        return 1 if refused or has_errors else 0

    def as_json(self) -> dict[str, Any]:
        return {
            "packs": [pack.as_json() for pack in self.packs],
            "codes": self.codes,
            "exit_code": self.exit_code,
        }
