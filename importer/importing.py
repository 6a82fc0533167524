"""A source into the catalog: each of its packs in one transaction, all of it or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from catalog.catalog import Catalog
from catalog.identity import Identity
from catalog.lifecycle import Change
from catalog.pack_writing import PackWriting
from catalog.scope import ScopeKind
from importer.diagnostics import Diagnostic, Severity
from importer.layout import SkillPlace
from importer.pack import Pack, open_packs
from importer.report import ImportReport, PackReport, SkillChange
from importer.source import PackSource

Progress = Callable[[int, int], None]


def no_progress(done: int, total: int) -> None:
    """The progress of an import that nobody watches."""


def import_pack(
    catalog: Catalog,
    identity: Identity,
    source: PackSource,
    *,
    scope: ScopeKind = ScopeKind.TENANT,
    pack_name: str | None = None,
    strict: bool = False,
    prune: bool = True,
    dry_run: bool = False,
    progress: Progress = no_progress,
    request_id: str = "",
) -> ImportReport:
    """Imports a source; importing it again changes nothing.

    Skills are read, written and forgotten one by one. One that is refused stops no other,
    and what is stored of it from earlier stays.

    Args:
        pack_name: instead of the name of the folder or archive.
        strict: refuse skills with warnings, and what the specification forbids.
        prune: remove skills of the pack that are gone from the source.
        dry_run: report what would change and change nothing.
        progress: called with how many skills of a pack are done, and of how many.

    Raises:
        InvalidPack, PackTooLarge: the source as a whole; nothing is written.
        RoleRequired, IdentityRequired: the identity may not import into that scope.
        StoreUnavailable: the store is locked or full; nothing of this pack is written.
    """
    reports = []
    with open_packs(source, name=pack_name) as packs:
        for pack in packs:
            if not pack.places:
                reports.append(PackReport(pack.name, 0, diagnostics=pack.diagnostics))
                continue
            with catalog.pack_writer(
                identity, scope, pack.name, dry_run=dry_run, request_id=request_id
            ) as writing:
                importing = _PackImport(pack, writing, strict=strict)
                for done, place in enumerate(pack.places, start=1):
                    importing.take(place)
                    progress(done, len(pack.places))
                if prune:
                    importing.remove_what_is_gone()
            reports.append(importing.report())
    return ImportReport(tuple(reports))


class _PackImport:
    """The import of one pack, while its transaction is open."""

    def __init__(self, pack: Pack, writing: PackWriting, *, strict: bool) -> None:
        self._pack = pack
        self._writing = writing
        self._strict = strict
        self._counts: Counter[Change] = Counter()
        self._refused = 0
        self._kept: set[str] = set()
        self._changes: list[SkillChange] = []
        pack.settle_names(writing.existing_by_path)
        self._findings: list[Diagnostic] = list(pack.diagnostics)

    def take(self, place: SkillPlace) -> None:
        """Adds, updates or leaves one skill as it is."""
        stored = self._writing.existing_by_path.get(place.path)
        name = self._pack.qualified_name(place)
        if (
            stored
            and name == stored[0]
            and self._pack.content_hash(place) == stored[1]
            and not self._strict
        ):
            self._kept.add(name)
            self._counts[Change.UNCHANGED] += 1
            return
        read = self._pack.read(place, strict=self._strict)
        if read.skill is None:
            self._refuse(place, read.diagnostics)
            return
        self._findings.extend(read.diagnostics)
        name = read.skill.qualified_name
        self._kept.add(name)
        self._count(self._writing.put(read.skill, read.artifacts), name)

    def remove_what_is_gone(self) -> None:
        """Removes skills that the source has no more; what could not be looked at stays."""
        unseen = tuple(
            finding.path for finding in self._pack.diagnostics if finding.severity is Severity.ERROR
        )
        for path, (name, _) in self._writing.existing_by_path.items():
            if any(path == left_out or path.startswith(f"{left_out}/") for left_out in unseen):
                self._kept.add(name)
        for name in self._writing.existing:
            if name not in self._kept:
                self._writing.remove(name)
                self._count(Change.REMOVED, name)

    def report(self) -> PackReport:
        return PackReport(
            pack=self._pack.name,
            found=self._pack.found,
            added=self._counts[Change.ADDED],
            updated=self._counts[Change.UPDATED],
            unchanged=self._counts[Change.UNCHANGED],
            removed=self._counts[Change.REMOVED],
            refused=self._refused,
            duplicates=self._pack.found - len(self._pack.places),
            dry_run=self._writing.dry_run,
            changes=tuple(self._changes),
            diagnostics=tuple(self._findings),
        )

    def _refuse(self, place: SkillPlace, findings: tuple[Diagnostic, ...]) -> None:
        self._refused += 1
        self._findings.extend(findings)
        stored = self._writing.existing_by_path.get(place.path)
        if stored:
            self._kept.add(stored[0])

    def _count(self, change: Change, name: str) -> None:
        self._counts[change] += 1
        if change is not Change.UNCHANGED:
            self._changes.append(SkillChange(change, name))
