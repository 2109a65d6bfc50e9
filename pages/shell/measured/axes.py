"""What the charts of a run share: logarithmic axes with round ticks, lines, room for the legend, an alternative
text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from lessons.kit.charts import figure
from lessons.kit.text import Lang, Text


@dataclass(frozen=True)
class Drawn:
    """A chart and what it shows, in words."""

    figure: go.Figure
    alt: str


def log_figure(x: str, y: str) -> go.Figure:
    fig = figure(x, y, xaxis={"type": "log"}, yaxis={"type": "log"})
    fig.update_layout(legend={"orientation": "h", "y": -0.22, "yanchor": "top", "x": 0})
    return fig


def line(
    fig: go.Figure, x: Sequence[float], y: Sequence[float], colour: str, label: str = "", dash: str = "dot"
) -> None:
    fig.add_trace(
        go.Scatter(
            x=list(x),
            y=list(y),
            name=label,
            mode="lines",
            showlegend=bool(label),
            hoverinfo="skip",
            line={"color": colour, "width": 2 if label else 1.5, "dash": dash},
        )
    )


def finished(
    fig: go.Figure, title: Text, quantity: Text, said: list[str], lang: Lang, hover: str = "x unified"
) -> Drawn:
    rows = sum(trace.showlegend is not False for trace in fig.data)
    fig.update_layout(height=360 + 22 * rows, hovermode=hover, margin={"l": 68, "r": 16, "t": 16, "b": 56})
    head = Text(f"{title.en}: {quantity.en}", f"{title.zh}：{quantity.zh}").of(lang)
    stop = "；" if lang == "zh" else "; "
    return Drawn(fig, f"{head}. {stop.join(said)}" if lang == "en" else f"{head}。{stop.join(said)}")


def ticks(low: float, high: float, base: int = 10) -> list[float]:
    """Round values between, few enough to be read: powers of ten with 2 and 5 or 3 between where there is room, or
    powers of two.

    >>> ticks(0.8, 30), ticks(900, 70000, 2)
    ([1.0, 3.0, 10.0, 30.0], [1024.0, 4096.0, 16384.0, 65536.0])
    """
    span = math.log10(high / low)
    if base == 2:
        step = max(1, math.ceil(span / math.log10(2) / 8)) + (span > 0.6)
        powers = range(-60 // step, 200 // step)
        return [value for i in powers if low * 0.99 <= (value := 2.0 ** (step * i)) <= high * 1.01]
    between = (1, 2, 5) if span < 1.4 else (1, 3) if span < 3 else (1,)
    values = (m * 10.0**k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1) for m in between)
    return [value for value in values if low * 0.99 <= value <= high * 1.01]


def y_ticks(fig: go.Figure, write: Callable[[float], str], base: int = 10) -> None:
    """Ticks over all that is drawn, bars included, written as everywhere on the page."""
    drawn = [y for trace in fig.data for y in _reach(trace) if y > 0]
    low, high = min(drawn), max(drawn)
    values = ticks(low, high, base)
    values = values if len(values) > 1 else sorted({low, high})  # no round value lies between
    fig.update_yaxes(tickvals=values, ticktext=[write(y) for y in values])


def _reach(trace: go.Scatter) -> Iterable[float]:
    yield from trace.y
    if trace.error_y.array is not None:
        yield from (y + up for y, up in zip(trace.y, trace.error_y.array, strict=True))
        yield from (y - down for y, down in zip(trace.y, trace.error_y.arrayminus, strict=True))
