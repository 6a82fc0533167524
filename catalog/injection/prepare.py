"""What of a skill may leave: every text field after capability and redaction.

One function cleans every field, in this order: hidden characters out (so that they cannot
split a name or a secret), names of unusable tools replaced, then redaction. The stored
skill is never changed. `Preparation` remembers what it made, so that a skill asked for again
by a run of the same capability costs a look-up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from catalog.card import Card, Entry, StoredSkill
from catalog.injection.capability import Gate
from catalog.injection.markdown_structure import closed
from catalog.injection.redaction import redacted_name, redacted_path
from catalog.injection.tiers import TierForm, tier_forms
from catalog.injection.tool_names import tool_name_replacement, unusable_tool_names
from catalog.memo import Memo
from catalog.skill import Artifact, DeclaredList, Origin, Requirements, Section
from catalog.text.invisible import remove_invisible

Redact = Callable[[str], str]
"""Masks what must not leave a text. Equal callables must mask equally: it is part of the key
under which prepared text is remembered."""


@dataclass(frozen=True, slots=True)
class RedactTexts:
    """A `Redact` that masks more in texts than in names, which could not be asked for again."""

    names: Redact
    texts: Redact

    def __call__(self, text: str) -> str:
        return self.texts(text)


_REMEMBERED_CHARACTERS = 16_000_000
_REMEMBERED_CARDS = 65_536


@dataclass(frozen=True, eq=False)
class PreparedSkill:
    """A skill as it may leave, before the budget. Every text in it is clean.

    `source` says where it is from, for people. A section's id is that of the stored skill,
    or its number alone (`2`) where its heading held something that may not leave.
    A fence that its author left open is closed, so that what follows is not taken for code.
    `hidden_runs` counts the runs of hidden characters that were taken out.
    """

    qualified_name: str
    name: str
    title: str
    description: str
    trigger: str
    tags: tuple[str, ...]
    source: str
    source_path: str
    pack: str | None
    origin: Origin
    origin_reference: str
    task_type: str
    license: str
    compatibility: str
    content_hash: str
    sections: tuple[Section, ...]
    artifacts: tuple[Artifact, ...]
    metadata: tuple[tuple[str, str], ...]
    requirements: Requirements
    allowed_tools: DeclaredList
    hidden_runs: int

    @cached_property
    def body(self) -> str:
        return "".join(section.markdown for section in self.sections)

    @cached_property
    def forms(self) -> tuple[TierForm, ...]:
        """The tiers that this skill has, largest first."""
        return tier_forms(self.sections)


class TextCleaning:
    """Cleans the texts of one skill for one gate and one redaction."""

    def __init__(
        self, gate: Gate, requirements: Requirements, allowed_tools: DeclaredList, redact: Redact
    ) -> None:
        names = unusable_tool_names(gate, requirements, allowed_tools)
        self._replace_tools = tool_name_replacement(gate, names)
        self._redact = redact
        self._redact_name = redact.names if isinstance(redact, RedactTexts) else redact
        self.hidden_runs = 0

    def text(self, text: str) -> str:
        """The text without hidden characters, unusable tools and what redaction masks."""
        visible = self._visible(text)
        if self._replace_tools is not None:
            visible = self._replace_tools(visible)
        return self._redact(visible) if visible else visible

    def name(self, name: str) -> str:
        """A name by which a skill is asked for: as a text, and tools in it stay, since a
        changed name could not be asked for again."""
        return redacted_name(self._visible(name), self._redact_name)

    def path(self, path: str) -> str:
        """A path, by which nothing is asked for."""
        return redacted_path(path, self.name)

    def declared(self, names: DeclaredList) -> DeclaredList:
        return replace(names, names=tuple(map(self.text, names.names))) if names.names else names

    def _visible(self, text: str) -> str:
        visible, runs = remove_invisible(text)
        self.hidden_runs += len(runs)
        return visible


def prepare(stored: StoredSkill, gate: Gate, redact: Redact) -> PreparedSkill:
    """The skill as it may leave for a run of that gate. It must have been admitted."""
    skill = stored.skill
    clean = TextCleaning(gate, skill.requirements, skill.allowed_tools, redact)
    pack = skill.pack if skill.pack is None else clean.name(skill.pack)
    source_path = clean.path(skill.source_path)
    reference = clean.name(skill.origin_reference)
    requirements = skill.requirements
    return PreparedSkill(
        qualified_name=clean.name(skill.qualified_name),
        name=clean.name(skill.name),
        title=clean.name(skill.title) if skill.title == skill.name else clean.text(skill.title),
        description=clean.text(skill.description),
        trigger=clean.text(skill.trigger),
        tags=tuple(map(clean.text, skill.tags)),
        source=_source(pack, source_path, skill.origin, reference),
        source_path=source_path,
        pack=pack,
        origin=skill.origin,
        origin_reference=reference,
        task_type=clean.text(skill.task_type),
        license=clean.text(skill.license),
        compatibility=clean.text(skill.compatibility),
        content_hash=stored.entry.card.content_hash,
        sections=tuple(_section(section, clean) for section in skill.sections),
        artifacts=tuple(
            replace(artifact, path=clean.path(artifact.path)) for artifact in skill.artifacts
        ),
        metadata=tuple((clean.text(key), clean.text(value)) for key, value in skill.metadata),
        requirements=Requirements(
            clean.declared(requirements.tools),
            clean.declared(requirements.namespaces),
            clean.declared(requirements.tags),
        ),
        allowed_tools=clean.declared(skill.allowed_tools),
        hidden_runs=clean.hidden_runs,
    )


def prepare_card(entry: Entry, gate: Gate, redact: Redact) -> Card:
    """The card as it may leave for a run of that gate. Its skill must have been admitted."""
    clean = TextCleaning(gate, entry.requirements, entry.allowed_tools, redact)
    return clean_card(entry.card, clean)


def clean_card(card: Card, clean: TextCleaning) -> Card:
    """The card with every text as it may leave."""
    return replace(
        card,
        qualified_name=clean.name(card.qualified_name),
        name=clean.name(card.name),
        title=clean.name(card.title) if card.title == card.name else clean.text(card.title),
        description=clean.text(card.description),
        trigger=clean.text(card.trigger),
        tags=tuple(map(clean.text, card.tags)),
    )


class Preparation:
    """Prepares skills and cards and remembers them, for one catalog.

    What is remembered is keyed by the entry (one version of one skill), the tools that the
    run may use and the redaction: nothing else changes the text.
    """

    def __init__(self) -> None:
        self._skills: Memo[tuple[object, ...], PreparedSkill] = Memo(
            _REMEMBERED_CHARACTERS, weight=_characters
        )
        self._cards: Memo[tuple[object, ...], Card] = Memo(_REMEMBERED_CARDS)

    def skill(self, stored: StoredSkill, gate: Gate, redact: Redact) -> PreparedSkill:
        """`prepare`, remembered."""
        key = (stored.entry.entry_id, gate.capability.tools, redact)
        return self._skills.computed(key, lambda: prepare(stored, gate, redact))

    def card(self, entry: Entry, gate: Gate, redact: Redact) -> Card:
        """`prepare_card`, remembered."""
        key = (entry.entry_id, gate.capability.tools, redact)
        return self._cards.computed(key, lambda: prepare_card(entry, gate, redact))


def _section(section: Section, clean: TextCleaning) -> Section:
    heading = clean.text(section.heading)
    return replace(
        section,
        # Behind its number an id is the heading's words, so it says what the heading says.
        id=section.id if heading == section.heading else section.id.partition("-")[0],
        heading=heading,
        markdown=closed(clean.text(section.markdown)),
    )


def _source(pack: str | None, source_path: str, origin: Origin, reference: str) -> str:
    if origin is Origin.GENERATED:
        return f"generated, {reference}" if reference else "generated"
    parts = (f"pack {pack}" if pack else "", source_path)
    return ", ".join(part for part in parts if part) or "unknown"


def _characters(skill: PreparedSkill) -> int:
    texts = (skill.description, skill.trigger, *(value for _, value in skill.metadata))
    # The body is counted twice, once for the sections and once for the joined text.
    return 1_000 + sum(map(len, texts)) + 2 * sum(len(part.markdown) for part in skill.sections)
