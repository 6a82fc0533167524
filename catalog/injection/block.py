"""Fits skills, or named sections of one, into a budget. Third step of the injection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from catalog.errors import InvalidQuery, SkillTooLarge
from catalog.injection.budget import allocate, checked_budget
from catalog.injection.markdown_structure import closed, cut_points
from catalog.injection.prepare import PreparedSkill
from catalog.injection.rendering import delimiter_number, rendered_sections, rendered_skill
from catalog.injection.tiers import Tier, TierForm
from catalog.injection.tokens import TokenCounter
from catalog.skill import Artifact, Section

_TOLD_SECTIONS = 20


@dataclass(frozen=True, slots=True)
class OmittedSection:
    """A section that was left out, wholly or in part; asking for its id fetches it, at
    `tokens` of text."""

    id: str
    heading: str
    tokens: int


@dataclass(frozen=True, slots=True)
class InjectedSkill:
    """What became of one requested skill.

    Args:
        skill: its clean fields, for the structured form.
        tier: how much was kept; None where not even the card fitted.
        tokens: of its part of the block, delimiters included; 0 where nothing was kept.
        sections: what was kept of the body (in an outline, headings and steps).
        omitted: sections of which anything was left out.
    """

    skill: PreparedSkill
    tier: Tier | None
    tokens: int
    sections: tuple[Section, ...]
    omitted: tuple[OmittedSection, ...]

    @property
    def artifacts(self) -> tuple[Artifact, ...]:
        """Attachments, which are never in the block: each is fetched by its `reference`, and
        costs at most as many tokens as its `size` in bytes."""
        return self.skill.artifacts


@dataclass(frozen=True, slots=True)
class Injection:
    """The block as rendered, its exact count, and each skill in the order of the request."""

    text: str
    tokens: int
    skills: tuple[InjectedSkill, ...]

    @property
    def omitted(self) -> tuple[str, ...]:
        """Qualified names of the skills that are not in the block at all."""
        return tuple(part.skill.qualified_name for part in self.skills if part.tier is None)


def fit(
    skills: Sequence[PreparedSkill], max_tokens: int | None, counter: TokenCounter
) -> Injection:
    """The largest block of these skills that the budget holds.

    Every skill is full when all fit. Otherwise each keeps at least its card while the cards
    fit, and then, in the order of the request, each takes the largest tier that still leaves
    the others what they have (`allocate` states it exactly).

    Args:
        max_tokens: of the whole text, delimiters included; None for no budget.

    Raises:
        InvalidQuery: `max_tokens` is negative.
        SkillTooLarge: a single skill was asked for and not even its card fits; metadata
            `needed` is what its smallest form needs. Of several skills, those that do not
            fit are left out and listed.
    """
    limit = checked_budget(max_tokens)
    number = delimiter_number(skills)
    forms = [skill.forms[:1] for skill in skills]
    texts = _rendered(skills, forms, number)
    if limit is not None and counter.count("".join(full for (full,) in texts)) > limit:
        forms = [skill.forms for skill in skills]
        texts = _rendered(skills, forms, number)
    allocation = allocate(texts, limit, counter)
    if len(skills) == 1 and allocation.picked == (None,):
        raise _too_large(skills[0], texts[0], limit, counter)
    return Injection(
        allocation.text,
        allocation.tokens,
        tuple(
            _injected(skill, None if place is None else (choices[place], rendered[place]), counter)
            for skill, choices, rendered, place in zip(
                skills, forms, texts, allocation.picked, strict=True
            )
        ),
    )


def fit_sections(
    skill: PreparedSkill, ids: Sequence[str], max_tokens: int | None, counter: TokenCounter
) -> Injection:
    """Sections of one skill by id, in the order asked for, and nothing else of it.

    Sections are kept whole, in order, each where it still fits; the rest is listed as
    omitted. Only where no section fits whole is the first one cut: behind the last paragraph,
    sentence or list item that the budget holds.

    Raises:
        InvalidQuery: an id is not one of the skill, or `max_tokens` is negative.
        SkillTooLarge: not even the beginning of the first section fits; metadata `needed` is
            what its shortest cut needs.
    """
    limit = checked_budget(max_tokens)
    asked = _sections_of(skill, ids)
    number = delimiter_number([skill])

    def fits(sections: Sequence[Section]) -> bool:
        text = rendered_sections(skill, number, sections)
        return limit is None or counter.count(text) <= limit

    kept: list[Section] = []
    for section in asked:
        if fits([*kept, section]):
            kept.append(section)
    whole = {section.id for section in kept}
    if asked and not kept:
        cuts = _cuts(asked[0])
        largest = _largest(cuts, lambda cut: fits([cut]))
        if largest is None:
            texts = [rendered_sections(skill, number, [cut]) for cut in (cuts or asked)[:1]]
            raise _too_large(skill, texts, limit, counter)
        kept = [largest]
    text = rendered_sections(skill, number, kept) if kept else ""
    omitted = tuple(section for section in skill.sections if section.id not in whole)
    tier = Tier.ESSENTIAL if omitted else Tier.FULL
    return Injection(
        text,
        counter.count(text),
        (_injected(skill, (TierForm(tier, tuple(kept), omitted), text), counter),),
    )


def _rendered(
    skills: Sequence[PreparedSkill], forms: Sequence[Sequence[TierForm]], number: str
) -> list[list[str]]:
    return [
        [rendered_skill(skill, number, form.tier, form.sections) for form in choices]
        for skill, choices in zip(skills, forms, strict=True)
    ]


def _injected(
    skill: PreparedSkill, kept: tuple[TierForm, str] | None, counter: TokenCounter
) -> InjectedSkill:
    if kept is None:
        return InjectedSkill(skill, None, 0, (), _omitted(skill.sections, counter))
    form, text = kept
    return InjectedSkill(
        skill, form.tier, counter.count(text), form.sections, _omitted(form.omitted, counter)
    )


def _omitted(sections: Sequence[Section], counter: TokenCounter) -> tuple[OmittedSection, ...]:
    return tuple(
        OmittedSection(section.id, section.heading, counter.count(section.markdown))
        for section in sections
    )


def _sections_of(skill: PreparedSkill, ids: Sequence[str]) -> list[Section]:
    by_id = {section.id: section for section in skill.sections}
    for position, section_id in enumerate(ids):
        if section_id not in by_id:
            there = ", ".join(list(by_id)[:_TOLD_SECTIONS]) or "none"
            more = len(by_id) - _TOLD_SECTIONS
            raise InvalidQuery(
                f"section id {position + 1} of the {len(ids)} given is none of skill "
                f"'{skill.qualified_name}'; it has: {there}"
                f"{f' and {more} more' if more > 0 else ''}",
                field="sections",
                position=position,
            )
    return [by_id[section_id] for section_id in dict.fromkeys(ids)]


def _cuts(section: Section) -> list[Section]:
    """The section cut at each place where it may be, shortest first."""
    return [
        replace(section, markdown=closed(section.markdown[:point]))
        for point in cut_points(section.markdown)
        if section.markdown[point:].strip()
    ]


def _largest(cuts: Sequence[Section], fits: Callable[[Section], bool]) -> Section | None:
    """The last one that fits; those behind one that does not are taken not to fit either."""
    low, high = 0, len(cuts)
    while low < high:
        middle = (low + high) // 2
        if fits(cuts[middle]):
            low = middle + 1
        else:
            high = middle
    return cuts[low - 1] if low else None


def _too_large(
    skill: PreparedSkill, texts: Sequence[str], limit: int | None, counter: TokenCounter
) -> SkillTooLarge:
    needed = min(map(counter.count, texts))
    return SkillTooLarge(
        f"the smallest form of skill '{skill.qualified_name}' needs {needed} tokens; "
        f"max_tokens is {limit}",
        skill=skill.qualified_name,
        needed=needed,
        max_tokens=limit or 0,
    )
