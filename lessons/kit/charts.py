"""Plotly figures for quantities that grow: one look, axes fixed by the Scenario, Okabe–Ito colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import plotly.graph_objects as go

from lessons.kit.text import Lang, Text

S = TypeVar("S")

BLUE, ORANGE, GREEN, VERMILION, PURPLE = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7"
SYMBOLS = ("circle", "square", "diamond", "x", "triangle-up")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")


@dataclass(frozen=True)
class Chart(Generic[S]):
    """One figure under Explore. `alt` says in words what it shows, from the same numbers. `controls` are the names of
    fields that only this figure needs: they stand with it, not with the steps' numbers."""

    slug: str
    title: Text
    caption: Text
    draw: Callable[[S, Lang], go.Figure]
    alt: Callable[[S], Text]
    controls: tuple[str, ...] = ()


def figure(x: str, y: str, **axes: dict[str, Any]) -> go.Figure:
    """An empty figure with named axes; `xaxis` and `yaxis` add to their settings."""
    fig = go.Figure()
    fig.update_layout(
        height=380,
        margin={"l": 64, "r": 16, "t": 24, "b": 56},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        xaxis={"title": {"text": x}} | axes.get("xaxis", {}),
        yaxis={"title": {"text": y}} | axes.get("yaxis", {}),
        hovermode="x unified",
    )
    return fig


def curve(fig: go.Figure, i: int, name: str, x: Sequence[object], y: Sequence[float | None], colour: str) -> None:
    """The i-th curve: its own dash and symbol as well as its colour."""
    fig.add_trace(
        go.Scatter(
            x=x,
            y=y,
            name=name,
            mode="lines+markers",
            line={"color": colour, "dash": DASHES[i % 5], "width": 2.5},
            marker={"symbol": SYMBOLS[i % 5], "size": 8},
        )
    )


def plain(label: str) -> str:
    """A reader's label for Plotly, which would obey a few HTML tags in it."""
    return label.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
