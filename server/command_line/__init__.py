"""The command line: `skillcatalog COMMAND`. Its public name is `main`."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Entry of the console script."""
    if sys.getfilesystemencoding() != "utf-8" and os.environ.get("PYTHONUTF8") != "1":
        # Skills and their files have names in any language. An interpreter that was started
        # for ASCII can neither read an argument nor open a file that has one.
        os.environ["PYTHONUTF8"] = "1"
        os.execv(sys.executable, sys.orig_argv)
    from server.command_line.standard_streams import prepare_standard_streams

    prepare_standard_streams()
    # Its own lines about faults that the product reports; the variable still turns them on.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from server.command_line.application import app

    try:
        app()
    finally:
        # Here a failure can still be told; at the end of the interpreter it cannot.
        sys.stdout.flush()
