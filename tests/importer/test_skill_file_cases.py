"""Skill files and what becomes of them, as text cases that anyone can extend.

A case is a title, a skill file and the expected reading, with a line of one dot after each.
`\\u{FEFF}` in a file stands for that character, `\\xA1` for that byte. The reading lists what
differs from the plain: fields, sections, and `! code line` for each diagnostic.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.skill import Declaration, DeclaredList, Skill
from importer.skill_file import ReadSkill, read_skill

FIXTURES = Path(__file__).parent / "fixtures"
PATH = "kiln/SKILL.md"


def cases() -> Iterator[pytest.param]:
    for file in sorted(FIXTURES.glob("*.md")):
        parts = file.read_text("utf-8").split("\n.\n")
        for title, source, expected in zip(parts[::3], parts[1::3], parts[2::3], strict=False):
            title = title.strip()
            yield pytest.param(source, expected, id=f"{file.stem}: {title}")


def source_bytes(text: str) -> bytes:
    text = re.sub(r"\\u\{([0-9A-F]+)\}", lambda match: chr(int(match[1], 16)), text)
    parts = re.split(r"\\x([0-9A-F]{2})", text)
    return b"".join(
        bytes.fromhex(part) if index % 2 else part.encode() for index, part in enumerate(parts)
    )


def reading(read: ReadSkill) -> str:
    lines = ["refused"] if read.skill is None else list(fields(read.skill))
    lines += [f"! {finding.code} {finding.line}" for finding in read.diagnostics]
    return "\n".join(lines)


def fields(skill: Skill) -> Iterator[str]:
    yield f"name: {skill.name}"
    yield f"description: {skill.description}"
    if skill.title != skill.name:
        yield f"title: {skill.title}"
    if skill.trigger != skill.description:
        yield f"trigger: {skill.trigger}"
    for name in ("task_type", "license", "compatibility"):
        if getattr(skill, name):
            yield f"{name}: {getattr(skill, name)}"
    if skill.tags:
        yield f"tags: {'; '.join(skill.tags)}"
    yield from declared("allowed_tools", skill.allowed_tools)
    yield from declared("required_tools", skill.requirements.tools)
    yield from declared("required_namespaces", skill.requirements.namespaces)
    yield from declared("required_tags", skill.requirements.tags)
    for key, value in skill.metadata:
        yield f"metadata {key} = {value}"
    if skill.body.strip() != "Body":
        yield f"body: {skill.body!r}"
    for section in skill.sections:
        if section.heading:
            yield f"section {section.id} h{section.level} {section.kind}"


def declared(name: str, names: DeclaredList) -> Iterator[str]:
    if names.declaration is not Declaration.ABSENT:
        yield f"{name} {names.declaration}: {'; '.join(names.names)}".rstrip()


@pytest.mark.parametrize(("source", "expected"), list(cases()))
def test_a_skill_file_reads_as_its_case_says(source: str, expected: str) -> None:
    read = read_skill(source_bytes(source), PATH)

    assert reading(read) == expected
    if read.skill is not None:
        assert "".join(section.markdown for section in read.skill.sections) == read.skill.body
