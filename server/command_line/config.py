"""`skillcatalog config`: every setting as resolved, and where it came from."""

from __future__ import annotations

from server.command_line.exit_codes import ExitCode
from server.command_line.invocation import Invocation, command
from server.command_line.output import Format, print_json, print_table

EXAMPLES = (
    "skillcatalog config",
    "skillcatalog config --store sqlite:///other.db --format json",
)


@command()
def config(invocation: Invocation) -> ExitCode:
    """Show what flags, SKILLCATALOG_* variables and skillcatalog.toml come to."""
    resolved = invocation.resolve()
    if invocation.format is Format.JSON:
        print_json(
            {
                "settings": [
                    {"name": setting.name, "value": setting.shown, "source": setting.source}
                    for setting in resolved.settings
                ],
                "unread_variables": resolved.unread_variables,
            }
        )
        return ExitCode.OK
    print_table(
        ("setting", "source", "value"),
        ((setting.name, setting.source, setting.shown) for setting in resolved.settings),
    )
    return ExitCode.OK
