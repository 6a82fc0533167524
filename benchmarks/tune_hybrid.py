"""Choose the weights of mode HYBRID, judged on repositories that were left out.

    python -m benchmarks.tune_hybrid --packs DIR [DIR ...] --queries FILE --model FOLDER

Every pair of weights ranks every positive prompt. For each fold of repositories the pair that is
best on the others answers for it; the pair that is best on all is what one would take.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.dataset import Prompt, read_equivalents, read_prompts, read_skills, right_paths
from benchmarks.embedding import embed_catalog, remembering_embedder
from benchmarks.tune_ranking import folds, summary
from catalog.catalog import Catalog
from catalog.checkpoint import NO_DEADLINE
from catalog.identity import Identity, Role
from catalog.injection.capability import Capability, Gate
from catalog.scope import visible_scopes
from catalog.search.filters import NO_FILTERS, admission
from catalog.search.hybrid import NearnessWeights, ranked_by_both
from catalog.search.pages import distinct
from catalog.search.query import analysed
from catalog.search.request import SearchMode, SearchRequest
from catalog.search.rung import Question
from importer.importing import import_pack

IDENTITY = Identity("bench", "bench", "bench", roles=frozenset(Role))
CHOICES = [
    NearnessWeights(nearness, above=above)
    for nearness, above in product((0.0, 0.5, 1.0, 1.5, 2.0), (0.0, 1.0, 2.0, 3.0))
]
Gains = list[tuple[float, float]]
"""nDCG@10 and recall@1 of every prompt."""


def gains(catalog: Catalog, asked: Sequence[tuple[Prompt, frozenset[str]]]) -> list[Gains]:
    """Of every choice.

    Args:
        asked: prompts, each with the content hashes that are right.
    """
    found: list[Gains] = [[] for _ in CHOICES]
    with catalog.store.read(IDENTITY) as reader:
        visible = reader.visible(visible_scopes(IDENTITY))
        admits = admission(Gate(Capability()), NO_FILTERS, visible.scopes)
        for prompt, right in asked:
            request = SearchRequest(prompt.query, mode=SearchMode.HYBRID)
            meaning = catalog.meaning(request, NO_DEADLINE)
            assert meaning is not None
            question = Question(request, analysed(prompt.query), reader, visible, admits)
            for choice, of_choice in zip(CHOICES, found, strict=True):
                ranked, entries = distinct(ranked_by_both(question, meaning, choice)[0], reader)
                hashes = [entries[hit.entry_id].card.content_hash for hit in ranked[:10]]
                rank = next((rank for rank, one in enumerate(hashes, 1) if one in right), None)
                gain = 1 / math.log2(rank + 1) if rank else 0.0
                of_choice.append((gain, float(rank == 1)))
    return found


def best(found: Sequence[Gains], prompts: Sequence[Prompt], left_out: set[str]) -> int:
    """The number of the choice with the highest nDCG@10, averaged by skill."""
    kept = np.array([prompt.repository not in left_out for prompt in prompts])
    paths = np.unique([prompt.skill_path for prompt in prompts], return_inverse=True)[1][kept]
    counts = np.maximum(np.bincount(paths), 1)
    values = np.array(found)[:, kept, 0]
    return int(np.argmax([(np.bincount(paths, value) / counts).sum() for value in values]))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--packs", type=Path, nargs="+", required=True)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--equivalents", type=Path)
    parser.add_argument("--model", required=True, help="folder or name of a model")
    parser.add_argument("--vectors", type=Path, help="file that keeps what the model gave")
    arguments = parser.parse_args()
    equivalents = read_equivalents(arguments.equivalents)
    prompts = [prompt for prompt in read_prompts(arguments.queries) if prompt.positive]
    embedder = remembering_embedder(arguments.model, arguments.vectors)
    catalog = Catalog.open("memory:", embedder=embedder)
    for pack in arguments.packs:
        import_pack(catalog, IDENTITY, pack)
    embed_catalog(catalog, embedder, [prompt.query for prompt in prompts])
    hashes = {skill.source_path: skill.content_hash for skill in read_skills(arguments.packs)}
    asked = []
    for prompt in prompts:
        right = right_paths(prompt, equivalents)
        asked.append((prompt, frozenset(hashes[path] for path in right if path in hashes)))
    found = gains(catalog, asked)
    for choice, of_choice in zip(CHOICES, found, strict=True):
        print(choice, summary(prompts, of_choice))
    left_out: dict[int, tuple[float, float]] = {}
    for part in folds(prompts):
        chosen = best(found, prompts, part)
        print("without a fold", CHOICES[chosen])
        for number, prompt in enumerate(prompts):
            if prompt.repository in part:
                left_out[number] = found[chosen][number]
    ordered = [left_out[number] for number in range(len(prompts))]
    print("left-out repositories", summary(prompts, ordered))
    print("best on all", CHOICES[best(found, prompts, set())])


if __name__ == "__main__":
    main()
