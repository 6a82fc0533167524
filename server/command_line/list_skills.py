"""`skillcatalog list`: cards of the visible skills, ordered by name."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from server.command_line import selection
from server.command_line.exit_codes import ExitCode
from server.command_line.invocation import Invocation, command
from server.command_line.output import (
    Format,
    note_next_page,
    print_json,
    print_note,
    print_table,
)

EXAMPLES = (
    "skillcatalog list",
    "skillcatalog list --pack starter --limit 5",
    "skillcatalog list --format json | jq -r '.cards[].card.qualified_name'",
)


@command()
def list_skills(
    invocation: Invocation,
    limit: Annotated[int, typer.Option(help="Cards wanted, 1 to 1000.")] = 100,
    page_token: selection.PageToken = "",
    max_tokens: selection.MaxTokens = None,
    tag: selection.Tags = None,
    pack: selection.Packs = None,
    task_type: selection.TaskTypes = None,
    origin: selection.Origins = None,
    scope: selection.Scopes = None,
    allow_tool: selection.AllowedTools = None,
    allow_namespace: selection.AllowedNamespaces = None,
    allow_tag: selection.AllowedTags = None,
    redact: selection.Redact = False,
) -> ExitCode:
    """List the skills that this identity and this run may see."""
    from catalog.requests import ListRequest

    request = ListRequest(
        page_size=limit,
        page_token=page_token,
        filters=selection.filters(tag, pack, task_type, origin, scope),
        capability=selection.capability(allow_tool, allow_namespace, allow_tag),
        max_tokens=max_tokens,
        redact=redact,
    )
    with invocation.catalog() as (catalog, identity):
        answer = catalog.list(identity, request)
    if invocation.format is Format.JSON:
        print_json(asdict(answer))
        return ExitCode.OK
    if not answer.cards and not answer.omitted and not answer.next_page_token:
        print_note(f"no skill to show; {selection.MORE_TO_SEE}")
        return ExitCode.OK
    print_table(
        ("skill", "scope", "origin", "tokens", "description"),
        (
            (
                listed.card.qualified_name,
                listed.scope,
                listed.origin,
                listed.card.tokens,
                listed.card.description,
            )
            for listed in answer.cards
        ),
        numbers=("tokens",),
    )
    if answer.omitted:
        print_note(f"left out by the budget: {', '.join(answer.omitted)}")
    note_next_page(answer.next_page_token)
    return ExitCode.OK
