"""What an import says about a file: a code, where, and what was done about it.

`CODES` is the one table of all codes; the docs page is generated from it, and a diagnostic
with a code that is not in it cannot be made.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum

from catalog.injection.redaction import masked, redacted_path


class Severity(StrEnum):
    """INFO: nothing to do. WARNING: imported, and not as the author may think; `--strict`
    refuses it. ERROR: the file or entry that the path names was left out."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of finding: what it means and what is done about it.

    `against_specification` marks what the Agent Skills specification forbids and nobody
    else minds: a strict import refuses it as it refuses a warning.
    """

    severity: Severity
    meaning: str
    action: str
    against_specification: bool = False

    @property
    def refused_when_strict(self) -> bool:
        return self.severity is not Severity.INFO or self.against_specification


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Args:
    code: a key of `CODES`.
    message: what was found here, as one sentence.
    path: the file, relative to its pack, with `/` between parts.
    line: 1 for the first line of the file, 0 when the finding is about the whole file.
    action: what was done about it.
    """

    code: str
    severity: Severity
    message: str
    path: str
    line: int
    action: str

    def as_json(self) -> dict[str, str | int]:
        return asdict(self)


def diagnostic(code: str, message: str, path: str, line: int = 0) -> Diagnostic:
    """A finding with the severity and the action that the table gives its code. What the
    message quotes is masked; the path is kept, since findings are looked up by it."""
    known = CODES[code]
    return Diagnostic(code, known.severity, masked(message), path, line, known.action)


def masked_path(path: str) -> str:
    """A path as a report may name it."""
    return redacted_path(path, masked)


_LEFT_OUT = "the entry was left out; everything else was read"
_FILE_REFUSED = "the skill was refused; all others of the pack were read"
_KEPT = "the skill was imported as it is"

