"""Which skills show to a run, by what it says it may use."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.injection.capability import Capability, Gate, admits, canonical_tool_name
from catalog.skill import Declaration, DeclaredList, Requirements


def needs(*tools: str) -> Requirements:
    return Requirements(tools=DeclaredList(Declaration.DECLARED, tools))


@pytest.mark.parametrize(
    ("allowed", "shown"),
    [
        (("Read",), False),
        (("bash",), True),
        (("Bash(git:*)",), True),
        (("  BASH ",), True),
        (("Ｂａｓｈ",), True),
        (("Ba\u200bsh",), True),
        (("BashOutput",), False),
        ((), False),
        (None, False),
    ],
)
def test_a_skill_that_needs_bash_shows_only_to_runs_that_may_use_bash(
    allowed: tuple[str, ...] | None, shown: bool
) -> None:
    assert admits(needs("Bash"), Capability(tools=allowed)) is shown


@pytest.mark.parametrize("allowed", [None, (), ("Read",)])
@pytest.mark.parametrize("declaration", [Declaration.ABSENT, Declaration.EMPTY])
def test_a_skill_that_requires_nothing_shows_to_every_run(
    allowed: tuple[str, ...] | None, declaration: Declaration
) -> None:
    nothing = DeclaredList(declaration)
    assert admits(Requirements(nothing, nothing, nothing), Capability(allowed, allowed, allowed))


@pytest.mark.parametrize("field", ["tools", "namespaces", "tags"])
def test_a_need_that_could_not_be_read_is_met_by_no_run(field: str) -> None:
    everything = ("Bash", "Read", "*")
    unparsable = DeclaredList(Declaration.UNPARSABLE)
    requirements = Requirements(**{field: unparsable})
    assert not admits(requirements, Capability(everything, everything, everything))


def test_every_required_tool_is_needed() -> None:
    assert not admits(needs("Bash", "Read"), Capability(tools=("Bash",)))
    assert admits(needs("Bash", "Read"), Capability(tools=("read", "Write", "bash")))


def test_an_entry_with_a_bar_is_met_by_either_name() -> None:
    either = needs("WebFetch | Bash(curl a | b)")
    assert admits(either, Capability(tools=("webfetch",)))
    assert admits(either, Capability(tools=("Bash",)))
    assert not admits(either, Capability(tools=("Read",)))


def test_a_blank_name_is_a_need_that_nothing_meets() -> None:
    assert not admits(needs(" | \u200b"), Capability(tools=("", "\u200b", "Bash")))


def test_a_near_miss_is_not_a_match() -> None:
    assert not admits(needs("files"), Capability(tools=("file",)))


@pytest.mark.parametrize(
    ("allowed", "required", "met"),
    [
        ("Bash", "Bash(git:*)", True),
        ("Bash(*)", "Bash(npm run build)", True),
        ("Bash(git:*)", "Bash(git:*)", True),
        ("Bash(git:*)", "Bash(git status)", True),
        ("Bash(git:*)", "Bash(git status:*)", True),
        ("Bash(git:*)", "Bash(gitk)", False),
        ("Bash(git:*)", "Bash(npm:*)", False),
        ("Bash(git:*)", "Bash(git status && rm x)", False),
        ("Edit(docs/*)", "Edit(docs/a.md)", True),
        ("Edit(docs/*)", "Edit(src/a.py)", False),
        ("mcp__tracker", "mcp__tracker__open", True),
        ("mcp__tracker__*", "mcp__Tracker__open", True),
        ("mcp__tracker__*", "mcp__tracker", True),
        ("mcp__tracker__open", "mcp__tracker__open", True),
        ("mcp__tracker__open", "mcp__tracker__close", False),
        ("mcp__tracker__open", "mcp__tracker", False),
        ("mcp__track", "mcp__tracker__open", False),
    ],
)
def test_an_allowed_spelling_covers_what_lies_within_it(
    allowed: str, required: str, met: bool
) -> None:
    assert admits(needs(required), Capability(tools=(allowed,))) is met


def test_namespaces_and_tags_compare_in_the_same_form() -> None:
    requirements = Requirements(
        namespaces=DeclaredList(Declaration.DECLARED, ("Payments",)),
        tags=DeclaredList(Declaration.DECLARED, ("on-call",)),
    )
    assert admits(requirements, Capability(namespaces=("payments ",), tags=("On-Call",)))
    assert not admits(requirements, Capability(namespaces=("payments",)))
    assert not admits(requirements, Capability(tools=("payments", "on-call")))


def test_the_canonical_name_leaves_the_specifier_out() -> None:
    assert canonical_tool_name(" Bash (git:*) ") == "bash"
    assert canonical_tool_name("mcp__Server__*") == "mcp__server"


NAMES = st.sampled_from(("Bash", "Read", "Bash(git:*)", "mcp__a__b", "mcp__a", "Grep | Read"))


@given(st.lists(NAMES), st.lists(NAMES), st.lists(NAMES))
def test_allowing_more_never_hides_a_skill(
    required: list[str], allowed: list[str], more: list[str]
) -> None:
    requirements = needs(*required)
    if admits(requirements, Capability(tools=tuple(allowed))):
        assert admits(requirements, Capability(tools=(*allowed, *more)))


def test_a_gate_remembers_its_verdict_on_equal_and_on_new_requirements() -> None:
    gate = Gate(Capability(tools=("Read",)))
    for _ in range(3):
        assert gate.admits(needs("Read"))
        assert not gate.admits(needs("Bash"))
