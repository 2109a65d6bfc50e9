"""The invalidation laboratory: which rows of the cache an operation changes, and what wrong reuse costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import plotly.graph_objects as go

from engine.kv_reuse import Scenario
from engine.prompt_edits import (
    ROUNDING,
    Experiment,
    Operation,
    Outcome,
    Sight,
    holds,
    little_model,
    measure,
    reuse_costs,
)
from lessons.kit.charts import BLUE, VERMILION, Chart, curve, figure
from lessons.kit.format import delta, fixed
from lessons.kit.text import Lang, Text
from lessons.kit.told import Told

LOW, HIGH = -6, 1  # powers of ten of the colour scale
ASKED = 5  # the token asked behind the edited prompt: cases T15
# Dark means much in both themes' surroundings; every step of it differs in lightness as well.
SCALE = ((0.0, "#fde7c8"), (0.35, "#f2ab5c"), (0.7, "#d55e00"), (1.0, "#5c1a00"))
SAME, ROUNDED, FRESH = "#dceee6", "#9ccfba", "#7f8793"


def outcome_of(scenario: Scenario) -> Outcome:
    return measure(scenario.experiment, scenario.sight, scenario.window, scenario.prefix)


_DONE = {
    Operation.APPEND: Told("A token appended to {length}", "{length} 个 token 之后追加一个"),
    Operation.REPLACE: Told("Token {position} of {length} replaced", "{length} 个 token 中位置 {position} 的被替换"),
    Operation.INSERT: Told(
        "A token inserted at {position} of {length}", "{length} 个 token 中在位置 {position} 插入一个"
    ),
    Operation.ADAPTER: Told(
        "Adapter in layer {layer} swapped, {length} tokens", "第 {layer} 层更换适配器，共 {length} 个 token"
    ),
    Operation.SHIFT: Told("All {length} positions shifted by {by}", "{length} 个位置号都加 {by}"),
    Operation.DROP: Told("The first {by} of {length} tokens forgotten", "{length} 个 token 中忘掉最早的 {by} 个"),
}
_SIGHT = {
    Sight.CAUSAL: Told("causal", "因果"),
    Sight.BOTH_WAYS: Told("bidirectional", "双向"),
    Sight.WINDOW: Told("window of {window}", "窗口 {window}"),
    Sight.PREFIX: Told("prefix-LM, prefix of {prefix}", "前缀 LM，前缀 {prefix}"),
}


def done(scenario: Scenario) -> Text:
    """The laboratory's operation, in words."""
    return _DONE[scenario.experiment.operation].on(scenario.experiment)


def sight(scenario: Scenario) -> Text:
    """The rule of sight, in words."""
    return _SIGHT[scenario.sight].on(scenario)


def finding(scenario: Scenario) -> Text:
    """What the picture shows, in one sentence."""
    outcome = outcome_of(scenario)
    layers = [(i, *outcome.changed(i)) for i in range(scenario.experiment.n_layers)]
    changed = Text(
        "; ".join(f"layer {i} k {k}, v {v}" for i, k, v in layers),
        "；".join(f"第 {i} 层 k {k}、v {v}" for i, k, v in layers),
    )
    return Told(
        "Reusable prefix: {reusable} of {compared} positions. Changed positions: {changed}.",
        "可复用的前缀：{compared} 个位置中的 {reusable} 个。变了的位置数：{changed}。",
    ).on(outcome, changed=changed)


