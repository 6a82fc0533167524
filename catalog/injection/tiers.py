"""How much of a skill an injection keeps: full, essential, outline or card.

Every tier begins with the card's lines (title, description, trigger, tags), so a larger tier
never lacks what a smaller one says. Free-form bodies and structured ones are treated alike,
by the kinds of their sections:

- full: the whole body.
- essential: without preconditions, failure modes, examples and references, each with the
  headings under it, steps excepted.
- outline: the headings, and the first paragraphs of at most 3 steps, from the section of
  steps or else from the first numbered list. A body with neither headings nor steps is
  outlined by its first paragraph.
- card: no body.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from catalog.injection.markdown_structure import first_paragraph, list_items
from catalog.skill import Section, SectionKind

MOST_OUTLINE_STEPS = 3


class Tier(StrEnum):
    """Largest first."""

    FULL = "full"
    ESSENTIAL = "essential"
    OUTLINE = "outline"
    CARD = "card"


@dataclass(frozen=True, slots=True)
class TierForm:
    """A skill at one tier: what is left of its sections (in an outline each is cut short)
    and the sections of which anything was left out."""

    tier: Tier
    sections: tuple[Section, ...]
    omitted: tuple[Section, ...]


def tier_forms(sections: tuple[Section, ...]) -> tuple[TierForm, ...]:
    """Full, then each smaller tier that says less than the one before, down to card."""
    forms = [TierForm(Tier.FULL, sections, ())]
    for form in (_essential(sections), _outline(sections)):
        if 0 < _length(form) < _length(forms[-1]):
            forms.append(form)
    return (*forms, TierForm(Tier.CARD, (), sections))


_OPTIONAL = frozenset(
    (
        SectionKind.PRECONDITIONS,
        SectionKind.FAILURE_MODES,
        SectionKind.EXAMPLES,
        SectionKind.REFERENCES,
    )
)


def _length(form: TierForm) -> int:
    return sum(len(section.markdown) for section in form.sections)


def _essential(sections: tuple[Section, ...]) -> TierForm:
    kept: list[Section] = []
    omitted: list[Section] = []
    dropped_level: int | None = None
    for section in sections:
        if dropped_level is not None and section.level <= dropped_level:
            dropped_level = None
        if dropped_level is None and section.kind in _OPTIONAL:
            dropped_level = section.level
        is_dropped = dropped_level is not None and section.kind is not SectionKind.STEPS
        (omitted if is_dropped else kept).append(section)
    return TierForm(Tier.ESSENTIAL, tuple(kept), tuple(omitted))


def _outline(sections: tuple[Section, ...]) -> TierForm:
    steps_at, steps = _outline_steps(sections)
    kept: list[Section] = []
    omitted: list[Section] = []
    for place, section in enumerate(sections):
        heading = " ".join(section.heading.split())
        lines = [f"{'#' * section.level} {heading}"] if section.level else []
        if place == steps_at:
            lines += steps
        if lines:
            kept.append(replace(section, markdown="\n".join(lines) + "\n"))
        if section.markdown.strip() != "\n".join(lines):
            omitted.append(section)
    return TierForm(Tier.OUTLINE, tuple(kept), tuple(omitted))


def _outline_steps(sections: tuple[Section, ...]) -> tuple[int | None, list[str]]:
    """The place of the section whose steps an outline shows, and those steps."""
    by_kind = [place for place, part in enumerate(sections) if part.kind is SectionKind.STEPS]
    for place in by_kind:
        if items := list_items(sections[place].markdown):
            return place, items[:MOST_OUTLINE_STEPS]
    for place, section in enumerate(sections):
        if items := list_items(section.markdown, ordered_only=True):
            return place, items[:MOST_OUTLINE_STEPS]
    has_headings = any(section.level for section in sections)
    for place, section in enumerate(() if has_headings else sections):
        if opening := first_paragraph(section.markdown):
            return place, [opening]
    return None, []
