"""How well search finds the right skill, beside what others use on the same skills.

    python -m benchmarks.ranking --packs DIR [DIR ...] --queries FILE [--equivalents FILE]
    … --mode hybrid --model FOLDER [--vectors FILE.npz]

Packs are imported into a fresh catalog in memory and every prompt is asked through the
facade. A hit counts when it is the prompt's skill, one of its equivalents or a copy of either
to the byte. Measures are averaged over the prompts of a skill, then over skills; by language
over the skills that have prompts in it. Negative prompts show how well the best score tells
that nothing fits.

Needs ir-measures (extra `benchmarks`).
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import ir_measures
from ir_measures import RR, R, nDCG
from rich.console import Console
from rich.table import Table

from benchmarks.dataset import Prompt, read_equivalents, read_prompts, read_skills, right_paths
from benchmarks.other_engines import Search as Engine
from benchmarks.other_engines import other_engines
from catalog.catalog import Catalog
from catalog.identity import Identity, Role
from catalog.search.request import SearchMode, SearchRequest
from catalog.skill import Skill
from importer.importing import import_pack

MEASURES = {"ndcg@10": nDCG @ 10, "recall@1": R @ 1, "recall@5": R @ 5, "recall@10": R @ 10}
MEASURES["mrr@10"] = RR @ 10
DEPTH = 10

Scores = dict[str, dict[str, float]]
Search = Callable[[str], list[tuple[frozenset[str], float]]]


@dataclass(frozen=True, slots=True)
class Result:
    """Macro measures by group (`all` and each language), and how well the best score tells
    positive prompts from negative ones."""

    scores: Scores
    auroc: float


def measured(
    search: Search, prompts: Sequence[Prompt], equivalents: Mapping[str, frozenset[str]]
) -> Result:
    """Args:
    search: the paths that each hit stands for, with its score, best first.
    """
    best = {True: [], False: []}  # type: dict[bool, list[float]]
    run, truth = [], []
    positives = {}
    for number, prompt in enumerate(prompts):
        hits = search(prompt.query)
        best[prompt.positive].append(hits[0][1] if hits else 0.0)
        if not prompt.positive:
            continue
        identifier = str(number)
        positives[identifier] = prompt
        right = right_paths(prompt, dict(equivalents))
        truth.append(ir_measures.Qrel(identifier, "right", 1))
        rank = next((rank for rank, (paths, _) in enumerate(hits) if paths & right), None)
        run += [
            ir_measures.ScoredDoc(
                identifier, "right" if place == rank else f"other {place}", -place
            )
            for place in range(len(hits))
        ]
    values: dict[str, dict[str, float]] = {identifier: {} for identifier in positives}
    names = {measure: name for name, measure in MEASURES.items()}
    for metric in ir_measures.iter_calc(list(MEASURES.values()), truth, run):
        values[metric.query_id][names[metric.measure]] = metric.value
    return Result(_macro(positives, values), auroc(best[True], best[False]))


def _macro(positives: Mapping[str, Prompt], values: Mapping[str, Mapping[str, float]]) -> Scores:
    grouped: dict[str, dict[str, list[Mapping[str, float]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for identifier, prompt in positives.items():
        for group in ("all", prompt.language):
            grouped[group][prompt.skill_path].append(values[identifier])
    return {
        group: {
            name: round(
                fmean(
                    fmean(value.get(name, 0.0) for value in of_skill)
                    for of_skill in skills.values()
                ),
                4,
            )
            for name in MEASURES
        }
        for group, skills in grouped.items()
    }


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """How often a positive prompt's best score is above a negative one's; ties count half."""
    if not positive or not negative:
        return float("nan")
    wins = sum((p > n) + 0.5 * (p == n) for p in positive for n in negative)
    return round(wins / (len(positive) * len(negative)), 4)


def catalog_search(
    packs: Sequence[Path],
    skills: Sequence[Skill],
    mode: SearchMode,
    prompts: Sequence[Prompt] = (),
    model: str = "",
    vectors: Path | None = None,
) -> Search:
    """Args:
    model: folder or name, in every mode but the ladder; `vectors` is a file that keeps
        what it gave.
    """
    catalog, embedder = Catalog.open("memory:"), None
    if model:
        from benchmarks.embedding import embed_catalog, remembering_embedder

        embedder = remembering_embedder(model, vectors)
        catalog = Catalog(catalog.store, embedder=embedder)
    identity = Identity("bench", "bench", "bench", roles=frozenset(Role))
    for pack in packs:
        import_pack(catalog, identity, pack)
    if embedder is not None:
        embed_catalog(catalog, embedder, [prompt.query for prompt in prompts])
    paths: dict[str, set[str]] = defaultdict(set)
    for skill in skills:
        paths[skill.content_hash].add(skill.source_path)

    def search(query: str) -> list[tuple[frozenset[str], float]]:
        answer = catalog.search(identity, SearchRequest(query, limit=DEPTH, mode=mode))
        return [(frozenset(paths[hit.card.content_hash]), hit.score) for hit in answer.hits]

    return search


def other_searches(skills: Sequence[Skill]) -> dict[str, Search]:
    """By engine, what it finds of the same skills."""

    def paths_of(engine: Engine) -> Search:
        return lambda query: [
            (frozenset({skills[row].source_path}), score) for row, score in engine(query)
        ]

    return {name: paths_of(engine) for name, engine in other_engines(skills).items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--packs", type=Path, nargs="+", required=True)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--equivalents", type=Path)
    parser.add_argument("--mode", type=SearchMode, default=SearchMode.LADDER)
    parser.add_argument("--model", default="", help="model of the modes semantic and hybrid")
    parser.add_argument("--vectors", type=Path, help="file that keeps what the model gave")
    parser.add_argument("--format", choices=("table", "json"), default="table")
    arguments = parser.parse_args()
    prompts = read_prompts(arguments.queries)
    equivalents = read_equivalents(arguments.equivalents)
    skills = read_skills(arguments.packs)
    results = {
        "ours": measured(
            catalog_search(
                arguments.packs,
                skills,
                arguments.mode,
                prompts,
                arguments.model,
                arguments.vectors,
            ),
            prompts,
            equivalents,
        ),
    }
    for name, search in other_searches(skills).items():
        results[name] = measured(search, prompts, equivalents)
    if arguments.format == "json":
        print(json.dumps(_as_json(results)))
    else:
        _print_table(results)


def _as_json(results: Mapping[str, Result]) -> dict[str, object]:
    return {
        **{name: result.scores for name, result in results.items()},
        "auroc": {name: result.auroc for name, result in results.items()},
    }


def _print_table(results: Mapping[str, Result]) -> None:
    table = Table("language", "search", *MEASURES, title="macro over skills")
    for group in next(iter(results.values())).scores:
        for name, result in results.items():
            scores = result.scores[group]
            table.add_row(group, name, *(f"{scores[measure]:.3f}" for measure in MEASURES))
    console = Console()
    console.print(table)
    for name, result in results.items():
        console.print(f"{name}: AUROC of the best score, positive against negative {result.auroc}")


if __name__ == "__main__":
    main()
