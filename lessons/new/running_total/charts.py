"""What grows with what."""

# TODO: curves over a quantity, axes fixed by the Scenario, and the same in words from the same numbers.

from __future__ import annotations

import plotly.graph_objects as go

from lessons.kit.charts import BLUE, Chart, curve, figure
from lessons.kit.text import Lang, Text
from lessons.new.running_total.engine import Add, Scenario
from lessons.new.running_total.trace import trace


def _totals(s: Scenario) -> list[int]:
    return [step.total for step in trace(s) if isinstance(step, Add)]


def _growth(s: Scenario, lang: Lang) -> go.Figure:
    totals = _totals(s)
    fig = figure(Text("numbers added", "已加的个数").of(lang), Text("total", "总和").of(lang))
    ns = list(range(1, len(totals) + 1))
    curve(fig, 0, Text("total", "总和").of(lang), ns, list(map(float, totals)), BLUE)
    return fig


def _growth_alt(s: Scenario) -> Text:
    totals = ", ".join(map(str, _totals(s)))
    return Text(f"The total after each number: {totals}.", f"每加一个数之后的总和：{totals}。")


CHARTS: tuple[Chart[Scenario], ...] = (
    Chart(
        "growth",
        Text("The total while it grows", "总和的增长"),
        Text("Each point is one step of the walk.", "每个点是一步。"),
        _growth,
        _growth_alt,
    ),
)
