"""`skillcatalog directory`: the short list that goes into a planner's system prompt."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from server.command_line import selection
from server.command_line.exit_codes import ExitCode
from server.command_line.invocation import Invocation, command
from server.command_line.output import Format, print_json, print_note, print_text

EXAMPLES = (
    "skillcatalog directory",
    "skillcatalog directory --max-entries 10 --most-used --max-tokens 500",
)


@command()
def directory(
    invocation: Invocation,
    max_entries: Annotated[int, typer.Option(help="Cards wanted, 1 to 200.")] = 30,
    most_used: Annotated[
        bool, typer.Option("--most-used", help="Most used first, instead of most recent.")
    ] = False,
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
    """Print cards for a system prompt: pinned first, then most recent or most used."""
    from catalog.requests import DirectoryOrder, DirectoryRequest

    request = DirectoryRequest(
        max_entries=max_entries,
        order=DirectoryOrder.MOST_USED if most_used else DirectoryOrder.RECENT,
        max_tokens=max_tokens,
        filters=selection.filters(tag, pack, task_type, origin, scope),
        capability=selection.capability(allow_tool, allow_namespace, allow_tag),
        redact=redact,
    )
    with invocation.catalog() as (catalog, identity):
        answer = catalog.directory(identity, request)
    if invocation.format is Format.JSON:
        print_json(asdict(answer))
        return ExitCode.OK
    if not answer.cards and not answer.omitted:
        print_note(f"no skill to show; {selection.MORE_TO_SEE}")
        return ExitCode.OK
    print_text(answer.text)
    if answer.omitted:
        print_note(f"left out by the budget: {', '.join(answer.omitted)}")
    return ExitCode.OK
