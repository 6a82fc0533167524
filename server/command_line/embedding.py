"""Vectors for what a command has written, with a bar and the rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog.errors import FailedPrecondition
from server.command_line.output import print_note, progress

if TYPE_CHECKING:
    from catalog.catalog import Catalog
    from catalog.embedding.filling import Filled
    from catalog.identity import Identity


def embed(catalog: Catalog, identity: Identity) -> None:
    """Embed what an import left without vectors. The import stands whatever becomes of it."""
    try:
        before = catalog.embedding_progress()
        with progress("embedding") as advance:
            filled = catalog.embed_missing(
                identity,
                lambda done: advance(done.skills, before.entries - before.embedded),
            )
    except FailedPrecondition as error:
        print_note(f"imported, but not embedded: {error.message}")
    else:
        print_note(rate_line(filled))


def rate_line(filled: Filled) -> str:
    return (
        f"embedded {filled.skills} skills, {filled.texts} texts "
        f"at {filled.texts_a_second:.0f} texts/s"
    )
