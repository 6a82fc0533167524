"""What the Agent Skills specification says about names and lengths.

Source: the specification's page (agentskills.io/specification). Characters are counted, not
bytes, and names compare in NFC.
"""

from __future__ import annotations

from importer.diagnostics import Diagnostic, diagnostic
from importer.limits import (
    MAX_COMPATIBILITY_SPEC_CHARACTERS,
    MAX_DESCRIPTION_SPEC_CHARACTERS,
    MAX_NAME_SPEC_CHARACTERS,
)


def check_name(name: str, folder: str, path: str, line: int) -> list[Diagnostic]:
    """Findings about a name that its author gave; `folder` is the skill's own.

    Both are in NFC; without a folder the two are not compared.
    """
    findings = []
    if len(name) > MAX_NAME_SPEC_CHARACTERS:
        findings.append(_too_long("name", len(name), MAX_NAME_SPEC_CHARACTERS, path, line))
    if not _is_well_formed(name):
        message = f"the name '{name[:80]}' is not lower-case words joined by single hyphens"
        findings.append(diagnostic("name-characters", message, path, line))
    if folder and folder != name:
        message = f"the name is '{name[:80]}' and the folder is '{folder[:80]}'"
        findings.append(diagnostic("name-not-folder", message, path, line))
    return findings


def check_lengths(
    description: str, compatibility: str, path: str, lines: tuple[int, int]
) -> list[Diagnostic]:
    """Findings about the description and the compatibility note, on their two lines."""
    checks = (
        ("description", description, MAX_DESCRIPTION_SPEC_CHARACTERS, lines[0]),
        ("compatibility", compatibility, MAX_COMPATIBILITY_SPEC_CHARACTERS, lines[1]),
    )
    return [
        _too_long(field, len(text), limit, path, line)
        for field, text, limit, line in checks
        if len(text) > limit
    ]


def _is_well_formed(name: str) -> bool:
    return (
        all(character.isalnum() or character == "-" for character in name)
        and name == name.lower()
        and not name.startswith("-")
        and not name.endswith("-")
        and "--" not in name
    )


def _too_long(field: str, actual: int, limit: int, path: str, line: int) -> Diagnostic:
    message = f"the {field} has {actual} characters; the specification allows {limit}"
    return diagnostic(f"{field}-too-long", message, path, line)
