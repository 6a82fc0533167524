"""Skills with Markdown bodies, written or generated, for tests of injection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st

from catalog.card import Entry, StoredSkill, card_of
from catalog.injection.capability import Capability, Gate
from catalog.injection.prepare import PreparedSkill, prepare
from catalog.scope import GLOBAL_SCOPE
from catalog.skill import Skill
from importer.sections import split_sections
from tests.written_skills import written_skill


def unchanged(text: str) -> str:
    return text


def stored(skill: Skill, entry_id: int = 1) -> StoredSkill:
    """The skill as a store hands it out, its sections cut from its body."""
    skill = replace(skill, sections=split_sections(skill.body))
    entry = Entry(
        entry_id=entry_id,
        scope_id=1,
        card=card_of(skill, tokens=len(skill.body)),
        requirements=skill.requirements,
        allowed_tools=skill.allowed_tools,
        pack=skill.pack,
        task_type=skill.task_type,
        origin=skill.origin,
        updated_at=0.0,
    )
    return StoredSkill(entry, GLOBAL_SCOPE, skill, 0.0, 0.0)


def prepared(
    skill: Skill,
    *,
    tools: tuple[str, ...] | None = None,
    redact: Callable[[str], str] = unchanged,
) -> PreparedSkill:
    return prepare(stored(skill), Gate(Capability(tools=tools)), redact)


def prepared_body(body: str, name: str = "kiln", description: str = "") -> PreparedSkill:
    return prepared(written_skill(name, description, body))


_WORDS = st.sampled_from(
    (
        "fire",
        "the",
        "Kiln",
        "窑",
        "🔥",
        "`cone 6`",
        "**hot. Hot**",
        "[log. It](a.md)",
        "e.g.",
        "3.5",
    )
)
_SENTENCES = st.lists(_WORDS, min_size=1, max_size=8).map(lambda words: " ".join(words) + ".")
_PARAGRAPHS = st.lists(_SENTENCES, min_size=1, max_size=4).map(" ".join)
_FENCES = st.tuples(st.sampled_from(("```", "~~~~", "```sh")), _PARAGRAPHS).map(
    lambda part: f"{part[0]}\n# {part[1]}\n\n- not a list\n{part[0].removesuffix('sh')}"
)
_LISTS = st.tuples(st.sampled_from(("1.", "-")), st.lists(_PARAGRAPHS, min_size=1, max_size=5)).map(
    lambda part: "\n".join(f"{part[0]} {item}" for item in part[1])
)
_LISTS_WITH_FENCES = _PARAGRAPHS.map(lambda text: f"- {text}\n\n  ```\n  {text}\n  ```\n- end")
_TABLES = _WORDS.map(lambda word: f"| a | b |\n|---|---|\n| {word} | x |")
_BLOCKS = st.one_of(
    _PARAGRAPHS, _FENCES, _LISTS, _LISTS_WITH_FENCES, _TABLES, _PARAGRAPHS.map("> {}".format)
)
_HEADINGS = st.tuples(
    st.sampled_from(("#", "##", "###")),
    st.sampled_from(("Steps", "Preconditions", "Failure modes", "Examples", "References", "Glaze")),
).map(" ".join)

markdown_blocks = st.lists(_BLOCKS, min_size=1, max_size=6).map(
    lambda blocks: "\n\n".join(blocks) + "\n"
)
bodies = st.lists(st.one_of(_HEADINGS, _BLOCKS), min_size=1, max_size=12).map(
    lambda blocks: "\n\n".join(blocks) + "\n"
)
prepared_skills = st.builds(
    prepared_body, bodies, st.sampled_from(("kiln", "glaze", "clay")), st.just("") | _PARAGRAPHS
)
