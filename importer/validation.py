"""What a pack has to be told before it is imported: as text, as JSON, and as SARIF."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from importer.diagnostics import CODES, Diagnostic, Severity
from importer.pack import read_packs
from importer.source import PackSource


@dataclass(frozen=True, slots=True)
class Validation:
    """`found` counts skills, `refused` those that an import would refuse."""

    found: int
    refused: int
    diagnostics: tuple[Diagnostic, ...]

    @property
    def exit_code(self) -> int:
        """0, 1 when a skill or a file was refused, 2 when nothing could be read."""
        if self.refused == self.found:
            return 2
        has_errors = any(found.severity is Severity.ERROR for found in self.diagnostics)
        return 1 if self.refused or has_errors else 0


def validate(source: PackSource, *, strict: bool = False) -> Validation:
    """Reads a source as an import would and writes nothing; a stream needs no name.

    Raises:
        InvalidPack, PackTooLarge: the source as a whole cannot be read.
    """
    found = refused = 0
    findings: list[Diagnostic] = []
    name = None if isinstance(source, Path) else _NAME_OF_STREAM
    for item in read_packs(source, name=name, strict=strict):
        findings.extend(item.diagnostics)
        if item.path:
            found += 1
            refused += item.skill is None
    return Validation(found, refused, tuple(findings))


_NAME_OF_STREAM = "stream"


def joined(parts: Iterable[tuple[Path, Validation]]) -> Validation:
    """Several sources as one, each finding under the path by which its file is reached."""
    checked = list(parts)
    return Validation(
        sum(part.found for _, part in checked),
        sum(part.refused for _, part in checked),
        tuple(
            replace(finding, path=_path_from_here(source, finding.path))
            for source, part in checked
            for finding in part.diagnostics
        ),
    )


def _path_from_here(source: Path, path: str) -> str:
    if path == source.name and source.is_file():
        return source.as_posix()
    return (source / path).as_posix()


def as_text(validation: Validation) -> Iterator[str]:
    """One line a finding, in the form that editors and terminals link, then the counts."""
    for finding in validation.diagnostics:
        place = f"{finding.path}:{finding.line}" if finding.line else finding.path
        yield f"{place}: {finding.severity}: {finding.message} [{finding.code}]; {finding.action}"
    yield f"{validation.found} skills, {validation.refused} refused"


def as_json(validation: Validation) -> dict[str, Any]:
    return {
        "found": validation.found,
        "refused": validation.refused,
        "diagnostics": [finding.as_json() for finding in validation.diagnostics],
        "exit_code": validation.exit_code,
    }


_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_SARIF_LEVELS = {
    Severity.INFO: "note",
    Severity.WARNING: "warning",
    Severity.ERROR: "error",
}


def as_sarif(validation: Validation, version: str) -> dict[str, Any]:
    """A SARIF 2.1.0 log (OASIS standard) of one run.

    Args:
        version: of this product, for the log's tool.
    """
    codes = sorted({finding.code for finding in validation.diagnostics})
    return {
        "$schema": _SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "skillcatalog",
                        "version": version,
                        "rules": [_sarif_rule(code) for code in codes],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [
                    _sarif_result(finding, codes.index(finding.code))
                    for finding in validation.diagnostics
                ],
            }
        ],
    }


def _sarif_rule(code: str) -> dict[str, Any]:
    known = CODES[code]
    return {
        "id": code,
        "shortDescription": {"text": known.meaning},
        "help": {"text": f"What is done: {known.action}."},
        "defaultConfiguration": {"level": _SARIF_LEVELS[known.severity]},
    }


def _sarif_result(finding: Diagnostic, rule: int) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(finding.path)}}
    if finding.line:
        place["region"] = {"startLine": finding.line}
    return {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": _SARIF_LEVELS[finding.severity],
        "message": {"text": f"{finding.message}; {finding.action}"},
        "locations": [{"physicalLocation": place}],
    }


def _uri(path: str) -> str:
    return quote(path, safe="/")
