"""`skillcatalog audit`: what happened in the tenant, and whether the trail is whole."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from server.command_line import selection
from server.command_line.exit_codes import ExitCode
from server.command_line.invocation import Invocation, command
from server.command_line.lifecycle import moment
from server.command_line.output import (
    Format,
    note_next_page,
    print_json,
    print_note,
    print_table,
    print_text,
)

EXAMPLES = (
    "skillcatalog audit --limit 20",
    "skillcatalog audit --verify",
    "skillcatalog audit --format json | jq '.events[] | select(.outcome == \"refused\")'",
)


@command()
def audit(
    invocation: Invocation,
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Check the chain of hashes; exit code 1 where it breaks."),
    ] = False,
    limit: Annotated[int, typer.Option(help="Events wanted, 1 to 1000.")] = 100,
    page_token: selection.PageToken = "",
) -> ExitCode:
    """Show the audit trail of the tenant, newest first. Role admin."""
    if verify:
        return _verify(invocation)
    with invocation.catalog() as (catalog, identity):
        page = catalog.audit(identity, limit, page_token)
    if invocation.format is Format.JSON:
        print_json(asdict(page))
        return ExitCode.OK
    if not page.events:
        print_note("no event to show")
        return ExitCode.OK
    print_table(
        ("when", "user", "session", "action", "outcome", "reason", "subject"),
        (
            (
                moment(event.at),
                event.user,
                event.session,
                event.action,
                event.outcome,
                event.reason,
                event.subject,
            )
            for event in page.events
        ),
    )
    note_next_page(page.next_page_token)
    return ExitCode.OK


def _verify(invocation: Invocation) -> ExitCode:
    with invocation.catalog() as (catalog, identity):
        broken = catalog.verify_audit(identity)
    if invocation.format is Format.JSON:
        print_json({"whole": broken is None, "first_broken_line": broken})
    elif broken is None:
        print_text("the trail is whole")
    else:
        print_text(f"the trail breaks at line {broken}: a line was changed or removed")
    return ExitCode.OK if broken is None else ExitCode.FINDINGS
