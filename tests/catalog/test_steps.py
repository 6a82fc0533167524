"""The clock of a request's steps."""

from __future__ import annotations

import time

from catalog.steps import StepClock


def test_a_piece_inside_a_step_is_not_the_step_s_too() -> None:
    steps = StepClock()
    began = time.perf_counter()
    time.sleep(0.05)
    steps.apart("filter", began)
    steps.done("full_text")
    time.sleep(0.01)
    steps.done("page")
    seen: dict[str, float] = {}
    steps.report(seen.__setitem__)
    assert list(seen) == ["filter", "full_text", "page"]
    assert seen["filter"] >= 0.05 > seen["full_text"] >= 0
    assert seen["page"] >= 0.01


def test_a_step_that_comes_again_is_told_of_once() -> None:
    steps = StepClock()
    for _ in range(3):
        steps.apart("filter", time.perf_counter())
    steps.done("regex")
    steps.done("regex")
    told: list[str] = []
    steps.report(lambda step, _: told.append(step))
    assert told == ["filter", "regex"]
