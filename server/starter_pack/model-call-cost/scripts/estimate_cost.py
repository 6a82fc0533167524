#!/usr/bin/env python3
"""Estimate the cost of model calls per task, day and month for each model of a price list.

Usage: estimate_cost.py WORKLOAD.json PRICES.csv [--days 30]
The first turn sends the fixed input once; turn k sends it again with k - 1 times the new input.
"""

import argparse
import csv
import json
import sys
from pathlib import Path

MILLION = 1_000_000
SHARES = ("cached_share_of_fixed_after_first_turn", "retry_share", "solved_share")
COUNTS = (
    "tasks_per_day",
    "turns_per_task",
    "fixed_input_tokens",
    "new_input_tokens_per_turn",
    "output_tokens_per_turn",
)


def read_workload(path):
    """The workload, complete and within bounds."""
    workload = json.loads(path.read_text(encoding="utf-8"))
    for key in (*COUNTS, *SHARES):
        if not isinstance(workload.get(key), int | float) or workload[key] < 0:
            sys.exit(f"{path}: {key} must be a number of 0 or more")
    for key in SHARES:
        if workload[key] > 1:
            sys.exit(f"{path}: {key} is a share from 0 to 1")
    return workload


def tokens_per_task(workload):
    """(input at full price, input from the cache, output) of one task, retries included."""
    turns = workload["turns_per_task"]
    fixed = workload["fixed_input_tokens"]
    again = fixed * max(turns - 1, 0)
    cached = again * workload["cached_share_of_fixed_after_first_turn"]
    history = workload["new_input_tokens_per_turn"] * turns * (turns - 1) / 2
    full = fixed * min(turns, 1) + again - cached + history
    output = turns * workload["output_tokens_per_turn"]
    repeated = 1 + workload["retry_share"]
    return full * repeated, cached * repeated, output * repeated


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workload", type=Path)
    parser.add_argument("prices", type=Path)
    parser.add_argument("--days", type=int, default=30, help="days in a month (default 30)")
    arguments = parser.parse_args()
    workload = read_workload(arguments.workload)
    full, cached, output = tokens_per_task(workload)
    print(f"per task: {full:,.0f} input + {cached:,.0f} cached input + {output:,.0f} output tokens")
    print(f"{'model':<20}{'per task':>12}{'per solved':>12}{'per day':>12}{'per month':>14}")
    with arguments.prices.open(encoding="utf-8-sig", newline="") as file:
        for price in csv.DictReader(file):
            cost = (
                full * float(price["input_per_million"])
                + cached * float(price["cached_input_per_million"])
                + output * float(price["output_per_million"])
            ) / MILLION
            solved = cost / workload["solved_share"] if workload["solved_share"] else float("inf")
            day = cost * workload["tasks_per_day"]
            month = day * arguments.days
            print(f"{price['model']:<20}{cost:>12.4f}{solved:>12.4f}{day:>12,.2f}{month:>14,.2f}")
    print("Largest part:", largest_part(full, cached, output, arguments.prices))


def largest_part(full, cached, output, prices):
    """Which kind of token costs most with the first model of the list."""
    with prices.open(encoding="utf-8-sig", newline="") as file:
        price = next(csv.DictReader(file))
    parts = {
        "input": full * float(price["input_per_million"]),
        "cached input": cached * float(price["cached_input_per_million"]),
        "output": output * float(price["output_per_million"]),
    }
    name = max(parts, key=parts.__getitem__)
    return f"{name}, {parts[name] / (sum(parts.values()) or 1):.0%} with {price['model']}"


if __name__ == "__main__":
    main()
