"""The exit codes: the same everywhere, whatever the command."""

from __future__ import annotations

from enum import IntEnum

from catalog.errors import SkillCatalogError


class ExitCode(IntEnum):
    OK = 0
    FINDINGS = 1
    USAGE = 2
    IDENTITY = 3
    NOT_FOUND = 4
    PRECONDITION = 5
    LIMIT = 6
    UNAVAILABLE = 7
    OUTPUT = 8
    READER_GONE = 141


MEANINGS = {
    ExitCode.OK: "done",
    ExitCode.FINDINGS: "done, and something was refused or is to be mended; the output says what",
    ExitCode.USAGE: "the command line, a setting or an argument is wrong, or nothing could be read",
    ExitCode.IDENTITY: "no identity, or its roles do not allow it",
    ExitCode.NOT_FOUND: "no such skill or attachment for this identity",
    ExitCode.PRECONDITION: "the catalog is not in the state that it needs; nothing was written",
    ExitCode.LIMIT: "a stated limit is passed; nothing was written",
    ExitCode.UNAVAILABLE: "the store or the server cannot be reached; it may be tried again",
    ExitCode.OUTPUT: "the output cannot be written: the disk is full, or standard output is closed",
    ExitCode.READER_GONE: "who read the output stopped reading, as `head` does; nothing is said",
}

_BY_STATUS = {
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
    return _BY_STATUS[error.code]
