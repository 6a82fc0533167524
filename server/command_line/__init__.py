"""The command line: `skillcatalog COMMAND`. Its public name is `main`."""

from __future__ import annotations

import sys
from io import TextIOWrapper


def main() -> None:
    """Entry of the console script."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that cannot show a character shows its number instead of failing.
            stream.reconfigure(errors="backslashreplace")
    from server.command_line.application import app

    app()
