"""The attachments of one skill, read and described, within the limits of one skill."""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass

from catalog.errors import InvalidPack
from catalog.skill import Artifact
from importer.diagnostics import Diagnostic, diagnostic
from importer.layout import SkillPlace
from importer.limits import (
    MAX_ATTACHMENT_BYTES,
    MAX_ATTACHMENTS,
    MAX_SKILL_ATTACHMENT_BYTES,
)
from importer.pack_files import PackFiles

_KINDS = {
    "scripts": "script",
    "references": "reference",
    "reference": "reference",
    "assets": "asset",
    "templates": "asset",
}
# The table of Python alone: what a machine's own files say differs from machine to machine.
_MEDIA_TYPES = mimetypes.MimeTypes(filenames=())
for _type, _ending in (
    ("text/markdown", ".md"),
    ("application/yaml", ".yaml"),
    ("application/yaml", ".yml"),
    ("application/toml", ".toml"),
    ("text/x-shellscript", ".sh"),
    ("text/x-python", ".py"),
    ("text/typescript", ".ts"),
):
    _MEDIA_TYPES.add_type(_type, _ending)


@dataclass(frozen=True, slots=True)
class Attachments:
    """`data` holds the bytes of every artifact by SHA-256."""

    artifacts: tuple[Artifact, ...]
    data: Mapping[str, bytes]
    diagnostics: tuple[Diagnostic, ...]


def read_attachments(files: PackFiles, place: SkillPlace) -> Attachments:
    """Reads what lies in a skill's folder; what cannot be read or kept is said and left out.

    Scripts, references and assets go first, then all else, each by path.
    """
    artifacts: list[Artifact] = []
    data: dict[str, bytes] = {}
    findings: list[Diagnostic] = []
    total = 0
    ordered = sorted(place.attachments.items(), key=lambda item: (_kind(item[0]) == "other", item))
    left_out = len(ordered[MAX_ATTACHMENTS:])
    for path, pack_path in ordered[:MAX_ATTACHMENTS]:
        content = _read(files, pack_path, findings)
        if content is None:
            continue
        if total + len(content) > MAX_SKILL_ATTACHMENT_BYTES:
            left_out += 1
            continue
        total += len(content)
        digest = hashlib.sha256(content).hexdigest()
        data[digest] = content
        artifacts.append(Artifact(path, digest, len(content), _media_type(path), _kind(path)))
    if left_out:
        message = (
            f"{left_out:,} of {len(ordered):,} attachments are left out; the limits are "
            f"{MAX_ATTACHMENTS:,} files and {MAX_SKILL_ATTACHMENT_BYTES:,} bytes"
        )
        findings.append(diagnostic("attachments-left-out", message, place.path))
    artifacts.sort(key=lambda artifact: artifact.path)
    return Attachments(tuple(artifacts), data, tuple(findings))


def _read(files: PackFiles, path: str, findings: list[Diagnostic]) -> bytes | None:
    try:
        content = files.read(path, MAX_ATTACHMENT_BYTES)
    except InvalidPack as error:
        findings.append(diagnostic("attachment-unreadable", error.message, path))
        return None
    if isinstance(content, int):
        message = f"it has {content:,} bytes; the limit is {MAX_ATTACHMENT_BYTES:,}"
        findings.append(diagnostic("attachment-too-large", message, path))
        return None
    return content


def _kind(path: str) -> str:
    top, slash, _ = path.partition("/")
    return _KINDS.get(top.casefold(), "other") if slash else "other"


def _media_type(path: str) -> str:
    return _MEDIA_TYPES.guess_type(path.rpartition("/")[2])[0] or "application/octet-stream"
