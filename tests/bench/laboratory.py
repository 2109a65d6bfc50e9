"""The laboratory of kv_reuse, drawn in this process: two runs of the little decoder, compared, as a heatmap with its
words."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from engine.prompt_edits import Experiment, measure
from lessons.kit.charts import Chart
from lessons.kv_reuse import LESSON
from tests.bench.figures import Figure, Section, median

TARGET = 150.0
TOKENS, LAYERS = 128, 3
RUNS = 20


def milliseconds(chart: Chart[Any], position: int) -> float:
    """For a change at a position that has not been asked before."""
    scenario = replace(LESSON.scenario, experiment=Experiment(length=TOKENS, position=position, n_layers=LAYERS))
    start = time.perf_counter()
    chart.alt(scenario)
    chart.draw(scenario, "en").to_json()
    return (time.perf_counter() - start) * 1e3


def section() -> Section:
    laboratory, costs = LESSON.charts
    measure.cache_clear()
    for chart in LESSON.charts:  # to warm the code
        milliseconds(chart, 0)
    return Section(
        "7  The laboratory of kv_reuse",
        f"{TOKENS} tokens, {LAYERS} layers, in process: both runs, the figure as JSON and its words; {RUNS} changes",
        (
            Figure("median", median([milliseconds(laboratory, at) for at in range(1, 1 + RUNS)]), "ms", TARGET),
            Figure(
                "the curve below it, median",
                median([milliseconds(costs, at) for at in range(1, 6)]),
                "ms",
                note="5 changes",
            ),
        ),
    )
