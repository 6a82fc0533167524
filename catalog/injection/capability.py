"""What a run may use, and which skills may therefore show. First step of the injection."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Capability:
    """Allowed tools, namespaces and tags of one run, as the caller spells them.

    None means the caller said nothing; an empty tuple means that nothing is allowed. Both
    show only skills that require nothing; they differ in the text, where names of tools
    are replaced only when the caller said what it may use.
    """

    tools: tuple[str, ...] | None = None
    namespaces: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
