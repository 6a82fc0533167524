"""Learn the numbers of `catalog.search.weights`, judged on repositories that were left out.

    python -m benchmarks.tune_ranking --packs DIR [DIR ...] --queries FILE

Every positive prompt is a list of candidates of which one or a few are right. The loss is a
smooth nDCG, averaged per skill, plus a penalty for moving a number away from its plain start:
two dozen numbers leave little to fit by heart.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

from benchmarks.dataset import Prompt, read_equivalents, read_prompts, read_skills, right_paths
from catalog.search.document import CARD_TOKEN, NAME_WORD_TOKEN, IndexedDocument, index_document
from catalog.search.profile import MAX_BODY_COUNT, MAX_FIELD_COUNT, SHIFTS, Field, Profile
from catalog.search.query import AnalysedQuery, analysed
from catalog.search.ranking import Ranking
from catalog.search.weights import (
    TYPICAL_BODY_WORDS,
    TYPICAL_DESCRIPTION_WORDS,
    TYPICAL_USE_WHEN_WORDS,
    Weights,
)
from catalog.skill import Skill
from catalog.text.analysis import WordKind

CANDIDATES = 60
FOLDS = 5
PENALTY = 0.02
ROUNDS = 30
SOFTNESS = 0.3
SLOPE_WIDTH = 0.05
_NAMES = tuple(field.name for field in fields(Weights) if field.name != "matched")
"""All but one, which sets the scale of the others."""
CEILING = np.array([math.log(0.95 if name.endswith("_length") else 100) for name in _NAMES])
"""A length can take away nearly everything, never more."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Skills with what the index keeps of them, in memory."""

    skills: Sequence[Skill]
    profiles: Sequence[Profile]
    frequencies: Counter[int]
    postings: dict[str, list[int]]

    @classmethod
    def of(cls, skills: Sequence[Skill]) -> Corpus:
        documents: list[IndexedDocument] = [index_document(skill) for skill in skills]
        profiles = [Profile.decode(document.profile) for document in documents]
        frequencies: Counter[int] = Counter()
        postings: dict[str, list[int]] = {}
        for number, document in enumerate(documents):
            frequencies.update(document.terms)
            for token in document.tokens:
                postings.setdefault(token, []).append(number)
        return cls(skills, profiles, frequencies, postings)

    def candidates(self, query: AnalysedQuery, budget: int) -> set[int]:
        """The documents of the rarest words, as the ladder takes them."""
        found: set[int] = set()
        for term in sorted(query.terms, key=lambda term: self.frequencies[term.key]):
            if not term.is_content:
                continue
            for marker in ("", CARD_TOKEN, NAME_WORD_TOKEN):
                tokens = [marker + token for token in term.tokens]
                postings = set().union(*(self.postings.get(token, ()) for token in tokens))
                if len(postings) <= budget:
                    break
            budget -= len(postings)
            found |= postings
        return found


