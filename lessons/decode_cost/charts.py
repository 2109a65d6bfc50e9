"""What grows how fast: pairs per step and in all, decoding after a fixed prompt, rows beside pairs, bytes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import plotly.graph_objects as go

from engine.counts import cached, decode, naive
from engine.decode_cost import Scenario
from engine.generation import CONFIG, bytes_of, multiplications
from lessons.decode_cost import naming
from lessons.kit.charts import BLUE, GREEN, ORANGE, VERMILION, Chart, curve, figure
from lessons.kit.format import fixed
from lessons.kit.text import Lang, Text
from lessons.kit.told import Told

LENGTHS = tuple(1 << i for i in range(13))
FITTED_FROM = 64
POSITIONS = Text("positions N", "位置数 N")


def slope(xs: Sequence[int], ys: Sequence[int]) -> float:
    """The slope of a straight line through log y against log x, fitted by least squares."""
    return float(np.polyfit(np.log(xs), np.log(ys), 1)[0])


def _fitted(ys: Sequence[int]) -> float:
    far = [(x, y) for x, y in zip(LENGTHS, ys, strict=True) if x >= FITTED_FROM]
    return slope([x for x, _ in far], [y for _, y in far])


PAIRS: dict[str, tuple[Text, Callable[[int], int]]] = {
    "whole-plain": (Text("whole, without a cache", "整段，没有缓存"), lambda n: naive(n).pairs),
    "step-plain": (Text("one step, without a cache", "一步，没有缓存"), lambda n: naive(n).pairs - naive(n - 1).pairs),
    "whole-cached": (Text("whole, with a cache", "整段，有缓存"), lambda n: cached(n).pairs),
    "step-cached": (Text("one step, with a cache", "一步，有缓存"), lambda n: cached(n).pairs - cached(n - 1).pairs),
}

COLOURS = (VERMILION, ORANGE, BLUE, GREEN)


def _log(x: Text, y: Text, most: int, n: int, lang: Lang) -> go.Figure:
    """Both axes logarithmic up to `most`; the reader's own n marked."""
    fig = figure(
        x.of(lang),
        y.of(lang),
        xaxis={"type": "log", "dtick": 1, "range": [-0.05, math.log10(LENGTHS[-1]) + 0.05]},
        yaxis={"type": "log", "range": [-0.2, math.log10(most) + 0.4], "exponentformat": "power"},
    )
    fig.update_layout(height=440)
    fig.add_vline(x=n, line={"dash": "dot", "width": 1.5, "color": "#808080"})
    return fig


def _slopes(scenario: Scenario, lang: Lang) -> go.Figure:
    series = {key: [f(n) for n in LENGTHS] for key, (_, f) in PAIRS.items()}
    fig = _log(POSITIONS, naming.PAIRS, max(series["whole-plain"]), scenario.n_positions, lang)
    for i, (key, ys) in enumerate(series.items()):
        name = PAIRS[key][0].of(lang) + Text(": slope ", "：斜率 ").of(lang) + fixed(_fitted(ys), 2)
        curve(fig, i, name, LENGTHS, ys, COLOURS[i])
    return fig


def _slopes_alt(scenario: Scenario) -> Text:
    said = [(name, fixed(_fitted([f(n) for n in LENGTHS]), 2)) for name, f in PAIRS.values()]
    en = ", ".join(f"{name.en} {k}" for name, k in said)
    zh = "，".join(f"{name.zh} {k}" for name, k in said)
    return Told(
        "Log–log chart of pairs against positions, fitted slopes: {slopes}. Your generation has {n_positions} "
        "positions.",
        "配对数对位置数的双对数图，拟合斜率：{slopes}。你的生成有 {n_positions} 个位置。",
    ).on(scenario, slopes=Text(en, zh))


def _after_prompt(p: int) -> dict[str, tuple[Text, list[int]]]:
    return {
        "together": (Text("together", "合计"), [decode(p, m, first_from_prefill=False).pairs for m in LENGTHS]),
        "prompt": (Text("against the prompt: M · P", "面对提示：M · P"), [m * p for m in LENGTHS]),
        "new": (Text("among the new: M(M + 1)/2", "新 token 之间：M(M + 1)/2"), [cached(m).pairs for m in LENGTHS]),
    }


def _ends(ys: Sequence[int]) -> tuple[float, float]:
    """The fitted slope over the first and the last four lengths."""
    return slope(LENGTHS[:4], ys[:4]), slope(LENGTHS[-4:], ys[-4:])


def _prompt(scenario: Scenario, lang: Lang) -> go.Figure:
    series = _after_prompt(scenario.n_prompt)
    new = Text("new tokens M", "新 token 数 M")
    fig = _log(new, naming.PAIRS, max(series["together"][1]), scenario.n_new, lang)
    for i, (name, ys) in enumerate(series.values()):
        curve(fig, i, name.of(lang), LENGTHS, ys, (BLUE, ORANGE, GREEN)[i])
    return fig


def _prompt_alt(scenario: Scenario) -> Text:
    first, last = _ends(_after_prompt(scenario.n_prompt)["together"][1])
    return Told(
        "Pairs of decoding after a prompt of {n_prompt}, log–log: slope {first:fixed2} for few new tokens, "
        "{last:fixed2} for many.",
        "提示长 {n_prompt} 时解码的配对数，双对数图：新 token 少时斜率 {first:fixed2}，多时 {last:fixed2}。",
    ).on(scenario, first=first, last=last)


