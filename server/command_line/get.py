"""`skillcatalog get NAME…`: skills as a block for a prompt, inside a budget."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from server.command_line import selection
from server.command_line.exit_codes import ExitCode
from server.command_line.invocation import Invocation, command
from server.command_line.output import Format, print_json, print_note, print_text

if TYPE_CHECKING:
    from catalog.requests import GetAnswer, GotSkill

EXAMPLES = (
    "skillcatalog get multi-step-plan",
    "skillcatalog get starter:multi-step-plan starter:pull-request-reading --max-tokens 800",
    "skillcatalog get tidy-git-history --allow-tool Bash --format json",
)


@command()
def get(
    invocation: Invocation,
    names: Annotated[
        list[str],
        typer.Argument(
            help="Bare or qualified names, 1 to 50; earlier ones grow first.", metavar="NAME..."
        ),
    ],
    max_tokens: selection.MaxTokens = None,
    content_hash: Annotated[
        str,
        typer.Option(
            help="Of an earlier version, with exactly one name.", metavar="HASH", show_default=False
        ),
    ] = "",
    section: Annotated[
        list[str] | None,
        typer.Option(
            help="Only the section of this id; repeatable, with exactly one name.",
            metavar="ID",
            show_default=False,
        ),
    ] = None,
    allow_tool: selection.AllowedTools = None,
    allow_namespace: selection.AllowedNamespaces = None,
    allow_tag: selection.AllowedTags = None,
    redact: selection.Redact = False,
) -> ExitCode:
    """Print skills, redacted and fitted to a budget, ready for a prompt."""
    from catalog.requests import GetRequest

    request = GetRequest(
        names=tuple(names),
        sections=tuple(section or ()),
        max_tokens=max_tokens,
        capability=selection.capability(allow_tool, allow_namespace, allow_tag),
        redact=redact,
        content_hash=content_hash,
    )
    with invocation.catalog() as (catalog, identity), selection.telling_how_to_see_more():
        answer = catalog.get(identity, request)
    if invocation.format is Format.JSON:
        print_json(
            {
                "skills": [_as_json(skill) for skill in answer.skills],
                "text": answer.text,
                "tokens": answer.tokens,
                "omitted": answer.omitted,
                "redactions": answer.redactions,
            }
        )
    else:
        print_answer(answer)
    return ExitCode.OK


def print_answer(answer: GetAnswer) -> None:
    print_text(answer.text)
    for got in answer.skills:
        name, part = got.card.qualified_name, got.part
        if part.tier is None:
            print_note(f"{name}: nothing of it fits")
            continue
        print_note(f"{name}: {part.tier}, {part.tokens} tokens")
        left_out = {section.id for section in part.omitted}
        for kept in part.sections:
            if kept.id not in left_out:
                print_note(f"  --section {kept.id}")
        for section in part.omitted:
            print_note(f"  --section {section.id}: left out ({section.tokens} tokens)")
        for artifact in part.artifacts:
            print_note(f"  attachment: {artifact.path} ({artifact.size} bytes)")


def _as_json(got: GotSkill) -> dict[str, Any]:
    skill = got.part.skill
    return {
        "card": asdict(got.card),
        "scope": got.scope,
        "origin": got.origin,
        "tier": got.part.tier,
        "tokens": got.part.tokens,
        "sections": [asdict(section) for section in got.part.sections],
        "omitted": [asdict(section) for section in got.part.omitted],
        "artifacts": [
            {**asdict(artifact), "reference": artifact.reference} for artifact in got.part.artifacts
        ],
        "metadata": dict(skill.metadata),
        "allowed_tools_declaration": skill.allowed_tools.declaration,
        "allowed_tools": skill.allowed_tools.names,
        "required_tools": skill.requirements.tools.names,
        "required_namespaces": skill.requirements.namespaces.names,
        "required_tags": skill.requirements.tags.names,
        "hidden_runs": skill.hidden_runs,
    }
