"""`python -m server.command_line`: the same as the console script."""

from __future__ import annotations

from server.command_line import main

main()
