"""`history`, `rollback`, `promote`, `pin` and `delete`: the life of a stored skill."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.scope import ScopeKind
from server.command_line import selection
from server.command_line.exit_codes import ExitCode
from server.command_line.invocation import Invocation, command
from server.command_line.output import (
    Format,
    note_next_page,
    print_json,
    print_table,
    print_text,
)

if TYPE_CHECKING:
    from catalog.lifecycle import Changed
    from catalog.stores.store import Revision

HISTORY_EXAMPLES = ("skillcatalog history tidy-git-history",)
ROLLBACK_EXAMPLES = (
    "skillcatalog rollback release-log 1f3c… --expected-content-hash 9ab2…",
    "skillcatalog rollback starter:deleted-by-mistake 1f3c…",
)
PROMOTE_EXAMPLES = ("skillcatalog promote release-log --scope tenant",)
PIN_EXAMPLES = ("skillcatalog pin tidy-git-history", "skillcatalog pin tidy-git-history --off")
DELETE_EXAMPLES = (
    "skillcatalog delete release-log",
    "skillcatalog delete release-log --purge",
)

_Name = Annotated[str, typer.Argument(help="Bare or qualified name.")]
_Expected = Annotated[
    str,
    typer.Option(
        help="Of the version that must be the present one.", metavar="HASH", show_default=False
    ),
]


@command()
def history(
    invocation: Invocation,
    name: _Name,
    limit: Annotated[int, typer.Option(help="Revisions wanted, 1 to 1000.")] = 100,
    page_token: selection.PageToken = "",
) -> ExitCode:
    """List the accepted writes of a skill, newest first."""
    with invocation.catalog() as (catalog, identity):
        answer = catalog.history(identity, name, limit, page_token)
    if invocation.format is Format.JSON:
        revisions = [_revision_as_json(revision) for revision in answer.revisions]
        print_json({"revisions": revisions, "next_page_token": answer.next_page_token})
        return ExitCode.OK
    print_table(
        ("revision", "action", "when", "user", "reference", "content hash"),
        (
            (
                revision.number,
                revision.action,
                moment(revision.at),
                revision.user,
                revision.origin_reference,
                revision.content_hash,
            )
            for revision in answer.revisions
        ),
        numbers=("revision",),
    )
    note_next_page(answer.next_page_token)
    return ExitCode.OK


@command()
def rollback(
    invocation: Invocation,
    name: _Name,
    content_hash: Annotated[
        str, typer.Argument(help="Of the revision to return to.", metavar="HASH")
    ],
    expected_content_hash: _Expected = "",
) -> ExitCode:
    """Make an earlier version of a skill the present one, or bring a deleted skill back.

    A skill that is present needs --expected-content-hash, a deleted one none.
    """
    with invocation.catalog() as (catalog, identity):
        changed = catalog.rollback(identity, name, content_hash, expected_content_hash)
    return _told(invocation, "rolled back", changed)


@command()
def promote(
    invocation: Invocation,
    name: _Name,
    scope: Annotated[ScopeKind, typer.Option(help="Wider than the present one.")],
    expected_content_hash: _Expected = "",
) -> ExitCode:
    """Move a skill into a wider scope."""
    with invocation.catalog() as (catalog, identity):
        changed = catalog.promote(identity, name, scope, expected_content_hash)
    return _told(invocation, "promoted", changed)


@command()
def pin(
    invocation: Invocation,
    name: _Name,
    off: Annotated[bool, typer.Option("--off", help="Take the pin away.")] = False,
) -> ExitCode:
    """Put a skill at the head of directories."""
    with invocation.catalog() as (catalog, identity):
        changed = catalog.pin(identity, name, not off)
    return _told(invocation, "unpinned" if off else "pinned", changed)


@command()
def delete(
    invocation: Invocation,
    name: _Name,
    scope: Annotated[
        ScopeKind | None,
        typer.Option(
            help="Where the skill is (default: the narrowest that has it).", show_default=False
        ),
    ] = None,
    expected_content_hash: _Expected = "",
    purge: Annotated[
        bool,
        typer.Option("--purge", help="Delete its bytes and earlier versions too; role admin."),
    ] = False,
) -> ExitCode:
    """Take a skill out of search at once; its earlier versions stay unless purged."""
    from catalog.lifecycle import DeleteRequest

    request = DeleteRequest(name, scope, expected_content_hash, purge)
    with invocation.catalog() as (catalog, identity):
        changed = catalog.delete(identity, request)
    return _told(invocation, "purged" if purge else "deleted", changed)


def _revision_as_json(revision: Revision) -> dict[str, Any]:
    """Under the names that the answer of the RPC has."""
    fields = asdict(revision)
    return {"revision": fields.pop("number"), "reference": fields.pop("origin_reference"), **fields}


def moment(at: float) -> str:
    """Seconds since the epoch as a time in UTC."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def _told(invocation: Invocation, what: str, changed: Changed) -> ExitCode:
    if invocation.format is Format.JSON:
        print_json(asdict(changed))
    else:
        print_text(f"{what} {changed.card.qualified_name} in scope {changed.scope}")
    return ExitCode.OK
