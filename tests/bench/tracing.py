"""The engine alone. (A module here named engine would hide the real one from native.py: Streamlit puts its folder
first.)"""

from __future__ import annotations

import time
from dataclasses import replace

from engine.online_softmax import Mistake, Scenario, trace
from tests.bench import inputs
from tests.bench.figures import Figure, Section, median, p95

RUNS = 200
TARGET = 5.0


def milliseconds(scenario: Scenario) -> float:
    start = time.perf_counter()
    for _ in trace(scenario):
        pass
    return (time.perf_counter() - start) * 1e3


def section() -> Section:
    scenario = replace(inputs.worst(0), mistake=Mistake.NONE)
    runs = [milliseconds(scenario) for _ in range(RUNS)]
    return Section(
        "6  The engine",
        f"online_softmax.trace of {inputs.KEYS} keys, one a tile, {inputs.VALUES} values each; {RUNS} runs",
        (Figure("median", median(runs), "ms", TARGET), Figure("p95", p95(runs), "ms")),
    )
