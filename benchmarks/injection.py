"""Time of the injection: redaction of hostile texts and of packs, and whole gets in a budget.

    python -m benchmarks.injection
    python -m benchmarks.injection --packs path/to/pack --format json

Beside it, when presidio-analyzer is installed, its pattern recognisers on the same texts
(on the first 16 KB of each hostile one, so that a run ends soon).
Times are milliseconds of one thread's processor time, so that what else the machine does is
not in them. For hostile texts each is the best of three of a fresh redactor; `warm` is a text
that the redactor has seen.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.redaction_texts import hostile_texts
from catalog.catalog import Catalog
from catalog.errors import SkillTooLarge
from catalog.identity import Identity, Role
from catalog.injection.redaction import Redactor
from catalog.injection.tokens import token_counter
from catalog.requests import GetRequest, ListRequest
from importer.importing import import_pack

REPEATS = 3
PRESIDIO_SIZE = 16 * 1024
GET_SAMPLE = 500
NOT_INSTALLED = "not installed"
_RECOGNISERS = (
    "EmailRecognizer",
    "PhoneRecognizer",
    "CreditCardRecognizer",
    "IbanRecognizer",
    "IpRecognizer",
    "UsSsnRecognizer",
)


Redact = Callable[[str], object]


def best_milliseconds(redact: Redact, text: str, repeats: int = REPEATS) -> float:
    times = []
    for _ in range(repeats):
        start = time.thread_time()
        redact(text)
        times.append(time.thread_time() - start)
    return min(times) * 1_000


def redact_afresh(text: str) -> object:
    return Redactor().redact(text)


def redaction_of_hostile_texts(presidio: Redact | None) -> list[dict[str, Any]]:
    rows = []
    for title, text in hostile_texts().items():
        row: dict[str, Any] = {
            "text": title,
            "kilobytes": len(text.encode()) // 1024,
            "masked": len(Redactor().redact(text).spans),
            "ours_ms": best_milliseconds(redact_afresh, text),
            "half_ms": best_milliseconds(redact_afresh, text[: len(text) // 2]),
        }
        if presidio is not None:
            row["presidio_16_kb_ms"] = best_milliseconds(presidio, text[:PRESIDIO_SIZE], 1)
        rows.append(row)
    return rows


def redaction_of_packs(packs: list[Path], presidio: Redact | None) -> dict[str, Any]:
    texts = [
        path.read_text(encoding="utf-8", errors="replace")
        for pack in packs
        for path in sorted(pack.rglob("*"))
        if path.name.lower() in ("skill.md", "skills.md")
    ]
    redactor = Redactor()
    cold = [best_milliseconds(redactor.redact, text, 1) for text in texts]
    warm = [best_milliseconds(redactor.redact, text, 1) for text in texts]
    answer: dict[str, Any] = {
        "files": len(texts),
        "median_characters": statistics.median(map(len, texts)),
        "cold_ms": _percentiles(cold),
        "warm_ms": _percentiles(warm),
    }
    if presidio is not None:
        sample = texts[:: max(1, len(texts) // 100)]
        times = [best_milliseconds(presidio, text, 1) for text in sample]
        answer["presidio_ms"] = _percentiles(times)
    return answer


def gets_within_budgets(packs: list[Path]) -> list[dict[str, Any]]:
    """Whole `get` calls in process, warm, over the skills of the packs, by budget; how many
    answers were over it, and how many tokens of an answer are not the skill's own text."""
    who = Identity("benchmark", "benchmark", "benchmark", roles=frozenset(Role))
    catalog = Catalog.open("memory:")
    for pack in packs:
        import_pack(catalog, who, pack)
    cards = catalog.list(who, ListRequest(page_size=GET_SAMPLE)).cards
    names = [listed.card.qualified_name for listed in cards]
    counter = token_counter()
    rows = []
    for budget in (None, 2_000, 800, 300):
        times, envelopes, over, too_large = [], [], 0, 0
        for warm in (False, True):
            for name in names:
                start = time.thread_time()
                try:
                    answer = catalog.get(who, GetRequest((name,), max_tokens=budget))
                except SkillTooLarge:
                    too_large += warm
                    continue
                if warm:
                    times.append((time.thread_time() - start) * 1_000)
                    over += budget is not None and counter.count(answer.text) > budget
                    own = answer.text.partition("\n\n")[2].rpartition("</skill-")[0]
                    envelopes.append(answer.tokens - counter.count(own))
        rows.append(
            {
                "max_tokens": budget,
                "over": over,
                "too_large": too_large,
                "envelope_tokens": round(statistics.mean(envelopes), 1),
                **_percentiles(times),
            }
        )
    catalog.close()
    return rows


def presidio_patterns() -> Redact | None:
    """Presidio's pattern recognisers without a language model, or None when not installed."""
    if find_spec("presidio_analyzer") is None:
        return None
    module = import_module("presidio_analyzer.predefined_recognizers")
    recognisers = [getattr(module, name)() for name in _RECOGNISERS]

    def analyse(text: str) -> object:
        return [
            recogniser.analyze(text, recogniser.supported_entities, None)
            for recogniser in recognisers
        ]

    return analyse


def _percentiles(times: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(times, n=100)
    return {"p50": cuts[49], "p99": cuts[98], "max": max(times)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--packs", type=Path, nargs="*", default=[])
    parser.add_argument("--format", choices=("table", "json"), default="table")
    arguments = parser.parse_args()
    presidio = presidio_patterns()
    results: dict[str, Any] = {
        "presidio": "installed" if presidio else NOT_INSTALLED,
        "hostile": redaction_of_hostile_texts(presidio),
    }
    if arguments.packs:
        results["packs"] = redaction_of_packs(arguments.packs, presidio)
        results["gets"] = gets_within_budgets(arguments.packs)
    if arguments.format == "json":
        print(json.dumps(results))
    else:
        _print_tables(results)


def _print_tables(results: Mapping[str, Any]) -> None:
    console = Console()
    table = Table(
        "text",
        "KB",
        "masked",
        "ours, ms",
        "half of it, ms",
        "Presidio, 16 KB, ms",
        title="redaction of hostile texts",
    )
    for row in results["hostile"]:
        table.add_row(
            row["text"],
            str(row["kilobytes"]),
            str(row["masked"]),
            f"{row['ours_ms']:.1f}",
            f"{row['half_ms']:.1f}",
            f"{row['presidio_16_kb_ms']:.0f}"
            if "presidio_16_kb_ms" in row
            else results["presidio"],
        )
    console.print(table)
    if "packs" in results:
        packs = results["packs"]
        title = f"redaction of {packs['files']} files, {packs['median_characters']:.0f} characters"
        table = Table("run", "p50, ms", "p99, ms", "max, ms", title=title)
        for name in ("cold_ms", "warm_ms", "presidio_ms"):
            if name in packs:
                values = packs[name]
                table.add_row(name.removesuffix("_ms"), *(f"{values[key]:.3f}" for key in values))
        console.print(table)
        title = f"get of {GET_SAMPLE} skills at most, one at a time, in process, warm"
        columns = ("p50, ms", "p99, ms", "over budget", "too large", "envelope, tokens")
        table = Table("max_tokens", *columns, title=title)
        for row in results["gets"]:
            table.add_row(
                str(row["max_tokens"] or "none"),
                f"{row['p50']:.2f}",
                f"{row['p99']:.2f}",
                str(row["over"]),
                str(row["too_large"]),
                str(row["envelope_tokens"]),
            )
        console.print(table)


if __name__ == "__main__":
    main()
