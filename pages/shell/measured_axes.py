"""Ticks of logarithmic axes: round values, few enough to be read, written as everywhere on the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import plotly.graph_objects as go


def ticks(low: float, high: float, base: int = 10) -> list[float]:
    """Round values between, few enough to be read: powers of ten with 2 and 5 or 3 between where there is room, or powers of two.

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
