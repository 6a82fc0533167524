"""`skillcatalog propose FILE`: a skill that an agent, or its user, wrote during a run."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from catalog.errors import InvalidSkill
from catalog.scope import ScopeKind
from server.command_line.exit_codes import ExitCode
from server.command_line.import_packs import STANDARD_INPUT, diagnostic_line
from server.command_line.invocation import Invocation, command
from server.command_line.output import Format, print_json, print_note, print_text

EXAMPLES = (
    "skillcatalog propose learned.md",
    "skillcatalog propose learned.md --expected-content-hash 1f3c…",
    "generate-skill | skillcatalog propose - --scope session",
)


@command()
def propose(
    invocation: Invocation,
    file: Annotated[
        Path, typer.Argument(help="A Markdown skill; - is standard input.", metavar="FILE")
    ],
    scope: Annotated[
        ScopeKind | None,
        typer.Option(
            help="session, user or project (default: project, or user where there is none).",
            show_default=False,
        ),
    ] = None,
    expected_content_hash: Annotated[
        str,
        typer.Option(help="Of the version to be changed.", metavar="HASH", show_default=False),
    ] = "",
    idempotency_key: Annotated[
        str,
        typer.Option(
            help="A retry with the same key gets the same answer.",
            metavar="KEY",
            show_default=False,
        ),
    ] = "",
) -> ExitCode:
    """Keep a skill that was learned during a run."""
    from catalog.lifecycle import ProposeRequest
    from importer.skill_file import read_skill

    read = read_skill(_source(file), file.name)
    request = ProposeRequest(read.proposed(), scope, expected_content_hash, idempotency_key)
    with invocation.catalog() as (catalog, identity):
        answer = catalog.propose(identity, request)
    if invocation.format is Format.JSON:
        findings = [finding.as_json() for finding in read.diagnostics]
        print_json({**asdict(answer), "diagnostics": findings})
        return ExitCode.OK
    print_text(f"{answer.change} {answer.card.qualified_name} in scope {answer.scope}")
    print_text(f"content hash {answer.card.content_hash}")
    for near in answer.near_duplicates:
        print_note(f"much the same as {near.qualified_name} ({near.similarity:.2f})")
    for finding in read.diagnostics:
        print_note(diagnostic_line(finding))
    return ExitCode.OK


def _source(file: Path) -> bytes:
    if file == STANDARD_INPUT:
        return sys.stdin.buffer.read()
    try:
        return file.read_bytes()
    except OSError as error:
        raise InvalidSkill(f"cannot read '{file}': {error.strerror}") from error
