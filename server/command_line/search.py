"""`skillcatalog search QUERY`: the right few skills, ranked, as cards."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from catalog.search.request import (
    DEFAULT_LIMIT,
    RungReport,
    SearchAnswer,
    SearchMode,
    SearchRequest,
)
from server.command_line import selection
from server.command_line.exit_codes import ExitCode
from server.command_line.invocation import Invocation, command
from server.command_line.output import Format, note_next_page, print_json, print_note, print_table

EXAMPLES = (
    'skillcatalog search "write the release notes"',
    "skillcatalog search 'tidy commits' --limit 3 --allow-tool Bash --allow-tool Read",
    "skillcatalog search 'CSV' --format json | jq '.hits[].card.qualified_name'",
)


@command()
def search(
    invocation: Invocation,
    query: Annotated[str, typer.Argument(help="Plain text; no character of it is syntax.")],
    limit: Annotated[int, typer.Option(help="Hits wanted, 1 to 100.")] = DEFAULT_LIMIT,
    mode: Annotated[
        SearchMode, typer.Option(help="semantic and hybrid need an embedder.")
    ] = SearchMode.LADDER,
    min_score: Annotated[float, typer.Option(help="Leave out hits below it, 0 to 1.")] = 0.0,
    max_tokens: selection.MaxTokens = None,
    page_token: selection.PageToken = "",
    tag: selection.Tags = None,
    pack: selection.Packs = None,
    task_type: selection.TaskTypes = None,
    origin: selection.Origins = None,
    scope: selection.Scopes = None,
    allow_tool: selection.AllowedTools = None,
    allow_namespace: selection.AllowedNamespaces = None,
    allow_tag: selection.AllowedTags = None,
    redact: selection.Redact = False,
    snippets: Annotated[
        bool,
        typer.Option(
            "--snippets", help="Show the line of each body that says most of what was asked."
        ),
    ] = False,
) -> ExitCode:
    """Find skills for a task described in plain language."""
    request = SearchRequest(
        query=query,
        limit=limit,
        mode=mode,
        filters=selection.filters(tag, pack, task_type, origin, scope),
        capability=selection.capability(allow_tool, allow_namespace, allow_tag),
        min_score=min_score,
        max_tokens=max_tokens,
        page_token=page_token,
        redact=redact,
        snippets=snippets,
    )
    needs_embedder = mode is not SearchMode.LADDER
    with invocation.catalog(with_embedder=needs_embedder) as (catalog, identity):
        answer = catalog.search(identity, request)
    if invocation.format is Format.JSON:
        print_json(asdict(answer))
    else:
        print_answer(answer)
    return ExitCode.OK


def print_answer(answer: SearchAnswer) -> None:
    if answer.hits:
        print_table(
            ("score", "skill", "rung", "tokens", "description"),
            (
                (
                    f"{hit.score:.3f}",
                    hit.card.qualified_name,
                    hit.rung,
                    hit.card.tokens,
                    hit.snippet or hit.card.description,
                )
                for hit in answer.hits
            ),
            numbers=("score", "tokens"),
        )
    elif not answer.omitted:
        print_note(f"no skill fits; {selection.MORE_TO_SEE}")
    print_note("; ".join(map(_rung_line, answer.rungs)))
    if answer.omitted:
        print_note(f"left out by the budget: {', '.join(answer.omitted)}")
    note_next_page(answer.next_page_token)


def _rung_line(report: RungReport) -> str:
    if not report.available:
        return f"{report.rung}: unavailable ({report.reason})"
    passes = f" ({', '.join(report.passes)})" if report.passes else ""
    reason = f", {report.reason}" if report.reason else ""
    return f"{report.rung}: {report.hits} hits{passes}{reason}"
