"""Standard output and error as a process of the command line has them.

A stream that cannot be written ends the process: quietly where the reader went away, and with
a line that says why where there is no room. Neither is a fault of the program.
"""

from __future__ import annotations

import os
import sys
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import TYPE_CHECKING

from server.command_line.exit_codes import ExitCode

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_OUT, _ERR = 1, 2


def prepare_standard_streams() -> None:
    """Take the place of `sys.stdout` and `sys.stderr`; what is missing of them is an end too."""
    if sys.stderr is None:
        _discard(_ERR)
        sys.stderr = _stream(_ERR, "utf-8")
    if sys.stdout is None:
        # Whatever is opened next would get its number, and the output with it.
        _discard(_OUT)
        _tell("it is closed")
        raise SystemExit(ExitCode.OUTPUT)
    # Whoever asked Python for unbuffered output sees every line as soon as it is there.
    unbuffered = isinstance(sys.stdout, TextIOWrapper) and sys.stdout.write_through
    sys.stdout = _stream(_OUT, sys.stdout.encoding, line_buffering=unbuffered)
    sys.stderr = _stream(_ERR, sys.stderr.encoding, line_buffering=True)


class _Written(FileIO):
    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            _discard(self.fileno())
            raise SystemExit(ExitCode.READER_GONE) from None
        except OSError as error:
            _discard(self.fileno())
            if self.fileno() == _OUT:
                _tell(error.strerror)
            raise SystemExit(ExitCode.OUTPUT) from None


def _stream(number: int, encoding: str, *, line_buffering: bool = False) -> TextIOWrapper:
    raw = _Written(number, "wb", closefd=False)
    return TextIOWrapper(
        BufferedWriter(raw),
        encoding,
        # A terminal that cannot show a character shows its number instead of failing.
        errors="backslashreplace",
        line_buffering=line_buffering or raw.isatty(),
    )


def _discard(number: int) -> None:
    """What is still to be written has nowhere to go; the interpreter would try at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    if nowhere != number:
        os.dup2(nowhere, number)
        os.close(nowhere)


def _tell(why: str | None) -> None:
    print(f"OUTPUT_FAILED: standard output cannot be written: {why}", file=sys.stderr)