class Lists:
    """The candidates of every prompt as flat arrays over the terms that they hold."""

    def __init__(
        self, corpus: Corpus, prompts: Sequence[Prompt], equivalents: dict[str, frozenset[str]]
    ) -> None:
        start = Weights()
        self.prompts: list[Prompt] = []
        self.documents: list[list[int]] = []
        right: list[bool] = []
        term_rows: list[tuple[float, ...]] = []
        term_list: list[int] = []
        held: list[tuple[int, int, float, float]] = []
        counts: list[list[int]] = []
        lengths: list[tuple[float, float, float]] = []
        names: list[float] = []
        sequences: list[tuple[float, ...]] = []
        self.list_of: list[int] = []
        for prompt in prompts:
            query = analysed(prompt.query)
            ranking = Ranking(query, len(corpus.skills), corpus.frequencies, start)
            pool = sorted(corpus.candidates(query, 400))
            reading = ranking.read({number: corpus.profiles[number] for number in pool})
            ranked = reading.ranked()
            accepted = right_paths(prompt, equivalents)
            kept = [
                scored
                for place, scored in enumerate(ranked)
                if place < CANDIDATES or corpus.skills[scored.entry_id].source_path in accepted
            ]
            if not kept:
                continue
            list_number = len(self.prompts)
            has_pairs = any(term.kind is WordKind.PAIR for term in ranking.terms)
            row_of = {}
            for term in ranking.terms:
                row_of[term.key] = len(term_rows)
                term_list.append(list_number)
                term_rows.append(
                    (
                        math.log(ranking.rarity[term.key]),
                        term.is_stop_word,
                        term.kind is WordKind.CHARACTER and has_pairs,
                        term.kind is WordKind.WHOLE,
                        term.kind is WordKind.PART,
                        term.kind is WordKind.PAIR,
                    )
                )
            reading = ranking.read(
                {scored.entry_id: corpus.profiles[scored.entry_id] for scored in kept}
            )
            in_order = reading.in_order(np.arange(len(kept)))
            for column, entry_id in enumerate(reading.entry_ids):
                place = len(self.list_of)
                self.list_of.append(list_number)
                right.append(corpus.skills[entry_id].source_path in accepted)
                names.append(reading.names[column])
                of_field = reading.lengths[column].tolist()
                lengths.append(
                    (
                        of_field[Field.BODY] / TYPICAL_BODY_WORDS,
                        of_field[Field.DESCRIPTION] / TYPICAL_DESCRIPTION_WORDS,
                        of_field[Field.USE_WHEN] / TYPICAL_USE_WHEN_WORDS,
                    )
                )
                for row, term in enumerate(ranking.held):
                    value = int(reading.values[row, column])
                    if value:
                        unpacked = [value & MAX_BODY_COUNT]
                        unpacked += [value >> shift & MAX_FIELD_COUNT for shift in SHIFTS[1:]]
                        card, exact = reading.on_card[row, column], reading.exact[row, column]
                        held.append((place, row_of[term.key], card, exact))
                        counts.append(unpacked)
                sequences.append(tuple(shares[column] for shares in in_order))
            self.prompts.append(prompt)
            self.documents.append(reading.entry_ids)
        self.right = np.array(right)
        self.list_number = np.array(self.list_of)
        self.terms = np.array(term_rows, float)
        self.term_list = np.array(term_list)
        table = np.array(held, float)
        self.place = table[:, 0].astype(int)
        self.row = table[:, 1].astype(int)
        self.card, self.exact = table[:, 2], table[:, 3]
        self.counts = np.array(counts, float)
        self.lengths = np.array(lengths)
        self.names = np.array(names)
        self.sequences = np.array(sequences)
        self.starts = np.r_[0, np.cumsum([len(found) for found in self.documents])[:-1]]

    def values(self, weights: Weights) -> np.ndarray:
        """What `Ranking` gives, for all candidates at once."""
        w = weights
        factor = np.exp(
            self.terms
            @ np.array(
                [
                    w.rarity,
                    *(math.log(x) for x in (w.stop_word, w.character, w.whole, w.part, w.pair)),
                ]
            )
        )
        totals = np.bincount(self.term_list, factor, len(self.prompts))
        share = (factor / totals[self.term_list])[self.row]
        of_body = w.body / (1 - w.body_length + w.body_length * self.lengths[:, 0])
        of_plain = 1 / (1 - w.description_length + w.description_length * self.lengths[:, 1])
        of_asked = 1 / (1 - w.use_when_length + w.use_when_length * self.lengths[:, 2])
        fixed = self.counts @ np.array(
            [0, w.name_field, w.title, 0, 0, w.quoted, -w.not_for, w.tags, w.headings]
        )
        weighted = np.maximum(
            fixed
            + w.description * self.counts[:, Field.DESCRIPTION] * of_plain[self.place]
            + w.use_when * self.counts[:, Field.USE_WHEN] * of_asked[self.place]
            + self.counts[:, Field.BODY] * of_body[self.place],
            0.02,
        )
        size = len(self.list_number)
        matched = np.bincount(
            self.place, share * (weighted / (weighted + w.half) + w.exact * self.exact), size
        )
        covers = np.bincount(self.place, share, size)
        return (
            w.matched * matched
            + w.anywhere * covers
            + w.name * self.names
            + self.sequences @ np.array([w.neighbours, w.body_neighbours, w.phrase])
        )

    def missed(self, weights: Weights, importance: np.ndarray) -> float:
        """One minus nDCG, smooth: another candidate is above the right one by a degree."""
        values = self.values(weights)
        best = np.maximum.reduceat(np.where(self.right, values, -np.inf), self.starts)
        present = np.isfinite(best)
        above = np.where(present, best, 0.0)[self.list_number]
        degrees = np.where(self.right, 0.0, 1 / (1 + np.exp((above - values) / SOFTNESS)))
        ranks = 1 + np.add.reduceat(degrees, self.starts)
        gains = np.where(present, 1 / np.log2(1 + ranks), 0.0)
        return 1 - float((importance * gains).sum() / importance.sum())

    def importance(self, left_out: set[str]) -> np.ndarray:
        """Every skill the same, less for the many of one repository; 0 for what is left out."""
        a_skill = Counter(prompt.skill_path for prompt in self.prompts)
        skills = Counter(path.split("/", 1)[0] for path in a_skill)
        return np.array(
            [
                0.0
                if prompt.repository in left_out
                else 1 / a_skill[prompt.skill_path] * skills[prompt.repository] ** -0.3
                for prompt in self.prompts
            ]
        )

    def gains(self, weights: Weights) -> list[tuple[float, float]]:
        """nDCG@10 and recall@1 of every prompt."""
        values = self.values(weights)
        found = []
        for number, start in enumerate(self.starts):
            end = start + len(self.documents[number])
            order = np.argsort(-values[start:end], kind="stable")[:10]
            hits = np.flatnonzero(self.right[start:end][order])
            rank = hits[0] + 1 if len(hits) else 0
            found.append((1 / math.log2(rank + 1) if rank else 0.0, float(rank == 1)))
        return found


