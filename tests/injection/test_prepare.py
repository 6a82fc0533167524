"""What of a skill may leave: capability and redaction over every field."""

from __future__ import annotations

from dataclasses import asdict

from catalog.injection.capability import Capability, Gate
from catalog.injection.prepare import Preparation, prepare_card
from tests.injection.written_bodies import prepared, stored, unchanged
from tests.written_skills import written_skill


def masked(text: str) -> str:
    return text.replace("pear9", "[REDACTED:PASSWORD]")


EVERYWHERE = written_skill(
    "kiln pear9",
    "Fires, pear9.",
    "# Use pear9\n\nBody pear9.\n",
    pack="pack pear9",
    trigger="pear9 is cold",
    tags=("tag pear9",),
    allowed=("Tool pear9",),
    task_type="pear9",
    files={"scripts/pear9.py": b""},
    metadata=(("key pear9", "value pear9"),),
)


def test_redaction_covers_every_field_that_leaves() -> None:
    skill = prepared(EVERYWHERE, redact=masked)
    assert "pear9" not in repr(asdict(skill))
    assert "pear9" not in skill.body
    card = prepare_card(stored(EVERYWHERE).entry, Gate(Capability()), masked)
    assert "pear9" not in repr(card)


def test_a_section_id_does_not_say_what_its_heading_may_not() -> None:
    skill = prepared(EVERYWHERE, redact=masked)
    assert [section.id for section in skill.sections] == ["1"]
    assert [section.id for section in prepared(EVERYWHERE).sections] == ["1-use-pear9"]


def test_unusable_tools_are_replaced_in_texts_and_stay_in_names() -> None:
    skill = written_skill(
        "Bash", "Runs Bash.", "# With Bash\n\nUse Bash.\n", trigger="Bash fails", allowed=("Bash",)
    )
    clean = prepared(skill, tools=("tool_search",))
    wanted = "a suitable tool (use tool_search)"
    assert clean.qualified_name == "tools:Bash"
    assert clean.title == "Bash"
    assert clean.description == f"Runs {wanted}."
    assert clean.trigger == f"{wanted} fails"
    assert clean.body == f"# With {wanted}\n\nUse {wanted}.\n"
    assert clean.allowed_tools.names == (wanted,)


def test_hidden_characters_go_before_names_and_secrets_are_looked_for() -> None:
    hidden = "\U000e0041\U000e0042"
    skill = written_skill("kiln", body=f"Use Ba{hidden}sh with pe{hidden}ar9.\n", allowed=("Bash",))
    clean = prepared(skill, tools=(), redact=masked)
    assert clean.body == "Use a suitable tool with [REDACTED:PASSWORD].\n"
    assert clean.hidden_runs == 2


def test_a_skill_is_prepared_once_for_each_version_capability_and_redaction() -> None:
    preparation = Preparation()
    skill, gate = stored(EVERYWHERE), Gate(Capability(tools=("Read",)))
    first = preparation.skill(skill, gate, masked)
    assert preparation.skill(skill, Gate(Capability(tools=("Read",))), masked) is first
    assert preparation.skill(skill, Gate(Capability(tools=())), masked) is not first
    assert preparation.skill(skill, gate, unchanged) is not first
    assert preparation.skill(stored(EVERYWHERE, entry_id=2), gate, masked) is not first
    card = preparation.card(skill.entry, gate, masked)
    assert preparation.card(skill.entry, gate, masked) is card


def test_the_stored_skill_is_not_changed() -> None:
    skill = stored(EVERYWHERE)
    before = repr(skill)
    prepared(EVERYWHERE, redact=masked)
    assert repr(skill) == before
