"""The table of error reasons, part of the reference of the wire."""

from __future__ import annotations

from collections.abc import Iterator

from catalog.errors import SkillCatalogError
from reference_pages.markdown import table
from server.command_line.exit_codes import exit_code_of


def reasons() -> str:
    return table(
        ("reason", "gRPC status", "exit code", "when"),
        (
            (f"`{error.reason}`", error.code, int(exit_code_of(error)), _meaning(error))
            for error in (_instance(kind) for kind in _leaves(SkillCatalogError))
        ),
    )


def _leaves(kind: type[SkillCatalogError]) -> Iterator[type[SkillCatalogError]]:
    if "reason" in vars(kind):
        yield kind
    for narrower in kind.__subclasses__():
        yield from _leaves(narrower)


def _instance(kind: type[SkillCatalogError]) -> SkillCatalogError:
    # Only its class attributes are read.
    return kind.__new__(kind)


def _meaning(error: SkillCatalogError) -> str:
    for kind in type(error).__mro__:
        if kind is not SkillCatalogError and (text := kind.__doc__):
            return text
    return ""
