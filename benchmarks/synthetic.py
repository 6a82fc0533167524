"""Any number of skills that read like those of a pack: its words, as frequent as there.

A pack's few thousand words would be in every one of 300,000 skills, which no real catalog is
like. So one word in twenty is made up, drawn from a vocabulary that grows with the catalog.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from pathlib import Path

from benchmarks.dataset import read_skills
from catalog.skill import Section, SectionKind, Skill

DESCRIPTION_WORDS = 24
BODY_WORDS = 180
_MADE_UP_SHARE = 0.05
_MADE_UP_EXPONENT = 1.1


class SyntheticSkills:
    """The same skills for the same packs and seed.

    Args:
        packs: folders whose skills give the words.
    """

    def __init__(self, packs: Sequence[Path], seed: int = 1) -> None:
        counts: Counter[str] = Counter()
        for skill in read_skills(packs):
            counts.update(re.findall(r"[^\W\d_]{2,}", f"{skill.description}\n{skill.body}"))
        self._words = list(counts)
        self._weights = list(accumulate(counts.values()))
        self._random = random.Random(seed)
        self._made = 0

    def skills(self, pack: str, count: int) -> Iterator[Skill]:
        for _ in range(count):
            self._made += 1
            yield self._skill(pack, self._made)

    def queries(self, count: int) -> list[str]:
        """Questions of 4 to 9 words, as frequent as in the skills."""
        return [self._text(self._random.randint(4, 9)) for _ in range(count)]

    def _skill(self, pack: str, number: int) -> Skill:
        name = "-".join(word.lower() for word in islice(self._drawn(3), 3)) + f"-{number}"
        description = self._text(DESCRIPTION_WORDS)
        body = f"# {name}\n\n{self._text(BODY_WORDS)}\n"
        return Skill(
            qualified_name=f"{pack}:{name}",
            name=name,
            title=name,
            description=description,
            trigger=description,
            body=body,
            sections=(Section("0-", SectionKind.OTHER, name, 1, body),),
            source=f"---\nname: {name}\ndescription: {description}\n---\n{body}".encode(),
            source_path=f"{name}/SKILL.md",
            pack=pack,
        )

    def _text(self, words: int) -> str:
        return " ".join(self._drawn(words))

    def _drawn(self, count: int) -> list[str]:
        drawn = self._random.choices(self._words, cum_weights=self._weights, k=count)
        for place in range(count):
            if self._random.random() < _MADE_UP_SHARE:
                drawn[place] = f"zq{int(self._random.paretovariate(_MADE_UP_EXPONENT) * 100):x}"
        return drawn
