"""The fields that an import knows, found under every spelling that authors use."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain

from importer.diagnostics import Diagnostic, diagnostic
from importer.field_names import REQUIREMENTS, SPECIFICATION_FIELDS, STRUCTURED_FIELDS
from importer.frontmatter import Frontmatter
from importer.frontmatter_repair import Field
from importer.near_misses import gate_meant
from importer.yaml_nodes import Mapping, Node, Scalar


def _squashed(key: str) -> str:
    return key.casefold().replace("-", "").replace("_", "").replace(" ", "")


_CANONICAL = {_squashed(name): name for name in (*SPECIFICATION_FIELDS, *STRUCTURED_FIELDS)}
_OTHER_NAMES = {
    _squashed(other): name for name, others in STRUCTURED_FIELDS.items() for other in others
}


@dataclass(frozen=True, slots=True)
class KnownFields:
    """`known` holds fields by canonical name; `further` the other fields of a requirement
    that is written several times; `metadata` all else, flattened to dotted keys and texts:
    `metadata.author` for a key inside `metadata`, `version` for one beside it."""

    known: dict[str, Field]
    further: dict[str, list[Field]]
    metadata: tuple[tuple[str, str], ...]
    diagnostics: tuple[Diagnostic, ...]


def known_fields(frontmatter: Frontmatter, path: str, *, strict: bool = False) -> KnownFields:
    """A field beside `metadata` wins over the same one inside it, an exact spelling over
    another, a canonical name over another name; requirements count together. A strict
    reading also tells of the fields of the structured form, which the specification does not
    know."""
    known: dict[str, Field] = {}
    further = _repeated_requirements(frontmatter)
    metadata: dict[str, str] = {}
    findings: list[Diagnostic] = []
    others: list[tuple[str, Field]] = []
    for key, field in frontmatter.fields.items():
        canonical = _CANONICAL.get(_squashed(key))
        if key == canonical:
            known[key] = field
        else:
            others.append((canonical or _other_meaning(key), field))
    for canonical, field in others:
        if not canonical:
            _flatten(field.key, field.value, metadata)
            continue
        findings.extend(_spelling(field, canonical, known.get(canonical), path))
        if canonical not in known:
            known[canonical] = field
        elif canonical in REQUIREMENTS:
            further.setdefault(canonical, []).append(field)
        else:
            _flatten(field.key, field.value, metadata)
    all_read = chain(known.values(), *further.values())
    read = set() if strict else {field.key for field in all_read}
    findings.extend(
        diagnostic("field-unknown", f"'{field.key}'", path, field.line)
        for key, field in frontmatter.fields.items()
        if _CANONICAL.get(_squashed(key)) not in SPECIFICATION_FIELDS and key not in read
    )
    findings.extend(_take_metadata(known, further, metadata, path))
    return KnownFields(known, further, tuple(metadata.items()), tuple(findings))


def _repeated_requirements(frontmatter: Frontmatter) -> dict[str, list[Field]]:
    """Requirements whose key occurs again: what they ask is asked too."""
    further: dict[str, list[Field]] = {}
    for field in frontmatter.repeated:
        canonical = _CANONICAL.get(_squashed(field.key)) or gate_meant(field.key)
        if canonical in REQUIREMENTS:
            further.setdefault(canonical, []).append(field)
    return further


def _other_meaning(key: str) -> str:
    return _OTHER_NAMES.get(_squashed(key)) or gate_meant(key) or ""


def _spelling(field: Field, canonical: str, other: Field | None, path: str) -> list[Diagnostic]:
    """What to say of a known field that is not written as its canonical name."""
    if _squashed(field.key) in _OTHER_NAMES:
        return []
    if other is not None:
        message = f"'{field.key}' is '{canonical}', which line {other.line} has too"
        return [diagnostic("field-repeated", message, path, field.line)]
    if _squashed(field.key) in _CANONICAL:
        message = f"'{field.key}' is the field '{canonical}'"
        return [diagnostic("field-spelling", message, path, field.line)]
    message = f"'{field.key}' is most likely '{canonical}'"
    return [diagnostic("field-misspelt", message, path, field.line)]


def _take_metadata(
    known: dict[str, Field],
    further: dict[str, list[Field]],
    metadata: dict[str, str],
    path: str,
) -> list[Diagnostic]:
    field = known.get("metadata")
    if field is None or (isinstance(field.value, Scalar) and field.value.is_null):
        return []
    findings = []
    is_flat = isinstance(field.value, Mapping)
    for key, value in field.value.entries if isinstance(field.value, Mapping) else ():
        is_flat = is_flat and isinstance(value, Scalar)
        canonical = _CANONICAL.get(_squashed(key.text)) or gate_meant(key.text)
        inner = Field(key.text, value, "", key.line)
        if canonical in REQUIREMENTS and key.text != canonical:
            findings.extend(_spelling(inner, canonical, known.get(canonical), path))
        if canonical in STRUCTURED_FIELDS and canonical not in known:
            known[canonical] = inner
        elif canonical in REQUIREMENTS:
            further.setdefault(canonical, []).append(inner)
        else:
            _flatten(f"metadata.{key.text}", value, metadata)
    if not isinstance(field.value, Mapping):
        _flatten("metadata", field.value, metadata)
    if not is_flat:
        message = "'metadata' is not a map of keys to texts"
        findings.append(diagnostic("metadata-not-flat", message, path, field.line))
    return findings


def _flatten(key: str, value: Node, into: dict[str, str]) -> None:
    if isinstance(value, Scalar):
        into[key] = value.text.strip()
    elif isinstance(value, Mapping):
        for inner_key, inner in value.entries:
            _flatten(f"{key}.{inner_key.text}", inner, into)
    elif all(isinstance(item, Scalar) for item in value.items):
        into[key] = joined_items(value.items)
    else:
        for index, item in enumerate(value.items):
            _flatten(f"{key}.{index}", item, into)


def joined_items(items: tuple[Node, ...]) -> str:
    """The texts of a list's items, as a person would write them on one line."""
    return ", ".join(item.text.strip() for item in items if isinstance(item, Scalar))


_LINE_BREAK = re.compile(r"[ \t]*[\r\n\x0b\x0c\x85\u2028\u2029]\s*")


def one_line(text: str) -> str:
    """The text with every line break and the space round it as one space."""
    return _LINE_BREAK.sub(" ", text.strip())


def field_text(fields: KnownFields, name: str, path: str, findings: list[Diagnostic]) -> str:
    """The one-line text of a field; empty when it is absent, null or blank.

    A list of texts is joined with commas where a list is natural (`trigger`); any other
    list or mapping gives its raw text and a diagnostic.
    """
    field = fields.known.get(name)
    if field is None:
        return ""
    value = field.value
    if isinstance(value, Scalar):
        return "" if value.is_null else one_line(value.text)
    if name != "trigger":
        message = f"'{field.key}' is not one text"
        findings.append(diagnostic("field-not-text", message, path, field.line))
    items = value.items if not isinstance(value, Mapping) else ()
    if items and all(isinstance(item, Scalar) for item in items) and field.raw[:1] != "[":
        return joined_items(items)
    if name == "trigger" and items:
        return joined_items(items)
    return one_line(field.raw)