def _laboratory(scenario: Scenario, lang: Lang) -> go.Figure:
    outcome = outcome_of(scenario)
    n_layers = scenario.experiment.n_layers
    names = [f"{row} · {Text(f'layer {i}', f'第 {i} 层').of(lang)}" for i in range(n_layers) for row in "kv"]
    z = np.stack([table[i] for i in range(n_layers) for table in (outcome.k, outcome.v)])  # (2 · layers, T)
    fig = figure(
        Text("position after the change (from 0)", "改动后的位置（从 0 数）").of(lang),
        Text("cached rows", "缓存的行").of(lang),
        xaxis={"range": [-0.5, z.shape[1] - 0.5], "showgrid": False},
        yaxis={"autorange": "reversed", "showgrid": False},
    )
    fig.update_layout(
        height=190 + 50 * 2 * n_layers,
        hovermode="closest",
        margin={"l": 96, "r": 16, "t": 116, "b": 56},
        title={
            "text": _heading(scenario, lang),
            "font": {"size": 13},
            "x": 0.01,
            "xref": "container",
            "y": 0.98,
            "yref": "container",
            "yanchor": "top",
        },
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
    )
    with np.errstate(divide="ignore"):
        log = np.log10(z)
    kinds: list[tuple[Text, Any, str, Any]] = [
        (Text("exactly 0", "恰为 0"), z == 0, SAME, "0"),
        (
            Text(f"rounding, below {fixed(ROUNDING)}", f"舍入，小于 {fixed(ROUNDING)}"),
            (z > 0) & (z <= ROUNDING),
            ROUNDED,
            "≈",
        ),
        (Text("new, nothing to compare", "新的，无从比较"), np.isnan(z), FRESH, "+"),
    ]
    few = z.shape[1] <= 40
    gap = 1 if few else 0
    for text, where, colour, mark in kinds:
        if where.any():
            fig.add_trace(
                go.Heatmap(
                    z=np.where(where, 1.0, np.nan),
                    y=names,
                    name=text.of(lang),
                    colorscale=[(0, colour), (1, colour)],
                    showscale=False,
                    showlegend=True,
                    hovertemplate=f"%{{y}}, %{{x}}: {text.of(lang)}<extra></extra>",
                    xgap=gap,
                    ygap=3,
                    texttemplate=mark if few else None,
                    textfont={"size": 12, "color": "#1c2430"},
                )
            )
    changed = z > ROUNDING
    if changed.any():
        ticks = list(range(LOW, HIGH + 1))
        fig.add_trace(
            go.Heatmap(
                z=np.where(changed, log, np.nan),
                y=names,
                zmin=LOW,
                zmax=HIGH,
                colorscale=SCALE,
                name=Text("changed", "变了").of(lang),
                showlegend=False,
                customdata=z,
                hovertemplate="%{y}, %{x}: |Δ| = %{customdata:.3g}<extra></extra>",
                xgap=gap,
                ygap=3,
                colorbar={
                    "title": {"text": "max |Δ|"},
                    "tickvals": ticks,
                    "ticktext": [f"10<sup>{t}</sup>".replace("-", "−") for t in ticks],
                    "thickness": 14,
                },
            )
        )
    return fig


def _heading(scenario: Scenario, lang: Lang) -> str:
    """Three short lines, for Plotly breaks none and a phone would cut them."""
    model = Told("{sight} · {n_layers:layer}", "{sight} · {n_layers} 层").on(scenario.experiment, sight=sight(scenario))
    prefix = Told(
        "reusable prefix: {reusable} of {compared} positions", "可复用的前缀：{compared} 个位置中的 {reusable} 个"
    ).on(outcome_of(scenario))
    first, *others = (line.of(lang) for line in (done(scenario), model, prefix))
    return "<br>".join((f"<b>{first}</b>", *others))


def _laboratory_alt(scenario: Scenario) -> Text:
    outcome = outcome_of(scenario)
    most = [
        delta(float(np.nanmax(np.maximum(outcome.k[i], outcome.v[i])))) for i in range(scenario.experiment.n_layers)
    ]
    words = Text(", ".join(most), "，".join(most))
    return Told(
        "Heatmap of layers by positions. {done}, {sight}. {finding} Largest |Δ| by layer: {most}.",
        "层 × 位置的热力图。{done}，{sight}。{finding}各层最大 |Δ|：{most}。",
    ).on(done=done(scenario), sight=sight(scenario), finding=finding(scenario), most=words)


# --- what wrong reuse costs


@lru_cache(maxsize=32)
def costs(
    length: int, position: int, n_layers: int, sight: Sight, window: int, prefix: int
) -> tuple[tuple[int, ...], tuple[float, ...], tuple[float, ...]]:
    """Positions of the edit, and the logit error of keeping everything and of renewing the edited row alone."""
    tokens = Experiment(Operation.APPEND, length=length).tokens
    spread = np.unique(np.linspace(0, length - 1, 9).astype(int)).tolist()
    at = tuple(sorted({*spread, min(position, length - 1)}))
    return at, *reuse_costs(tokens, at, ASKED, little_model(n_layers, sight, window, prefix))


def costs_of(scenario: Scenario) -> tuple[tuple[int, ...], tuple[float, ...], tuple[float, ...]]:
    lab = scenario.experiment
    return costs(lab.length, lab.position, lab.n_layers, scenario.sight, scenario.window, scenario.prefix)


FLOOR = 1e-17
TOLERANCE = 0.001  # as many a comparison of caches is written


@dataclass(frozen=True)
class Passing:
    """With only the edited row renewed: how many of `n` errors a tolerance of TOLERANCE lets pass, and how many of
    these are no more than rounding."""

    within: int
    right: int
    n: int


def passing(scenario: Scenario) -> Passing:
    _, _, alone = costs_of(scenario)
    return Passing(sum(x <= TOLERANCE for x in alone), sum(map(holds, alone)), len(alone))


