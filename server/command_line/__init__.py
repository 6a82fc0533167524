"""The command line: `skillcatalog COMMAND`. Its public name is `main`."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper


def main() -> None:
    """Entry of the console script."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that cannot show a character shows its number instead of failing.
            stream.reconfigure(errors="backslashreplace")
    # Its own lines about faults that the product reports; the variable still turns them on.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from server.command_line.application import app

    app()
