"""A source into the catalog: each of its packs in one transaction, all of it or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from typing import TypeAlias

from catalog.catalog import Catalog
from catalog.checkpoint import NO_DEADLINE, Checkpoint
from catalog.errors import InvalidPack
from catalog.identity import Identity
from catalog.injection.redaction import masked
from catalog.lifecycle import Change
from catalog.pack_writing import PackWriting
from catalog.scope import ScopeKind
from importer.diagnostics import Diagnostic, Severity, diagnostic
from importer.gone_packs import remove_gone_packs
from importer.layout import SkillPlace
from importer.marketplace import Reach
from importer.pack import Pack, open_packs
from importer.reading_ahead import read_ahead
from importer.report import ImportReport, PackReport, SkillChange, masked_report
from importer.source import PackSource
from importer.unread_skill import ReadySkill, UnreadSkill

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
    checkpoint: Checkpoint = NO_DEADLINE,
    processes: int = 1,
    taken: Collection[str] = (),
) -> ImportReport:
    """Imports a source; importing it again changes nothing.

    Skills are read, written and forgotten few by few. One that is refused stops no other,
    and what is stored of it from earlier stays. Packs that an earlier import of the same
    marketplace brought and that its manifest names no more are removed.

    Args:
        pack_name: instead of the name of the folder or archive.
        strict: refuse skills with warnings, and what the specification forbids.
        prune: remove skills and plugins that are gone from the source. A lone file is a part
            of its pack and removes nothing.
        dry_run: report what would change and change nothing.
        progress: called with how many skills of a pack are done, and of how many.
        checkpoint: asked behind each skill whether to go on.
        processes: how many may read the skills of a large pack, beside this one that writes;
            1 starts none. The outcome is the same.
        taken: names of packs that other sources of the same job have, as reports show them.

    Raises:
        InvalidPack, PackTooLarge: the source as a whole, or a pack of it has the name of
            another one, which it would replace; nothing is written.
        RoleRequired, IdentityRequired: the identity may not import into that scope.
        StoreUnavailable: the store is locked or full; nothing of this pack is written.
        DeadlineExceeded: the caller waits no longer; likewise.
    """
    reports = []
    with open_packs(source, name=pack_name) as packs:
        _check_names(packs, taken)
        for pack in packs:
            if pack.reach is not Reach.READ:
                reports.append(_unread_report(pack))
                continue
            with catalog.pack_writer(
                identity,
                scope,
                pack.name,
                origin_reference=pack.origin_reference if pack.is_whole else None,
                dry_run=dry_run,
                request_id=request_id,
                checkpoint=checkpoint,
            ) as writing:
                importing = _PackImport(
                    pack, writing, strict=strict, progress=progress, checkpoint=checkpoint
                )
                importing.take_all(processes)
                if prune and pack.is_whole:
                    importing.remove_what_is_gone()
            reports.append(importing.report())
        if prune:
            reports.extend(
                remove_gone_packs(
                    catalog,
                    identity,
                    scope,
                    packs,
                    dry_run=dry_run,
                    request_id=request_id,
                    checkpoint=checkpoint,
                )
            )
    return ImportReport(tuple(map(masked_report, reports)))


def _unread_report(pack: Pack) -> PackReport:
    return PackReport(pack.name, found=pack.found, refused=pack.found, diagnostics=pack.diagnostics)


def _check_names(packs: Sequence[Pack], taken: Collection[str]) -> None:
    for pack in packs:
        shown = masked(pack.name)
        if pack.is_whole and shown in taken:
            raise InvalidPack(
                f"two packs have the name '{shown}', and each would remove what only the other "
                "has; import them apart under names of their own",
                field="pack_name",
            )


_Origin: TypeAlias = tuple[SkillPlace, Mapping[str, bytes]]


class _PackImport:
    """The import of one pack, while its transaction is open."""

    def __init__(
        self,
        pack: Pack,
        writing: PackWriting,
        *,
        strict: bool,
        progress: Progress,
        checkpoint: Checkpoint,
    ) -> None:
        self._pack = pack
        self._writing = writing
        self._strict = strict
        self._progress = progress
        self._checkpoint = checkpoint
        self._done = 0
        self._counts: Counter[Change] = Counter()
        self._refused = 0
        self._kept: set[str] = set()
        self._changes: list[SkillChange] = []
        pack.settle_names(writing.existing_by_path)
        self._findings: list[Diagnostic] = list(pack.diagnostics)

    def take_all(self, processes: int) -> None:
        """Adds, updates or leaves each skill as it is."""
        ready = read_ahead(
            self._changed(),
            indexed=not self._writing.dry_run,
            expected=len(self._pack.places),
            processes=processes,
        )
        with closing(ready):
            for (place, artifacts), skill in ready:
                self._take(place, artifacts, skill)
                self._tell_progress()

    def _changed(self) -> Iterator[tuple[_Origin, UnreadSkill]]:
        """Those that are not stored already as they are."""
        for place in self._pack.places:
            stored = self._writing.existing_by_path.get(place.path)
            name = self._pack.qualified_name(place)
            if (
                stored
                and name == stored[0]
                and self._pack.content_hash(place) == stored[1]
                and not self._strict
            ):
                self._kept.add(name)
                self._writing.keep(name)
                self._counts[Change.UNCHANGED] += 1
                self._tell_progress()
            else:
                unread, artifacts = self._pack.unread(place, strict=self._strict)
                yield (place, artifacts), unread

    def _take(self, place: SkillPlace, artifacts: Mapping[str, bytes], ready: ReadySkill) -> None:
        if ready.skill is None:
            self._refuse(place, ready.diagnostics)
            return
        self._findings.extend(ready.diagnostics)
        name = ready.skill.qualified_name
        self._kept.add(name)
        change = self._writing.put(ready.skill, artifacts, ready.document)
        self._count(change, name)
        if name in self._writing.deleted:
            code = "deleted-here" if change is Change.DELETED_HERE else "brought-back"
            self._findings.append(diagnostic(code, f"'{name}' was deleted here", place.path))

    def _tell_progress(self) -> None:
        self._done += 1
        self._progress(self._done, len(self._pack.places))
        self._checkpoint()

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
            deleted_here=self._counts[Change.DELETED_HERE],
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
        if change not in (Change.UNCHANGED, Change.DELETED_HERE):
            self._changes.append(SkillChange(change, name))