def _costs(scenario: Scenario, lang: Lang) -> go.Figure:
    at, everything, alone = costs_of(scenario)
    fig = figure(
        Text("position of the replaced token (from 0)", "被替换的位置（从 0 数）").of(lang),
        Text("largest logit error", "logits 的最大误差").of(lang),
        xaxis={"range": [-1, scenario.experiment.length]},
        yaxis={"type": "log", "range": [-17.5, 1.5], "exponentformat": "power"},
    )
    for i, (name, ys, colour) in enumerate(
        (
            (Text("whole cache kept", "缓存全部照用"), everything, VERMILION),
            (Text("only the edited row renewed", "只更新被编辑的行"), alone, BLUE),
        )
    ):
        curve(fig, i, name.of(lang), at, [max(y, FLOOR) for y in ys], colour)
    words = Told(
        "tolerance {tolerance:fixed3}: with the row alone<br>{within} of {n} pass, {right} of them rightly",
        "容差 {tolerance:fixed3}：只更新一行时，<br>{n} 个中放过 {within} 个，其中 {right} 个本来就对",
    ).on(passing(scenario), tolerance=TOLERANCE)
    fig.add_shape(
        type="line",
        xref="paper",
        x0=0,
        x1=1,
        y0=TOLERANCE,
        y1=TOLERANCE,
        line={"dash": "dot", "width": 1.5, "color": "#888"},
    )
    fig.add_annotation(
        text=words.of(lang),
        xref="paper",
        x=0.01,
        y=math.log10(TOLERANCE),
        showarrow=False,
        xanchor="left",
        yanchor="top",
        align="left",
    )
    return fig


def _costs_alt(scenario: Scenario) -> Text:
    at, everything, alone = costs_of(scenario)
    i = at.index(min(scenario.experiment.position, scenario.experiment.length - 1))
    return Told(
        "Line chart of the logit error of wrong reuse. Token {at} replaced: {everything:fixed7} if the whole cache is "
        "kept, {alone:fixed7} if only the edited row is renewed. Of the latter, a tolerance of {tolerance:fixed3} lets "
        "{within} of {n} pass, {right} of them rightly.",
        "错误复用造成的 logits 误差折线图。替换位置 {at}：缓存全部照用时 {everything:fixed7}，只更新被编辑的行时 "
        "{alone:fixed7}。后一种做法里，{tolerance:fixed3} 的容差放过 {n} 个中的 {within} 个，其中 {right} 个本来就对。",
    ).on(passing(scenario), at=at[i], everything=everything[i], alone=alone[i], tolerance=TOLERANCE)


CHARTS: tuple[Chart[Scenario], ...] = (
    Chart(
        "laboratory",
        Text("Invalidation laboratory: which rows still hold", "失效实验室：哪些行仍然有效"),
        Text(
            "Each cell is the largest difference of one cached row before and after the change, computed now. Choose "
            "the change under “Change the numbers”. Rows are compared token by "
            "token: after an insertion or a loss a token is compared with itself at its new position. A row holds "
            "where the difference is 0, or rounding from another order of summation. "
            "Worth seeing: a replaced token leaves layer 0 alone everywhere else; an inserted one leaves layer 0’s "
            "v, while the k behind it have turned to other positions; shifting all "
            "positions turns k and leaves v; forgetting the oldest tokens leaves their trace in every layer but the "
            "first.",
            "每一格是一个缓存行在改动前后的最大差，此刻算出。在“修改数字”里选择改动。比较按 token 对齐：插入或丢弃之"
            "后，每个 token 与移到新位置的自己比较。差为 0，或只是求和次序不同造成的舍入，"
            "这一行就仍有效。值得一看：替换一个 token，第 0 层其余各处都不受影响；插入一个 token，第 0 层的 v 仍有"
            "效，后面的 k 却已转到别的位置；所有位置一起移动，k 转了，v 不变；"
            "忘掉最早的 token，除最底下一层外，每一层都还留着它们的痕迹。",
        ),
        _laboratory,
        _laboratory_alt,
    ),
    Chart(
        "costs",
        Text("What wrong reuse costs, by the edit’s position", "错误复用的代价，随编辑位置变化"),
        Text(
            "The laboratory’s prompt, one token replaced, then one more token asked. Errors of 0 are drawn at the "
            "lower edge. Renewing only the edited row can hide the mistake behind small numbers: the dotted line "
            f"is a tolerance of {fixed(TOLERANCE, 3)}, with how many of the errors it lets pass. A right cache is "
            "off by rounding alone.",
            "用实验室的提示，替换一个 token，再询问一个 token。误差为 0 的点画在下边缘。只更新被编辑的行，可能把错误"
            f"藏在小数字里：点线是 {fixed(TOLERANCE, 3)} 的容差，旁边写着它放过几个。正确的缓存只差舍入。",
        ),
        _costs,
        _costs_alt,
    ),
)
