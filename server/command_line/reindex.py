"""`skillcatalog reindex`: vectors of another embedder, built beside the old, switched at once."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from catalog.errors import InvalidConfiguration
from server.command_line.embedding import rate_line
from server.command_line.exit_codes import ExitCode
from server.command_line.invocation import OUTPUT, STORE, Invocation, command
from server.command_line.output import Format, print_json, print_text, progress

EXAMPLES = (
    "skillcatalog reindex",
    "skillcatalog reindex --embedder sentence-transformers --embedder-model ./new-model",
    "skillcatalog reindex --embedder openai-compatible --embedder-model small "
    "--embedder-url http://localhost:8080/v1",
)


@command({**OUTPUT, **STORE})
def reindex(
    invocation: Invocation,
    embedder: Annotated[
        str | None,
        typer.Option(
            help="Kind of the new embedder (default: the configured one).",
            metavar="KIND",
            show_default=False,
        ),
    ] = None,
    embedder_model: Annotated[
        str | None,
        typer.Option(help="Folder or name of its model.", metavar="MODEL", show_default=False),
    ] = None,
    embedder_url: Annotated[
        str | None,
        typer.Option(help="Base URL of its endpoint.", metavar="URL", show_default=False),
    ] = None,
) -> ExitCode:
    """Embed every skill anew where needed, then let all searches read the new vectors.

    Servers on the old model answer until the switch, and EMBEDDINGS_STALE from then on; those on
    the new one the other way round. A run that was interrupted is gone on with by the next.
    """
    from catalog.embedding import open_embedder, space_of
    from server.configured import embedder_settings, open_catalog

    configuration = invocation.resolve(
        embedder=embedder, embedder_model=embedder_model, embedder_url=embedder_url
    ).configuration
    settings = embedder_settings(configuration)
    if settings is None:
        raise InvalidConfiguration(
            "no embedder is configured: give --embedder, SKILLCATALOG_EMBEDDER or embedder in "
            "skillcatalog.toml",
            field="embedder",
        )
    new = open_embedder(settings)
    catalog = open_catalog(configuration)
    try:
        before = catalog.store.embedding_progress(space_of(new))
        with progress("embedding") as advance:
            filled = catalog.reindex(
                new, lambda done: advance(before.embedded + done.skills, before.entries)
            )
    finally:
        catalog.close()
    if invocation.format is Format.JSON:
        print_json({**asdict(filled), "space": before.space})
    else:
        print_text(f"{rate_line(filled)}; searches read vectors of {before.space}")
    return ExitCode.OK
