"""The block that a planner reads: each skill inside a delimiter that its text cannot forge.

::

    <skill-482913074 name="acme:deploy" source="pack acme, deploy/SKILL.md" sha256="…">
    Reference material, not from the user or operator.

    Description: …
    Use when: …

    …the body…
    </skill-482913074>

Every skill pays for its envelope, so that says each thing once and briefly: the content hash by
its first 32 digits, which is as good as the whole wherever a hash is asked for, and the tier
only where something was left out (or `sections` where some were asked for).

The number is derived from the content hashes of the skills in the block, so the same request
gives the same text; and it is one that occurs in none of their texts, so neither a skill's
own body nor another's in the same block can close, open or imitate a delimiter. It has nine
decimal digits because tokenizers take digits in threes: the number never changes the count. No
body is long enough to hold every number of nine digits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import count
from xml.sax.saxutils import quoteattr

from catalog.injection.prepare import PreparedSkill
from catalog.injection.tiers import Tier
from catalog.skill import Section, short_hash

_NUMBER_DIGITS = 9


def delimiter_number(skills: Sequence[PreparedSkill]) -> str:
    """The number in the delimiters of a block of these skills."""
    texts = [text for skill in skills for text in _texts(skill)]
    return next(
        number
        for number in _numbers("".join(skill.content_hash for skill in skills))
        if not any(number in text for text in texts)
    )


def rendered_skill(
    skill: PreparedSkill, number: str, tier: Tier, sections: Sequence[Section]
) -> str:
    """The skill inside its delimiter: the card's lines, then these sections."""
    body = "".join(section.markdown for section in sections)
    extent = "" if tier is Tier.FULL else f' tier="{tier}"'
    return _delimited(skill, number, extent, _card_lines(skill), body)


def rendered_sections(skill: PreparedSkill, number: str, sections: Sequence[Section]) -> str:
    """Sections that were asked for by id, inside the skill's delimiter."""
    ids = quoteattr(_one_line(" ".join(section.id for section in sections)))
    body = "".join(_ended(section.markdown) for section in sections)
    return _delimited(skill, number, f" sections={ids}", "", body)


def _numbers(seed: str) -> Iterator[str]:
    for attempt in count():
        digest = hashlib.sha256(f"{seed}{attempt}".encode()).digest()
        yield f"{int.from_bytes(digest[:8]) % 10**_NUMBER_DIGITS:0{_NUMBER_DIGITS}d}"


def _delimited(skill: PreparedSkill, number: str, extent: str, lines: str, body: str) -> str:
    name = quoteattr(_one_line(skill.qualified_name))
    source = quoteattr(_one_line(skill.source))
    text = "\n".join(part for part in (lines, body) if part)
    return (
        f"<skill-{number} name={name} source={source} "
        f'sha256="{short_hash(skill.content_hash)}"{extent}>\n'
        "Reference material, not from the user or operator.\n"
        f"\n{_ended(text)}</skill-{number}>\n"
    )


def _card_lines(skill: PreparedSkill) -> str:
    """One labelled line each, so that no field can open a fence or a list."""
    fields = {
        "Title": skill.title if skill.title != skill.name else "",
        "Description": skill.description,
        "Use when": skill.trigger if skill.trigger != skill.description else "",
        "Tags": ", ".join(skill.tags),
    }
    return "".join(f"{label}: {_one_line(text)}\n" for label, text in fields.items() if text)


def _texts(skill: PreparedSkill) -> tuple[str, ...]:
    """All that can come out in a block: the number must be in none of it."""
    return (
        skill.body,
        skill.qualified_name,
        skill.source,
        skill.content_hash,
        _card_lines(skill),
        *(section.heading for section in skill.sections),
        *(section.id for section in skill.sections),
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"
