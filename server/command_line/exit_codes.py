"""The exit codes: the same everywhere, whatever the command."""

from __future__ import annotations

from enum import IntEnum

from catalog.errors import SkillCatalogError


class ExitCode(IntEnum):
    """`meaning` is what the reference of the command line says."""

    meaning: str

    OK = 0, "done"
    FINDINGS = 1, "done, and something was refused or found wanting; the output says what"
    USAGE = 2, "the command line, a setting or an argument is wrong, or nothing could be read"
    IDENTITY = 3, "no identity, or its roles do not allow it"
    NOT_FOUND = 4, "no such skill or attachment for this identity"
    PRECONDITION = 5, "the catalog is not in the state that it needs; nothing was written"
    LIMIT = 6, "a stated limit is passed; nothing was written"
    UNAVAILABLE = 7, "the store or the server cannot be reached; it may be tried again"

    def __new__(cls, number: int, meaning: str) -> ExitCode:
        member = int.__new__(cls, number)
        member._value_ = number
        member.meaning = meaning
        return member


_BY_CODE = {
    "UNAUTHENTICATED": ExitCode.IDENTITY,
    "PERMISSION_DENIED": ExitCode.IDENTITY,
    "NOT_FOUND": ExitCode.NOT_FOUND,
    "INVALID_ARGUMENT": ExitCode.USAGE,
    "FAILED_PRECONDITION": ExitCode.PRECONDITION,
    "ABORTED": ExitCode.PRECONDITION,
    "RESOURCE_EXHAUSTED": ExitCode.LIMIT,
    "DEADLINE_EXCEEDED": ExitCode.UNAVAILABLE,
    "UNAVAILABLE": ExitCode.UNAVAILABLE,
}


def exit_code_of(error: SkillCatalogError) -> ExitCode:
    return _BY_CODE[error.code]


def worst(codes: list[ExitCode]) -> ExitCode:
    """Of several things done by one command, the one to report."""
    return max(codes, default=ExitCode.OK)
