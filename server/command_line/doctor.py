"""`skillcatalog doctor`: whether the index says what the rows say, and repair."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from server.command_line.exit_codes import ExitCode
from server.command_line.invocation import OUTPUT, STORE, Invocation, command
from server.command_line.output import Format, print_json, print_table, print_text

EXAMPLES = ("skillcatalog doctor", "skillcatalog doctor --repair")


@command({**OUTPUT, **STORE})
def doctor(
    invocation: Invocation,
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Make index, profiles and statistics anew from the rows."),
    ] = False,
) -> ExitCode:
    """Compare every tenant's rows with all that is derived from them, and verify every trail.

    Exit code 1 when something disagrees, or still does after a repair. An audit trail that is
    broken is never repaired, nor is a file that is damaged: restore it from a backup.
    """
    from server.configured import open_catalog

    catalog = open_catalog(invocation.configuration)
    try:
        found = catalog.store.check()
        embedding = catalog.store.active_embedding_progress()
        vector_search = catalog.store.vector_search if embedding is not None else None
        remaining = found
        if repair and any(finding.what != "file" for finding in found):
            catalog.store.repair()
            remaining = catalog.store.check()
    finally:
        catalog.close()
    if invocation.format is Format.JSON:
        print_json(
            {
                "found": [asdict(finding) for finding in found],
                "remaining": [asdict(finding) for finding in remaining],
                "embedding": asdict(embedding) if embedding is not None else None,
                "vector_search": vector_search,
            }
        )
    else:
        if found:
            print_table(
                ("what", "tenant", "detail"),
                ((finding.what, finding.tenant, finding.detail) for finding in found),
            )
        if embedding is not None:
            print_text(
                f"{embedding.embedded} of {embedding.entries} skills have vectors of "
                f"{embedding.space}"
            )
            print_text(f"vectors are searched {vector_search}")
        print_text(f"{len(found)} disagreements found, {len(remaining)} remain")
    return ExitCode.FINDINGS if remaining else ExitCode.OK
