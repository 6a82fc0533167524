"""What a command prints: tables for people, one line of JSON for programs.

Results go to standard output, everything else to standard error.
"""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, TextIO, TypeAlias

from catalog.errors import SkillCatalogError

if TYPE_CHECKING:
    from rich.console import Console

_WIDTH_IN_A_PIPE = 160


class Format(StrEnum):
    TABLE = "table"
    JSON = "json"


Advance: TypeAlias = Callable[[int, int], None]


def print_json(value: object) -> None:
    """One line, ASCII only, so that no locale can spoil it."""
    print(json.dumps(value))


def print_text(text: str) -> None:
    """Text of a skill. On a terminal it cannot move the cursor, colour or retitle anything."""
    print(printable(text) if sys.stdout.isatty() else text)


def print_note(text: str) -> None:
    """A remark beside the result."""
    print(printable(text), file=sys.stderr)


def note_next_page(token: str) -> None:
    if token:
        print_note(f"more: --page-token {token}")


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], *, numbers: Iterable[str] = ()
) -> None:
    """A table; its last column is cut to the width, every other one is given whole.

    Args:
        numbers: the columns to align to the right.
    """
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", expand=True)
    right = frozenset(numbers)
    for column in columns:
        is_last = column == columns[-1]
        table.add_column(
            column,
            justify="right" if column in right else "left",
            no_wrap=True,
            overflow="ellipsis" if is_last else "fold",
            ratio=1 if is_last else None,
        )
    for row in rows:
        table.add_row(*(Text(one_line(str(cell))) for cell in row))
    console = _console(sys.stdout)
    with console.capture() as drawn:
        console.print(table)
    for line in drawn.get().splitlines():
        print(line.rstrip())


def print_error(error: SkillCatalogError, format: StrEnum) -> None:
    """`REASON: message` on one line, or the same as a JSON object."""
    if format != Format.TABLE:
        described = {
            "reason": error.reason,
            "code": error.code,
            "message": error.message,
            "metadata": error.metadata,
        }
        print(json.dumps({"error": described}), file=sys.stderr)
    else:
        print(f"{error.reason}: {one_line(error.message)}", file=sys.stderr)


def print_warning(text: str, format: StrEnum) -> None:
    """What is done all the same and may not be what was meant."""
    if format != Format.TABLE:
        print(json.dumps({"warning": {"message": text}}), file=sys.stderr)
    else:
        print(f"warning: {one_line(text)}", file=sys.stderr)


@contextmanager
def progress(label: str) -> Iterator[Advance]:
    """A bar on standard error when that is a terminal; silence when it is not."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.progress import Progress

    with Progress(console=_console(sys.stderr), transient=True) as bar:
        task = bar.add_task(one_line(label), total=None)

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield advance


def printable(text: str) -> str:
    """The text with every control character but tab and line feed made visible."""
    return "".join(
        character
        if character in "\n\t" or unicodedata.category(character) != "Cc"
        else "\N{REPLACEMENT CHARACTER}"
        for character in text
    )


def one_line(text: str) -> str:
    return printable(" ".join(text.split()))


def _console(stream: TextIO) -> Console:
    from rich.console import Console

    return Console(
        file=stream,
        width=None if stream.isatty() else _WIDTH_IN_A_PIPE,
        highlight=False,
        markup=False,
        emoji=False,
    )
