"""What grows or shrinks: the held state by tile, rounding by precision, and where exp overflows."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from engine.attention import exp_limit, softmax
from engine.online_softmax import AddTile, Scenario, fold
from lessons.kit.charts import BLUE, GREEN, ORANGE, PURPLE, VERMILION, Chart, curve, figure, plain
from lessons.kit.format import fixed, short
from lessons.kit.text import Lang, Text
from lessons.kit.told import Told
from lessons.online_softmax.naming import names
from lessons.online_softmax.trace import trace

PRECISIONS = ("float16", "float32", "float64")
LENGTH = 256
TILE_SIZES = (1, 4, 16, 64, LENGTH)


def _held(scenario: Scenario, lang: Lang) -> go.Figure:
    added = [step for step in trace(scenario) if isinstance(step, AddTile)]
    x = [plain(f"{s.tile.index + 1}: {names(scenario, s.tile, markdown=False).of(lang)}") for s in added]
    fig = figure(
        Text("after tile", "读完第几个分块").of(lang), Text("value", "数值").of(lang), xaxis={"type": "category"}
    )
    curve(fig, 0, "m", x, [_finite(float(s.after.m)) for s in added], PURPLE)
    curve(fig, 1, "ℓ", x, [_finite(float(s.after.l)) for s in added], BLUE)
    for i in range(scenario.d):
        curve(
            fig,
            2 + i,
            f"u{i + 1}",
            x,
            [_finite(float(s.after.u[i])) for s in added],
            (ORANGE, GREEN, VERMILION, "#56B4E9")[i],
        )
    return fig


def _finite(x: float) -> float | None:
    return x if np.isfinite(x) else None


def _held_alt(scenario: Scenario) -> Text:
    return Told(
        "Line chart: m, ℓ and u after each of {n_tiles:tile}. At the end m = {end.m:short}, ℓ = {end.l}.",
        "折线图：{n_tiles} 个分块依次读完后的 m、ℓ、u。最后 m = {end.m:short}，ℓ = {end.l}。",
    ).on(scenario)


def rounding(scenario: Scenario) -> dict[tuple[str, str, str], list[float]]:
    """Largest |output − float64 plain formula| by (precision, order, way); ways *tiles* (one a tile size) and *plain*.

    The reader's keys repeated to LENGTH and spread over a slowly rising score, all inputs rounded to the precision
    first, so that only the summation differs. Orders: as they are, and highest score first."""
    n = len(scenario.scores)
    repeat = -(-LENGTH // n)
    finite = [
        s if s > -np.inf else min([t for t in scenario.scores if t > -np.inf], default=0.0) for s in scenario.scores
    ]
    s = np.tile(np.asarray(finite) - max(finite), repeat)[:LENGTH] + np.linspace(0.0, 4.0, LENGTH)
    v = np.tile(np.asarray(scenario.values), (repeat, 1))[:LENGTH]
    v = v / max(1.0, float(np.abs(v).max()))  # every format can hold the values: only rounding is measured
    errors: dict[tuple[str, str, str], list[float]] = {}
    for precision in PRECISIONS:
        with np.errstate(over="ignore"):  # a score too low for float16 is −∞ there, and weighs 0 either way
            s_low, v_low = s.astype(precision), v.astype(precision)
        exact = softmax(s_low.astype(np.float64)) @ v_low.astype(np.float64)
        for order, reading in (("written", np.arange(LENGTH)), ("falling", np.argsort(-s_low, kind="stable"))):
            a, b = s_low[reading], v_low[reading]
            tiles = [float(np.abs(fold(a, b, size).output.astype(np.float64) - exact).max()) for size in TILE_SIZES]
            at_once = float(np.abs((softmax(a) @ b).astype(np.float64) - exact).max())
            errors[precision, order, "tiles"] = tiles
            errors[precision, order, "plain"] = [at_once] * len(TILE_SIZES)
    return errors


def _rounding(scenario: Scenario, lang: Lang) -> go.Figure:
    fig = figure(
        Text("tile size (keys)", "分块大小（键数）").of(lang),
        Text("largest |error|", "最大误差").of(lang),
        xaxis={"type": "category"},
        yaxis={"type": "log", "range": [-18, -1], "exponentformat": "power"},
    )
    fig.update_layout(height=460)
    words = {
        "written": Text("rising scores", "分数渐升"),
        "falling": Text("highest first", "从高到低"),
        "tiles": Text("tiles", "分块"),
        "plain": Text("at once", "一次算完"),
    }
    colours = {"float16": VERMILION, "float32": BLUE, "float64": GREEN}
    for (precision, order, way), ys in rounding(scenario).items():
        i = 2 * (way == "plain") + (order == "falling")
        floor = [max(y, 1e-18) for y in ys]
        curve(
            fig,
            i,
            f"{precision} · {words[way].of(lang)} · {words[order].of(lang)}",
            [str(t) for t in TILE_SIZES],
            floor,
            colours[precision],
        )
    return fig


def _rounding_alt(scenario: Scenario) -> Text:
    errors = rounding(scenario)
    parts = [f"{p} {fixed(errors[p, 'written', 'tiles'][0])}" for p in PRECISIONS]
    return Text(
        f"Line chart of rounding errors by tile size. One key per tile, rising scores: {', '.join(parts)}.",
        f"不同分块大小的舍入误差折线图。每个分块一个键、分数渐升时：{'，'.join(parts)}。",
    )


def _overflow(scenario: Scenario, lang: Lang) -> go.Figure:
    fig = figure(
        Text("score s", "分数 s").of(lang),
        Text("log₁₀ of exp(s)", "exp(s) 的 log₁₀").of(lang),
        xaxis={"range": [0, 800]},
        yaxis={"range": [0, 340]},
    )
    for i, precision in enumerate(PRECISIONS):
        limit = exp_limit(precision)
        xs = np.linspace(0.0, limit, 9)
        curve(
            fig,
            i,
            f"{precision}: s ≤ {fixed(limit, 2)}",
            xs.tolist(),
            (xs / np.log(10)).tolist(),
            (VERMILION, BLUE, GREEN)[i],
        )
        fig.add_vline(x=limit, line={"dash": "dot", "color": (VERMILION, BLUE, GREEN)[i]})
    top = max(scenario.scores)
    if 0 <= top <= 800:
        mine = Text(f"your largest score: {short(top)}", f"你的最大分数：{short(top)}").of(lang)
        curve(fig, 3, mine, [top, top], [0.0, 340.0], PURPLE)
    return fig


def _overflow_alt(scenario: Scenario) -> Text:
    limits = [f"{p} {fixed(exp_limit(p), 2)}" for p in PRECISIONS]
    return Text(
        f"exp(s) overflows above s = {', '.join(limits)}. Your largest score is {short(max(scenario.scores))}.",
        f"exp(s) 的溢出界限：{'，'.join(limits)}。你的最大分数是 {short(max(scenario.scores))}。",
    )


CHARTS: tuple[Chart[Scenario], ...] = (
    Chart(
        "held",
        Text("m, ℓ and u after each tile", "读完每个分块后的 m、ℓ、u"),
        Text(
            "m never falls. Where it rises, the kernel multiplies ℓ and u by α before it adds the tile. With a mistake "
            "chosen, the wrong way is drawn.",
            "m 从不下降。它上升时，内核先把 ℓ 和 u 乘以 α，再加入该分块。若选了一种错误，画的是错误做法。",
        ),
        _held,
        _held_alt,
    ),
    Chart(
        "rounding",
        Text("Rounding error in each precision", "各种精度的舍入误差"),
        Text(
            f"Your keys are repeated to {LENGTH} with slowly rising scores, and the values scaled to at most 1. m, ℓ "
            f"and u "
            "have the precision named. Compare tiles with the plain formula in the *same* precision. Errors of 0 are "
            "drawn at the lower edge. Common kernels keep m, ℓ and u in float32 even for float16 inputs; compare the "
            "curves of these two.",
            f"把你的键重复到 {LENGTH} 个，分数缓慢上升，值缩放到不超过 1；m、ℓ、u 用所标精度。应在**同一**精度下比较分"
            f"块与普通公式。"
            "误差为 0 的点画在下边缘。常见的内核即使输入是 float16，也用 float32 保存 m、ℓ、u；请比较这两种精度的曲"
            "线。",
        ),
        _rounding,
        _rounding_alt,
    ),
    Chart(
        "overflow",
        Text("Where exp overflows if no maximum is subtracted", "不减最大值时 exp 在哪里溢出"),
        Text(
            "Each curve stops where exp reaches the largest finite number of its format. With the maximum subtracted, "
            "every argument is at most 0 and none of these limits is reached.",
            "每条曲线都停在 exp 到达该格式最大有限数的地方。减去最大值以后，自变量都不大于 0，永远碰不到这些界限。",
        ),
        _overflow,
        _overflow_alt,
    ),
)
