"""limits.md: every limit as a number, with the error that passing it gives."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import fields
from itertools import pairwise
from types import ModuleType

from catalog import identity, lifecycle, pack_writing, requests
from catalog.search import request as search_request
from catalog.stores import sqlite
from importer import limits as import_limits
from reference_pages.markdown import table
from server import transport
from server.configuration import Configuration
from server.settings import Limits

INTRODUCTION = """\
# Limits

Every limit as a number. Passing one gives the error beside it, whose message names the field,
the value and the limit; nothing is cut off in silence.

## Requests

"""

# What is limited, the number, and the error.
REQUESTS: list[tuple[str, int, str]] = [
    ("Characters of a part of the identity", identity.MAX_PART_CHARACTERS, "IDENTITY_REQUIRED"),
    ("Characters of a query", search_request.MAX_QUERY_CHARACTERS, "INVALID_QUERY"),
    ("Hits of one search", search_request.MAX_LIMIT, "INVALID_QUERY"),
    ("Names in one get", requests.MAX_NAMES, "INVALID_QUERY"),
    ("Cards in one page of a list", requests.MAX_PAGE_SIZE, "INVALID_QUERY"),
    ("Entries of a directory", requests.MAX_DIRECTORY_ENTRIES, "INVALID_QUERY"),
    ("Bytes of a proposed skill", lifecycle.MAX_PROPOSAL_BYTES, "INVALID_SKILL"),
    (
        "Characters of an idempotency key",
        lifecycle.MAX_IDEMPOTENCY_KEY_CHARACTERS,
        "INVALID_SKILL",
    ),
    ("Characters of a pack's name", pack_writing.MAX_PACK_NAME_CHARACTERS, "INVALID_PACK"),
    (
        "Milliseconds that a write waits for another on SQLite",
        sqlite.BUSY_TIMEOUT_MILLISECONDS,
        "STORE_UNAVAILABLE",
    ),
    ("Connections to one SQLite store", sqlite.MAX_CONNECTIONS, "STORE_UNAVAILABLE"),
]

# What passing a limit of the server gives.
SERVER: dict[str, str] = {
    "threads": "the next call waits",
    "threads_per_tenant": "the tenant's next call waits",
    "queue": "`OVERLOADED`",
    "queue_per_tenant": "`OVERLOADED`",
    "imports": "the next import waits",
    "imports_per_tenant": "the tenant's next import waits",
    "uploads": "`OVERLOADED`",
    "uploads_per_tenant": "`OVERLOADED`",
    "upload_idle_seconds": "`DEADLINE_EXCEEDED`",
    "rate_per_tenant": "`OVERLOADED`",
    "burst_per_tenant": "`OVERLOADED`",
    "message_bytes": (
        "`MESSAGE_TOO_LARGE`; a request of more than "
        f"{transport.MESSAGES_RECEIVED_TO_BE_REFUSED} times that is refused by gRPC itself, "
        "with the code `RESOURCE_EXHAUSTED` and no reason"
    ),
    "archive_bytes": "`PACK_TOO_LARGE`",
    "chunk_bytes": "a larger file takes more chunks",
}


def page() -> str:
    return (
        INTRODUCTION
        + table(
            ("limit", "number", "error"),
            ((what, f"{number:,}", f"`{reason}`") for what, number, reason in REQUESTS),
        )
        + "\n## The server\n\nEach is a setting of that name.\n\n"
        + table(
            ("limit", "default", "what it counts", "passing it"),
            (
                (
                    f"`{limit.name}`",
                    _number(limit.default),
                    _meaning(limit.name),
                    SERVER[limit.name],
                )
                for limit in fields(Limits)
            ),
        )
        + "\n## Imports\n\n"
        + table(
            ("limit", "number", "what it counts, and what passing it does"),
            (
                (_in_words(name), f"{value:,}", text)
                for name, value, text in documented_constants(import_limits)
            ),
        )
    )


def documented_constants(module: ModuleType) -> Iterator[tuple[str, int, str]]:
    """Name, value and text of every constant that a text follows."""
    statements = ast.parse(inspect.getsource(module)).body
    for statement, after in pairwise(statements):
        if (
            isinstance(statement, ast.Assign)
            and isinstance(statement.targets[0], ast.Name)
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
        ):
            name = statement.targets[0].id
            yield name, getattr(module, name), inspect.cleandoc(str(after.value.value))


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:,}"


def _meaning(setting: str) -> str:
    return Configuration.model_fields[setting].description or ""


def _in_words(name: str) -> str:
    return name.removeprefix("MAX_").replace("_", " ").lower()
