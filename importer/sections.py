"""A body cut at its headings into sections that join to the same body again."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from catalog.skill import Section, SectionKind
from importer.headings import find_headings
from importer.section_kind import kind_of_heading

_SLUG_CHARACTERS = 40


def split_sections(body: str) -> tuple[Section, ...]:
    """Sections in order; `"".join(section.markdown for section in …) == body`.

    A section below a heading of a known kind is of that kind too, unless its own heading
    says otherwise; a title (level 1) passes nothing on.
    """
    headings = find_headings(body)
    starts = [heading.start for heading in headings]
    sections = []
    if body and (not starts or starts[0] > 0):
        first = body[: starts[0]] if starts else body
        sections.append(Section("0", SectionKind.OTHER, "", 0, first))
    above: list[tuple[int, SectionKind]] = []
    ends = [*starts[1:], len(body)]
    for number, heading in enumerate(headings, start=1):
        while above and above[-1][0] >= heading.level:
            above.pop()
        kind = kind_of_heading(heading.text)
        if kind is SectionKind.OTHER and above:
            kind = above[-1][1]
        if heading.level > 1:
            above.append((heading.level, kind))
        markdown = body[heading.start : ends[number - 1]]
        sections.append(
            Section(_section_id(number, heading.text), kind, heading.text, heading.level, markdown)
        )
    return tuple(sections)


_NOT_SLUG = re.compile(r"[\W_]+")


def _section_id(number: int, heading: str) -> str:
    slug = _slug(heading[:200])
    return f"{number}-{slug}" if slug else str(number)


@lru_cache(maxsize=4_096)
def _slug(text: str) -> str:
    folded = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
    return _NOT_SLUG.sub("-", folded).strip("-")[:_SLUG_CHARACTERS].strip("-")
