"""One skill file in, one `Skill` out, with everything there is to say about it.

Everything real imports. A file is refused only when it has neither a body nor a
description, is not UTF-8, or passes a stated limit; a strict reading also refuses whatever
has a warning or goes against the Agent Skills specification.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from catalog.errors import InvalidSkill
from catalog.injection.redaction import masked, redacted_name
from catalog.skill import Artifact, Declaration, DeclaredList, Requirements, Skill
from importer.declared_list import all_of, declared_names, declared_tags, line_of
from importer.diagnostics import CODES, Diagnostic, diagnostic
from importer.fences import Fences, SplitText, split_frontmatter
from importer.fields import KnownFields, field_text, known_fields
from importer.first_paragraph import first_paragraph
from importer.frontmatter import read_frontmatter
from importer.frontmatter_repair import Field
from importer.limits import MAX_FRONTMATTER_BYTES, MAX_NAME_CHARACTERS
from importer.near_misses import tool_meant
from importer.sections import split_sections
from importer.skill_text import decode_skill, hidden_text
from importer.specification import check_lengths, check_name


@dataclass(frozen=True, slots=True)
class ReadSkill:
    """`skill` is None when the file was refused; the diagnostics then say why."""

    skill: Skill | None
    diagnostics: tuple[Diagnostic, ...]

    def proposed(self) -> Skill:
        """The skill, where it stands by itself: it has no folder whose name it could take.

        Raises:
            InvalidSkill: it cannot be read, or has no name.
        """
        if self.skill is None:
            fault = self.diagnostics[-1]
            raise InvalidSkill(f"the skill cannot be read: {fault.message}", diagnostic=fault.code)
        if any(finding.code in _NOT_NAMED for finding in self.diagnostics):
            raise InvalidSkill("the skill has no name that can be used; give it one", field="name")
        return self.skill


_NOT_NAMED = ("name-missing", "name-unusable")


def read_skill(
    source: bytes,
    path: str,
    *,
    pack: str | None = None,
    folder: str | None = None,
    qualified_name: str | None = None,
    artifacts: tuple[Artifact, ...] = (),
    earlier: tuple[Diagnostic, ...] = (),
    strict: bool = False,
) -> ReadSkill:
    """Reads a skill file; never raises, whatever the bytes.

    Args:
        path: of the file inside its pack, with `/` between parts.
        pack: the pack's name.
        folder: the name of the folder that the file lies in; the last of `path` when None.
        qualified_name: `pack:name` when None.
        artifacts: the attachments, which the skill carries as given.
        earlier: findings about the skill from before its file was read.
        strict: refuse what has a warning or is against the specification.
    """
    text, decoding_findings = decode_skill(source, path)
    if text is None:
        return ReadSkill(None, (*earlier, *decoding_findings))
    split = split_frontmatter(text)
    size = len(split.header.encode())
    if size > MAX_FRONTMATTER_BYTES:
        message = f"the frontmatter has {size:,} bytes; the limit is {MAX_FRONTMATTER_BYTES:,}"
        refusal = diagnostic("frontmatter-too-large", message, path, split.header_line)
        return ReadSkill(None, (*earlier, *decoding_findings, refusal))
    findings = [
        *earlier,
        *decoding_findings,
        *hidden_text(text, path),
        *_fence_findings(split, path),
    ]
    fields = _read_fields(split, path, findings, strict=strict)
    name = _name(fields, path, _folder_name(path, folder), findings)
    description = _description(fields, split, path, findings)
    if not description:
        refusal = diagnostic("skill-empty", "there is no body and no description", path)
        return ReadSkill(None, (*findings, refusal))
    skill = Skill(
        qualified_name=qualified_name or (f"{pack}:{name}" if pack else name),
        name=name,
        title=field_text(fields, "title", path, findings) or name,
        description=description,
        trigger=field_text(fields, "trigger", path, findings) or description,
        body=split.body,
        sections=split_sections(split.body),
        source=source,
        source_path=path,
        pack=pack,
        task_type=field_text(fields, "task_type", path, findings),
        tags=declared_tags(fields.known.get("tags")).names,
        requirements=Requirements(
            tools=_declared_list(fields, "required_tools", path, findings),
            namespaces=_declared_list(fields, "required_namespaces", path, findings),
            tags=_declared_list(fields, "required_tags", path, findings),
        ),
        allowed_tools=_declared_list(fields, "allowed-tools", path, findings),
        metadata=fields.metadata,
        artifacts=artifacts,
        license=field_text(fields, "license", path, findings),
        compatibility=field_text(fields, "compatibility", path, findings),
    )
    findings.extend(_length_findings(fields, skill, path))
    shown = redacted_name(skill.qualified_name, masked)
    if shown != skill.qualified_name:
        line = fields.known["name"].line if "name" in fields.known else 0
        message = f"the skill is shown as '{shown}'"
        findings.append(diagnostic("name-masked", message, path, line))
    if strict and any(CODES[finding.code].refused_when_strict for finding in findings):
        return ReadSkill(None, (*findings, _strict_refusal(findings, path)))
    return ReadSkill(skill, tuple(findings))


def read_name(source: bytes, path: str, folder: str | None = None) -> str | None:
    """The name that `read_skill` will find, without reading the rest; None when refused."""
    text, _ = decode_skill(source, path)
    if text is None:
        return None
    split = split_frontmatter(text)
    if len(split.header.encode()) > MAX_FRONTMATTER_BYTES:
        return None
    return _name(_read_fields(split, path, []), path, _folder_name(path, folder), [])


def _folder_name(path: str, folder: str | None) -> str:
    name = path.rpartition("/")[0].rpartition("/")[2] if folder is None else folder
    return unicodedata.normalize("NFC", name)


def _read_fields(
    split: SplitText, path: str, findings: list[Diagnostic], *, strict: bool = False
) -> KnownFields:
    frontmatter = read_frontmatter(split.header, split.header_line, path)
    fields = known_fields(frontmatter, path, strict=strict)
    findings.extend((*frontmatter.diagnostics, *fields.diagnostics))
    return fields


def _fence_findings(split: SplitText, path: str) -> list[Diagnostic]:
    if split.fences is Fences.NONE:
        return [diagnostic("frontmatter-missing", "the file begins with its body", path, 1)]
    line = split.header_line
    findings = []
    if not split.at_top:
        message = "something stands before the opening fence"
        findings.append(diagnostic("frontmatter-not-at-top", message, path, line))
    if split.fences is Fences.UNOPENED:
        message = "fields stand at the top without an opening `---`"
        findings.append(diagnostic("fence-unopened", message, path, line))
    if split.fences is Fences.UNCLOSED:
        message = f"no `---` closes the frontmatter; the body begins on line {split.body_line}"
        findings.append(diagnostic("fence-unclosed", message, path, line))
    return findings


def _name(fields: KnownFields, path: str, folder: str, findings: list[Diagnostic]) -> str:
    written = unicodedata.normalize("NFC", field_text(fields, "name", path, findings))
    name = "".join(character for character in written if character.isprintable()).strip()
    line = fields.known["name"].line if "name" in fields.known else 0
    fallback = folder or "skill"
    if not written:
        message = f"there is no name; it is '{fallback}'"
        findings.append(diagnostic("name-missing", message, path, line))
        return fallback
    if not name or len(name) > MAX_NAME_CHARACTERS:
        message = (
            f"the name has {len(name)} printable characters; 1 to {MAX_NAME_CHARACTERS} are "
            f"possible, and it is '{fallback}'"
        )
        findings.append(diagnostic("name-unusable", message, path, line))
        return fallback
    findings.extend(check_name(name, folder, path, line))
    return name


def _description(
    fields: KnownFields, split: SplitText, path: str, findings: list[Diagnostic]
) -> str:
    description = field_text(fields, "description", path, findings)
    if description:
        return description
    field = fields.known.get("description")
    paragraph = first_paragraph(split.body)
    if paragraph:
        message = "there is no description"
        findings.append(
            diagnostic("description-missing", message, path, field.line if field else 0)
        )
    return paragraph


def _declared_list(
    fields: KnownFields, name: str, path: str, findings: list[Diagnostic]
) -> DeclaredList:
    read = declared_tags if name == "required_tags" else declared_names
    lists = []
    for field in (fields.known.get(name), *fields.further.get(name, ())):
        declared = read(field)
        lists.append(declared)
        line = field.line if field else 0
        if declared.declaration is Declaration.EMPTY:
            findings.append(diagnostic("list-empty", f"'{name}' names nothing", path, line))
        elif declared.declaration is Declaration.UNPARSABLE:
            message = f"'{name}' is not a list of names"
            findings.append(diagnostic("list-unparsable", message, path, line))
        if name in ("allowed-tools", "required_tools"):
            findings.extend(_misspelt_tools(field, declared, path))
    return all_of(lists)


def _misspelt_tools(field: Field | None, declared: DeclaredList, path: str) -> list[Diagnostic]:
    findings = []
    for name in declared.names:
        meant = tool_meant(name)
        if meant and field:
            message = f"'{name[:80]}' is most likely the tool '{meant}'"
            findings.append(diagnostic("tool-misspelt", message, path, line_of(name, field)))
    return findings


def _length_findings(fields: KnownFields, skill: Skill, path: str) -> list[Diagnostic]:
    description = fields.known.get("description")
    compatibility = fields.known.get("compatibility")
    return check_lengths(
        skill.description if description else "",
        skill.compatibility,
        path,
        (description.line if description else 0, compatibility.line if compatibility else 0),
    )


def _strict_refusal(findings: list[Diagnostic], path: str) -> Diagnostic:
    codes = dict.fromkeys(
        finding.code for finding in findings if CODES[finding.code].refused_when_strict
    )
    return diagnostic("strict-refusal", f"strict: {', '.join(codes)}", path)