def learned(lists: Lists, left_out: set[str]) -> Weights:
    """Resilient descent on the logarithms of the numbers: only signs of slopes are used."""
    importance = lists.importance(left_out)
    start = np.log([getattr(Weights(), name) for name in _NAMES])

    def cost(numbers: np.ndarray) -> float:
        moved = float(((numbers - start) ** 2).sum())
        return lists.missed(_weights(numbers), importance) + PENALTY * moved

    numbers, steps, before = start.copy(), np.full(len(start), 0.15), np.zeros(len(start))
    best, kept = cost(numbers), numbers.copy()
    for _ in range(ROUNDS):
        here = cost(numbers)
        if here < best:
            best, kept = here, numbers.copy()
        slopes = np.array(
            [cost(numbers + shift) - here for shift in np.eye(len(start)) * SLOPE_WIDTH]
        )
        turned = np.sign(slopes) * np.sign(before)
        steps = np.clip(np.where(turned > 0, steps * 1.2, steps), 0.002, 0.4)
        steps = np.where(turned < 0, steps * 0.5, steps)
        slopes = np.where(turned < 0, 0.0, slopes)
        numbers = np.minimum(numbers - np.sign(slopes) * steps, CEILING)
        before = slopes
    return _weights(kept)


def _weights(numbers: np.ndarray) -> Weights:
    return Weights(
        **dict(zip(_NAMES, (round(float(number), 3) for number in np.exp(numbers)), strict=True))
    )


def folds(prompts: Sequence[Prompt]) -> list[set[str]]:
    """Whole repositories, the largest first into the smallest fold."""
    sizes = Counter(prompt.skill_path for prompt in prompts)
    repositories = Counter(path.split("/", 1)[0] for path in sizes)
    parts: list[set[str]] = [set() for _ in range(FOLDS)]
    filled = [0] * FOLDS
    for repository, size in sorted(repositories.items(), key=lambda item: (-item[1], item[0])):
        smallest = filled.index(min(filled))
        parts[smallest].add(repository)
        filled[smallest] += size
    return parts


def summary(prompts: Sequence[Prompt], gains: Sequence[tuple[float, float]]) -> dict[str, str]:
    """Macro over skills, all and by language."""
    by_skill: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for prompt, gain in zip(prompts, gains, strict=True):
        for group in ("all", prompt.language):
            by_skill.setdefault(group, {}).setdefault(prompt.skill_path, []).append(gain)
    return {
        group: " / ".join(
            f"{np.mean([np.mean([gain[part] for gain in found]) for found in skills.values()]):.3f}"
            for part in (0, 1)
        )
        for group, skills in by_skill.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--packs", type=Path, nargs="+", required=True)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--equivalents", type=Path)
    arguments = parser.parse_args()
    equivalents = read_equivalents(arguments.equivalents)
    prompts = [prompt for prompt in read_prompts(arguments.queries) if prompt.positive]
    lists = Lists(Corpus.of(read_skills(arguments.packs)), prompts, equivalents)
    print("start", summary(lists.prompts, lists.gains(Weights())))
    left_out_gains: dict[int, tuple[float, float]] = {}
    for part in folds(lists.prompts):
        weights = learned(lists, part)
        for number, gain in enumerate(lists.gains(weights)):
            if lists.prompts[number].repository in part:
                left_out_gains[number] = gain
    ordered = [left_out_gains[number] for number in range(len(lists.prompts))]
    print("left-out repositories", summary(lists.prompts, ordered))
    weights = learned(lists, set())
    print("learned on all", summary(lists.prompts, lists.gains(weights)))
    for name, value in asdict(weights).items():
        print(f"    {name}: float = {value}")


if __name__ == "__main__":
    main()
