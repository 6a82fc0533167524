"""Plugins that a marketplace had when it was imported before, and has no more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from catalog.catalog import Catalog
from catalog.checkpoint import Checkpoint
from catalog.identity import Identity
from catalog.lifecycle import Change
from catalog.scope import ScopeKind
from importer.pack import Pack
from importer.report import PackReport, SkillChange


def remove_gone_packs(
    catalog: Catalog,
    identity: Identity,
    scope: ScopeKind,
    packs: Sequence[Pack],
    *,
    dry_run: bool,
    request_id: str,
    checkpoint: Checkpoint,
) -> Iterator[PackReport]:
    """Removes the skills that came from this marketplace in packs which it names no more.

    Only what an import of the same marketplace wrote into this scope, or found there as it
    is, is removed; a skill that another source brought later is that source's. A marketplace
    without a name tells nothing from others, and nothing is removed for it.

    Args:
        packs: all of one source.
    """
    named = {pack.name for pack in packs}
    origins = {pack.origin_reference for pack in packs if pack.origin_reference}
    for origin in origins:
        for name in catalog.packs_from(identity, scope, origin, request_id):
            if name in named:
                continue
            with catalog.pack_writer(
                identity,
                scope,
                name,
                dry_run=dry_run,
                request_id=request_id,
                checkpoint=checkpoint,
            ) as writing:
                gone = writing.existing_from(origin)
                for skill in gone:
                    writing.remove(skill)
            yield PackReport(
                name,
                found=0,
                removed=len(gone),
                dry_run=dry_run,
                changes=tuple(SkillChange(Change.REMOVED, skill) for skill in gone),
            )