CODES: dict[str, Code] = {
    # The file
    "skill-undecodable": Code(Severity.ERROR, "The skill file is not UTF-8 text.", _FILE_REFUSED),
    "skill-too-large": Code(
        Severity.ERROR, "The skill file is over the limit for one skill.", _FILE_REFUSED
    ),
    "skill-empty": Code(
        Severity.ERROR, "The skill has neither a body nor a description.", _FILE_REFUSED
    ),
    "skill-unreadable": Code(
        Severity.ERROR, "The file could not be read from its folder or archive.", _FILE_REFUSED
    ),
    "strict-refusal": Code(
        Severity.ERROR, "A strict import found warnings in the skill.", _FILE_REFUSED
    ),
    "file-name": Code(
        Severity.WARNING,
        "The skill file is not called SKILL.md; some tools will not find it.",
        _KEPT,
    ),
    "several-skill-files": Code(
        Severity.WARNING,
        "A folder holds several skill files.",
        "the one whose name is nearest to SKILL.md was read; the others became attachments",
    ),
    "several-byte-order-marks": Code(
        Severity.WARNING,
        "The file begins with more than one byte-order mark.",
        "all of them were passed over; the kept source has them still",
    ),
    "nul-character": Code(
        Severity.WARNING,
        "The text holds a NUL character.",
        "it reads as U+FFFD, as CommonMark says; the kept source has it still",
    ),
    "hidden-text": Code(
        Severity.WARNING,
        "The text holds characters that a model reads and a person does not see.",
        "it was imported and the characters never reach an injection",
    ),
    # The fences
    "frontmatter-missing": Code(
        Severity.WARNING,
        "The file has no frontmatter.",
        "name and description were taken from the folder and the first paragraph",
    ),
    "frontmatter-not-at-top": Code(
        Severity.WARNING,
        "Blank lines or a comment stand before the opening fence.",
        "the frontmatter was read",
    ),
    "fence-unopened": Code(
        Severity.WARNING,
        "The frontmatter has no opening fence.",
        "the lines at the top that read as fields were taken for the frontmatter",
    ),
    "fence-unclosed": Code(
        Severity.WARNING,
        "The frontmatter has no closing fence.",
        "it was read up to the first line that cannot belong to it",
    ),
    "frontmatter-too-large": Code(
        Severity.ERROR, "The frontmatter is over the limit.", _FILE_REFUSED
    ),
    # The YAML
    "yaml-repaired": Code(
        Severity.WARNING,
        "A value is not valid YAML and has one reading as text.",
        "it was read as that text",
    ),
    "yaml-kept-as-text": Code(
        Severity.WARNING,
        "A list or mapping is not valid YAML.",
        "its raw text was kept as the value",
    ),
    "yaml-line-ignored": Code(
        Severity.WARNING,
        "A line of the frontmatter belongs to no field.",
        "the line was passed over; the kept source has it still",
    ),
    "yaml-alias": Code(
        Severity.WARNING,
        "A value uses a YAML anchor or alias.",
        "nothing was expanded and the raw text was kept",
    ),
    "yaml-too-deep": Code(
        Severity.WARNING,
        "A value is nested deeper than the limit.",
        "its raw text was kept as the value",
    ),
    "yaml-duplicate-key": Code(
        Severity.WARNING,
        "A key occurs twice.",
        "the last value counts; required lists count together",
    ),
    "yaml-comment": Code(
        Severity.WARNING,
        "Text after ` #` in an unquoted value is a YAML comment.",
        "the text was dropped from the value; quote the value to keep it",
    ),
    "field-spelling": Code(
        Severity.WARNING,
        "A known field is spelled in another way.",
        "it was read as the known field",
    ),
    "field-misspelt": Code(
        Severity.WARNING,
        "A field is most likely one of required_tools, required_namespaces, required_tags or "
        "allowed-tools with a slip in its name.",
        "it was read as that field, which never shows the skill to more runs",
    ),
    "field-repeated": Code(
        Severity.WARNING,
        "A known field is there in two spellings.",
        "required lists count together; of any other field the exact spelling counts, and the "
        "other one was kept as metadata",
    ),
    "field-not-text": Code(
        Severity.WARNING,
        "A field that is one text holds a list or a mapping.",
        "its text was taken as it stands",
    ),
    "field-unknown": Code(
        Severity.INFO,
        "The field is in neither the Agent Skills specification nor the structured form; "
        "`--strict` takes the specification alone.",
        "it was kept as metadata, or read where the structured form has it",
        against_specification=True,
    ),
    "metadata-not-flat": Code(
        Severity.INFO,
        "Metadata is nested, which the Agent Skills specification does not know.",
        "it was kept under dotted keys",
        against_specification=True,
    ),
    # The fields
    "name-missing": Code(
        Severity.WARNING, "The skill has no name.", "the name of its folder was taken"
    ),
    "name-unusable": Code(
        Severity.WARNING,
        "The name is too long or has no printable character.",
        "the name of its folder was taken",
    ),
    "name-too-long": Code(
        Severity.WARNING, "The name is longer than the specification allows.", _KEPT
    ),
    "name-characters": Code(
        Severity.WARNING,
        "The name is not lower-case letters, digits and single inner hyphens.",
        _KEPT,
    ),
    "name-masked": Code(
        Severity.WARNING,
        "The qualified name holds a value that redaction masks, as an address or a secret.",
        "the skill was imported; it is shown under the masked name, and found by it where no "
        "other skill is shown as the same",
    ),
    "name-not-folder": Code(
        Severity.INFO,
        "The name is not the name of the skill's folder.",
        _KEPT,
        against_specification=True,
    ),
    "description-missing": Code(
        Severity.WARNING,
        "The skill has no description.",
        "the first paragraph of its body was taken",
    ),
    "description-too-long": Code(
        Severity.WARNING, "The description is longer than the specification allows.", _KEPT
    ),
    "compatibility-too-long": Code(
        Severity.WARNING,
        "The compatibility note is longer than the specification allows.",
        _KEPT,
    ),
    "list-empty": Code(
        Severity.WARNING,
        "A list of tools, namespaces or tags is declared and empty.",
        "it was kept as empty, which never widens what a run may use",
    ),
    "list-unparsable": Code(
        Severity.WARNING,
        "A list of tools, namespaces or tags cannot be read.",
        "it was kept as unparsable, which never widens what a run may use",
    ),
    "tool-misspelt": Code(
        Severity.WARNING,
        "The name of a tool is one slip away from that of a well-known tool.",
        "it was kept as written, so a run has to allow it under that name",
    ),
    # The pack
    "nested-skill": Code(
        Severity.INFO,
        "A skill file lies among the examples or other resources of a skill.",
        "it is an attachment of that skill",
    ),
    "name-shared": Code(
        Severity.INFO,
        "Several skills of the pack have this name.",
        "each is told apart by its folder",
    ),
    "same-skill": Code(
        Severity.INFO,
        "Another skill of the pack is the same to the byte.",
        "both are one entry",
    ),
    "deleted-here": Code(
        Severity.WARNING,
        "Somebody deleted the skill here, and its source still has it with that content.",
        "it stayed deleted; `skillcatalog rollback` brings it back, a changed source too",
    ),
    "brought-back": Code(
        Severity.WARNING,
        "Somebody deleted the skill here, and its source has it with other content now.",
        "it is present again, with the new content",
    ),
    "path-refused": Code(
        Severity.ERROR, "The path of a file leads out of its pack or is not portable.", _LEFT_OUT
    ),
    "path-too-deep": Code(Severity.ERROR, "The file lies deeper than the limit.", _LEFT_OUT),
    "link-refused": Code(
        Severity.ERROR, "A link leads out of the pack, round in a loop or nowhere.", _LEFT_OUT
    ),
    "link-resolved": Code(
        Severity.INFO, "A link leads to a folder of the same pack.", "the folder was read once"
    ),
    "entry-refused": Code(
        Severity.ERROR,
        "An entry is a device or a pipe, or encrypted, sparse or packed in an unknown way.",
        _LEFT_OUT,
    ),
    "entry-repeated": Code(
        Severity.WARNING,
        "An archive has several entries of one path.",
        "the last one was read, which is the one that unpacking leaves behind",
    ),
    "attachment-too-large": Code(
        Severity.ERROR,
        "An attachment is over the limit for one file.",
        "the attachment was left out; its skill was imported",
    ),
    "attachment-unreadable": Code(
        Severity.ERROR,
        "An attachment could not be read from its folder or archive.",
        "the attachment was left out; its skill was imported",
    ),
    "attachments-left-out": Code(
        Severity.WARNING,
        "A skill has more attachments than the limit.",
        "those over the limit were left out; the skill was imported",
    ),
    "plugin-refused": Code(
        Severity.ERROR,
        "A plugin of the marketplace has an unusable name or manifest.",
        "the plugin was refused, and what is stored of it stays; all others were read",
    ),
    "plugin-path-missing": Code(
        Severity.ERROR,
        "A path that the marketplace manifest names does not exist.",
        "the path was passed over; the rest of the plugin was read",
    ),
    "plugin-elsewhere": Code(
        Severity.INFO,
        "A plugin of the marketplace lives in another repository.",
        "the plugin was passed over",
    ),
}
