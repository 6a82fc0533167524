"""Replacing names of tools that a skill declares and the run may not use."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.injection.capability import Capability, Gate
from catalog.injection.tool_names import tool_name_replacement, unusable_tool_names
from catalog.skill import Declaration, DeclaredList, Requirements

PARTS = (
    Path(__file__)
    .with_name("tool_names.md")
    .read_text(encoding="utf-8")
    .replace("\n.\n", "\n\0")
    .split("\0")
)
CASES = [
    tuple(part.strip("\n") for part in PARTS[at : at + 4]) for at in range(0, len(PARTS) - 3, 4)
]


def declared(*names: str) -> DeclaredList:
    return DeclaredList(Declaration.DECLARED, names)


def replaced(text: str, *names: str, tools: tuple[str, ...] | None = ()) -> str:
    gate = Gate(Capability(tools=tools))
    replace = tool_name_replacement(
        gate, unusable_tool_names(gate, Requirements(), declared(*names))
    )
    return replace(text) if replace else text


@pytest.mark.parametrize(
    ("name", "text", "wanted"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_text_case(name: str, text: str, wanted: str) -> None:
    assert replaced(text, name) == wanted


def test_tool_search_is_named_where_the_run_may_use_it() -> None:
    assert (
        replaced("Use Bash.", "Bash", tools=("Tool_Search",))
        == "Use a suitable tool (use tool_search)."
    )


def test_nothing_is_replaced_when_the_run_did_not_say_what_it_may_use() -> None:
    assert replaced("Use Bash.", "Bash", tools=None) == "Use Bash."


def test_only_declared_names_are_replaced() -> None:
    assert replaced("Use Bash or Grep.", "Grep") == "Use Bash or a suitable tool."


def test_a_name_that_is_allowed_within_a_specifier_stays_and_a_wider_use_goes() -> None:
    text = "Bash runs Bash(git status) and Bash(npm test)."
    wanted = "Bash runs Bash(git status) and a suitable tool."
    assert replaced(text, "Bash", "Bash(npm:*)", tools=("Bash(git:*)",)) == wanted


def test_the_alternative_that_the_run_lacks_is_replaced() -> None:
    gate = Gate(Capability(tools=("Read",)))
    names = unusable_tool_names(gate, Requirements(tools=declared("Read | Grep")), DeclaredList())
    assert names == ("Grep",)


def test_code_still_compiles_and_json_still_parses() -> None:
    python = "rows = Bash(f'{Bash}', Bash(1))\nif Bash:\n    Bash.run('Bash')\n"
    data = '{"use": ["Bash", "Bash(git:*)", "BashOutput"]}'
    text = f"```python\n{python}```\n\n```json\n{data}\n```\n"
    fences = re.findall(r"```\w+\n(.*?)```", replaced(text, "Bash"), re.DOTALL)
    ast.parse(fences[0])
    assert json.loads(fences[1]) == {"use": ["a_suitable_tool", "a_suitable_tool", "BashOutput"]}


PIECES = st.sampled_from(
    ["Bash", "Bash(git:*)", "Grep", "mcp__a__b", " ", "\n", "```\n", "`", ".", "-", "x", "图", '"']
)


@given(st.lists(PIECES, max_size=30))
def test_replacing_keeps_the_lines_and_is_idempotent(pieces: list[str]) -> None:
    text = "".join(pieces)
    once = replaced(text, "Bash", "Grep", "mcp__a")
    assert once.count("\n") == text.count("\n")
    assert once.count("`") == text.count("`")
    assert replaced(once, "Bash", "Grep", "mcp__a") == once