def _multiplied() -> list[tuple[Text, list[int]]]:
    row, pair = multiplications(CONFIG)
    return [
        (Text("attention pairs, without a cache", "注意力配对，没有缓存"), [pair * naive(n).pairs for n in LENGTHS]),
        (Text("projections and FFN, without a cache", "投影与 FFN，没有缓存"), [row * naive(n).rows for n in LENGTHS]),
        (Text("attention pairs, with a cache", "注意力配对，有缓存"), [pair * cached(n).pairs for n in LENGTHS]),
        (Text("projections and FFN, with a cache", "投影与 FFN，有缓存"), [row * cached(n).rows for n in LENGTHS]),
    ]


def _split(scenario: Scenario, lang: Lang) -> go.Figure:
    series = _multiplied()
    counted = Text("multiplications in one layer", "一层的乘法次数")
    fig = _log(POSITIONS, counted, max(series[0][1]), scenario.n_positions, lang)
    for i, (name, ys) in enumerate(series):
        curve(fig, i, name.of(lang), LENGTHS, ys, COLOURS[i])
    return fig


def _split_alt(scenario: Scenario) -> Text:
    row, pair = multiplications(CONFIG)
    return Told(
        "Multiplications by length, log–log. With a cache, your {n_positions} positions take {rows} for rows and "
        "{pairs} for pairs.",
        "乘法次数对长度的双对数图。有缓存时，你的 {n_positions} 个位置：行 {rows} 次，配对 {pairs} 次。",
    ).on(scenario, rows=row * scenario.cached.rows, pairs=pair * scenario.cached.pairs)


def _bytes(scenario: Scenario, lang: Lang) -> go.Figure:
    back = [cached(n).pairs - n for n in LENGTHS]  # every step but the first reads all positions before it
    bytes_ = Text("bytes of K and V", "K、V 的字节数")
    fig = _log(POSITIONS, bytes_, bytes_of(1) * max(back), scenario.n_positions, lang)
    curve(fig, 0, Text("resident at the end", "结束时驻留").of(lang), LENGTHS, [bytes_of(n) for n in LENGTHS], BLUE)
    read = [bytes_of(x) if x else None for x in back]
    curve(fig, 1, Text("read back, one position a pass", "读回合计，每步一个位置").of(lang), LENGTHS, read, VERMILION)
    return fig


def _bytes_alt(scenario: Scenario) -> Text:
    all_ = scenario.cached
    return Told(
        "Bytes by length, log–log. {n_positions} positions: {held:size} resident, {back:size} read back if each "
        "has a pass of its own.",
        "字节数对长度的双对数图。{n_positions} 个位置：驻留 {held:size}；若每个位置一步，共读回 {back:size}。",
    ).on(scenario, held=bytes_of(all_.rows), back=bytes_of(all_.pairs - all_.rows))


CHARTS: tuple[Chart[Scenario], ...] = (
    Chart(
        "slopes",
        Text("Pairs per step and over the whole generation", "每一步与整段生成的配对数"),
        Text(
            "Both axes are logarithmic, so a power is a straight line and its slope the exponent, fitted from N = "
            f"{FITTED_FROM} on. Per step linear, whole "
            "generation still quadratic; without a cache each is one power higher. One step without a cache scores "
            "what the whole generation scores with one: "
            "two curves, one on the other. The dotted line is your generation.",
            f"两轴都取对数，幂函数成为直线，斜率就是指数，从 N = {FITTED_FROM} 起拟合。每一步是线性的，整段生成仍是平"
            "方级；"
            "没有缓存时各高一次幂。没有缓存的一步，配对数与有缓存的整段生成相同：两条曲线重合。虚线是你的生成。",
        ),
        _slopes,
        _slopes_alt,
    ),
    Chart(
        "prompt",
        Text("A fixed prompt, more and more new tokens", "提示固定，新 token 越来越多"),
        Text(
            "With a cache, prefill not counted, every new token run. While M is small beside P the sum looks linear; "
            "once M outgrows P it bends to "
            "quadratic. So say what is fixed and what grows. The dotted line is your M.",
            "有缓存，不计预填充，每个新 token 都送入。M 远小于 P 时，总和看起来是线性的；M 超过 P 以后弯向平方级。"
            "所以要说清什么固定、什么在增长。虚线是你的 M。",
        ),
        _prompt,
        _prompt_alt,
    ),
    Chart(
        "split",
        Text("Rows beside pairs, in multiplications", "行与配对，折算成乘法"),
        Text(
            f"A row meets every weight of a layer once: {multiplications(CONFIG)[0]} multiplications in the little "
            f"decoder; a pair takes {multiplications(CONFIG)[1]} over all heads. "
            "The cache saves on both. What is left is rows for short contexts, and pairs for long ones.",
            f"一行与一层的每个权重各相乘一次：在这个小解码器里是 {multiplications(CONFIG)[0]} 次乘法；一对在所有头里"
            f"合计 {multiplications(CONFIG)[1]} 次。"
            "两者缓存都省。剩下的部分，上下文短时主要是行，长时主要是配对。",
        ),
        _split,
        _split_alt,
    ),
    Chart(
        "bytes",
        Text("The price: bytes resident, and bytes read back", "代价：驻留的字节与读回的字节"),
        Text(
            "K and V of the little decoder, all layers. What is resident grows with the length; what is read back in "
            "all, one pass a position, grows with "
            "its square.",
            "小解码器所有层的 K、V。驻留的部分随长度增长；若每个位置一步，读回的总量按平方增长。",
        ),
        _bytes,
        _bytes_alt,
    ),
)
