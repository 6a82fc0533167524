"""The fields of a frontmatter, each as its author wrote it, with its line.

The text is read as one YAML document. When that is not possible it is cut into its fields
and each is read alone, so that one bad line costs at most its own value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping as MappingView
from dataclasses import dataclass, replace

from importer.diagnostics import Diagnostic, diagnostic
from importer.frontmatter_repair import Field, Piece, cut_into_fields, repaired_value
from importer.limits import MAX_FRONTMATTER_DEPTH
from importer.yaml_nodes import Fault, Mapping, Node, Scalar, Unreadable, read_nodes


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """Fields in the order of their last occurrence; keys are texts as written. `repeated`
    holds the earlier occurrences of keys that are there again."""

    fields: MappingView[str, Field]
    repeated: tuple[Field, ...]
    diagnostics: tuple[Diagnostic, ...]


def read_frontmatter(header: str, first_line: int, path: str) -> Frontmatter:
    """Reads any text; what cannot be read is kept as text and said so.

    Args:
        header: the text between the fences.
        first_line: its first line, counted from 1 in the file.
        path: for the diagnostics.
    """
    findings: list[Diagnostic] = []
    whole = read_nodes(header, first_line)
    if isinstance(whole, Mapping):
        fields = _fields_of_document(header, whole)
    elif whole is None:
        fields = []
    else:
        fields = _fields_one_by_one(header, first_line, path, findings)
    by_key: dict[str, Field] = {}
    repeated: list[Field] = []
    for field in fields:
        findings.extend(_dropped_comment(field, path))
        earlier = by_key.pop(field.key, None)
        if earlier is not None:
            repeated.append(earlier)
            findings.append(
                diagnostic(
                    "yaml-duplicate-key",
                    f"'{field.key}' is set on line {earlier.line} and again",
                    path,
                    field.line,
                )
            )
        by_key[field.key] = field
    return Frontmatter(by_key, tuple(repeated), tuple(findings))


_COMMENT_AFTER_VALUE = re.compile(r"[ \t]+(#[^\r\n]*)")


def _fields_of_document(header: str, document: Mapping) -> list[Field]:
    return [
        Field(key.text, value, header[value.start : value.end], key.line, _comment(header, value))
        for key, value in document.entries
    ]


def _comment(header: str, value: Node) -> str:
    """The text after ` #` that YAML dropped behind an unquoted, non-empty value."""
    if not isinstance(value, Scalar) or not value.plain or not value.text:
        return ""
    comment = _COMMENT_AFTER_VALUE.match(header, value.end)
    return comment.group(1).rstrip() if comment else ""


def _dropped_comment(field: Field, path: str) -> list[Diagnostic]:
    if not field.dropped_comment:
        return []
    return [
        diagnostic(
            "yaml-comment",
            f"'{field.key}' ends before '{_shortened(field.dropped_comment)}'",
            path,
            field.line,
        )
    ]


def _fields_one_by_one(
    header: str, first_line: int, path: str, findings: list[Diagnostic]
) -> list[Field]:
    fields = []
    pieces, strays = cut_into_fields(header, first_line)
    for stray in strays:
        findings.append(
            diagnostic(
                "yaml-line-ignored",
                f"the line '{_shortened(stray.text)}' belongs to no field",
                path,
                stray.line,
            )
        )
    for written in pieces:
        piece = Piece(written.text.lstrip(" \t"), written.line)
        if piece != written:
            message = f"the field '{_shortened(piece.text.partition(':')[0])}' is indented"
            findings.append(diagnostic("yaml-repaired", message, path, piece.line))
        alone = read_nodes(piece.text, piece.line)
        if isinstance(alone, Mapping) and len(alone.entries) == 1:
            fields.extend(_fields_of_document(piece.text, alone))
            continue
        without_tabs = piece.text.replace("\t", "  ")
        untabbed = read_nodes(without_tabs, piece.line) if "\n\t" in piece.text else None
        if isinstance(untabbed, Mapping) and len(untabbed.entries) == 1:
            field = _fields_of_document(without_tabs, untabbed)[0]
            message = f"'{field.key}' is indented with tabs"
            findings.append(diagnostic("yaml-repaired", message, path, piece.line))
            fields.append(field)
            continue
        repaired = repaired_value(piece)
        field = repaired.field
        fault = alone.fault if isinstance(alone, Unreadable) else Fault.SYNTAX
        code, cause = _what_is_wrong(field.raw, repaired.is_text, fault)
        findings.append(diagnostic(code, f"'{field.key}' {cause}", path, field.line))
        # What an alias stands for is not known, so no list may be read from it.
        fields.append(replace(field, broken=True) if code == "yaml-alias" else field)
    return fields


def _what_is_wrong(raw: str, is_text: bool, fault: Fault) -> tuple[str, str]:
    """The code, and the cause in words."""
    if fault is Fault.DEPTH:
        return "yaml-too-deep", f"is nested deeper than {MAX_FRONTMATTER_DEPTH} levels"
    if fault is Fault.ALIAS and not _PROSE.fullmatch(raw):
        return "yaml-alias", "uses a YAML anchor (`&name`) or alias (`*name`)"
    return "yaml-repaired" if is_text else "yaml-kept-as-text", _cause(raw)


_PROSE = re.compile(r"[^\[{\r\n]+ [^\[{\r\n]+")


def _cause(raw: str) -> str:
    """Why YAML cannot read a value, in words that do not depend on the YAML library."""
    if raw[:1] in "@`*&!%|>[{\"'" and raw:
        return f"begins with `{raw[0]}` and is not quoted as a whole"
    if ": " in raw or raw.endswith(":"):
        return "has a colon and is not quoted"
    return "is not valid YAML"


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"
