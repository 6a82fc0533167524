"""The options by which commands are told what a run may see, and where a page begins."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from catalog.errors import SkillNotFound
from catalog.injection.capability import Capability
from catalog.scope import ScopeKind
from catalog.search.request import Filters
from catalog.skill import Origin

_CAPABILITY_PANEL = "What the run may use"
_FILTER_PANEL = "Filters"
# Said whatever the cause, so that it tells of no skill that is hidden.
_ALLOWING = "--allow-tool, --allow-namespace, --allow-tag"
MORE_TO_SEE = f"a run that may use more ({_ALLOWING}) may see more"


@contextmanager
def telling_how_to_see_more() -> Iterator[None]:
    """A skill that is not found in the block is refused with the options that say what the run
    may use.

    Raises:
        SkillNotFound: as raised in the block, with the longer message.
    """
    try:
        yield
    except SkillNotFound as absent:
        message = f"{absent.message}; what it may use is said by {_ALLOWING}"
        raise SkillNotFound(message, **absent.metadata) from None


PageToken = Annotated[
    str, typer.Option(help="Go on from an earlier answer.", metavar="TOKEN", show_default=False)
]


def _names(flag: str, help: str, panel: str) -> object:
    return typer.Option(flag, help=help, metavar="NAME", rich_help_panel=panel, show_default=False)


AllowedTools = Annotated[
    list[str] | None,
    _names("--allow-tool", "A tool that the run may use; repeatable.", _CAPABILITY_PANEL),
]
AllowedNamespaces = Annotated[
    list[str] | None,
    _names("--allow-namespace", "A namespace that the run may use; repeatable.", _CAPABILITY_PANEL),
]
AllowedTags = Annotated[
    list[str] | None,
    _names("--allow-tag", "A tag that the run may use; repeatable.", _CAPABILITY_PANEL),
]
Tags = Annotated[
    list[str] | None,
    _names("--tag", "Only skills with this tag, and with every other named.", _FILTER_PANEL),
]
Packs = Annotated[
    list[str] | None,
    _names("--pack", "Only skills of this pack, or of another named.", _FILTER_PANEL),
]
TaskTypes = Annotated[
    list[str] | None,
    _names("--task-type", "Only skills of this task type, or of another named.", _FILTER_PANEL),
]
Origins = Annotated[
    list[Origin] | None,
    typer.Option(
        "--origin",
        help="Only skills of this origin.",
        rich_help_panel=_FILTER_PANEL,
        show_default=False,
    ),
]
Scopes = Annotated[
    list[ScopeKind] | None,
    typer.Option(
        "--scope",
        help="Only skills of this scope, or of another named.",
        rich_help_panel=_FILTER_PANEL,
        show_default=False,
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(
        "--max-tokens", help="Budget of the text, in tokens (default: none).", show_default=False
    ),
]
Redact = Annotated[
    bool,
    typer.Option("--redact", help="Ask for redaction where the operator leaves it to the caller."),
]


def capability(
    tools: list[str] | None, namespaces: list[str] | None, tags: list[str] | None
) -> Capability:
    return Capability(_listed(tools), _listed(namespaces), _listed(tags))


def filters(
    tags: list[str] | None,
    packs: list[str] | None,
    task_types: list[str] | None,
    origins: list[Origin] | None,
    scopes: list[ScopeKind] | None,
) -> Filters:
    return Filters(
        tags=tuple(tags or ()),
        packs=tuple(packs or ()),
        task_types=tuple(task_types or ()),
        origins=tuple(origins or ()),
        scopes=tuple(scopes or ()),
    )


def _listed(names: list[str] | None) -> tuple[str, ...] | None:
    # An option that is not given and one that is given nothing are the same to typer.
    return tuple(names) if names else None
