"""What an agent proposes, as a skill: a whole SKILL.md, or fields that become one."""

from __future__ import annotations

import json

from catalog.errors import InvalidSkill
from catalog.lifecycle import MAX_PROPOSAL_BYTES, ProposeRequest
from importer.diagnostics import Diagnostic
from importer.skill_file import read_skill
from server.messages.words import bounded, needed, optional_scope
from skillcatalog.v1 import skillcatalog_pb2 as pb

_FILE = "SKILL.md"


def propose_request(
    message: pb.SkillProposeRequest,
) -> tuple[ProposeRequest, tuple[Diagnostic, ...]]:
    """The proposal, read by the importer, and everything there is to say about its text.

    Raises:
        InvalidSkill: it has neither or both forms, no name, is over 256 KiB, or cannot be read.
    """
    structured = message.HasField("structured")
    if bool(message.markdown) is structured:
        raise InvalidSkill("give exactly one of markdown and structured", field="markdown")
    text = markdown_of(message.structured) if structured else message.markdown
    source = text.encode()
    if len(source) > MAX_PROPOSAL_BYTES:
        raise InvalidSkill(
            f"the skill has {len(source)} bytes; a proposal takes at most {MAX_PROPOSAL_BYTES}",
            field="markdown",
            limit=MAX_PROPOSAL_BYTES,
        )
    read = read_skill(source, _FILE, folder="")
    request = ProposeRequest(
        skill=read.proposed(),
        scope=optional_scope(message.scope, InvalidSkill),
        expected_content_hash=bounded(
            message.expected_content_hash, "expected_content_hash", InvalidSkill
        ),
        idempotency_key=message.idempotency_key,
    )
    return request, read.diagnostics


def markdown_of(skill: pb.StructuredSkill) -> str:
    """The SKILL.md of the fields: scalars as quoted YAML, the lists as sections.

    Raises:
        InvalidSkill: it has no name or no description.
    """
    needed(skill.name, "structured.name", InvalidSkill)
    if not skill.description.strip():
        raise InvalidSkill("structured.description is empty", field="structured.description")
    lines = ["---"]
    for field in _SCALARS:
        if value := getattr(skill, field):
            lines.append(f"{field}: {_quoted(value)}")
    for field in _LISTS:
        if values := getattr(skill, field):
            lines.append(f"{field}: [{', '.join(map(_quoted, values))}]")
    lines += ["---", "", f"# {_one_line(skill.title or skill.name)}", ""]
    for heading, items, bullet in (
        ("Preconditions", skill.preconditions, "-"),
        ("Steps", skill.steps, "1."),
        ("Failure modes", skill.failure_modes, "-"),
    ):
        if items:
            lines += [f"## {heading}", "", *(_item(bullet, item) for item in items), ""]
    return "\n".join(lines)


_SCALARS = ("name", "title", "description", "trigger", "task_type")
_LISTS = ("tags", "required_tools", "required_namespaces", "required_tags")


def _quoted(text: str) -> str:
    # A JSON string is a double-quoted YAML scalar.
    return json.dumps(text, ensure_ascii=False)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _item(bullet: str, text: str) -> str:
    indent = "\n" + " " * (len(bullet) + 1)
    return f"{bullet} {indent.join(text.strip().splitlines())}"
