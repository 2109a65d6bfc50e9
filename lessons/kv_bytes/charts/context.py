"""How the cache grows with the context: several models, a device, the time to read it, several formats."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import plotly.graph_objects as go

from engine.kv_formats import Format
from engine.kv_ladder import Mistake
from engine.kv_size import GB, GIB, Scenario
from engine.models import MODELS
from lessons.kit.charts import BLUE, DASHES, GREEN, ORANGE, PURPLE, VERMILION, Chart, curve, figure
from lessons.kit.format import count, gib, short
from lessons.kit.text import Lang, Text, listed, same
from lessons.kit.told import Told
from lessons.kv_bytes.naming import milliseconds, model_name

SKY, BLACK, YELLOW = "#56B4E9", "#777777", "#B8A800"
COLOURS = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, BLACK, YELLOW)
MODELS_SHOWN = (
    "Llama-2-7B",
    "Llama-3-8B",
    "Llama-3-70B",
    "Mistral-7B-v0.1",
    "Gemma-3-27B",
    "gpt-oss-120b",
    "DeepSeek-V3",
)
MEMORIES_GB = (8, 16, 24, 40, 80, 192)
SHORTEST = 1_024


def lengths(scenario: Scenario) -> list[int]:
    """Powers of two from SHORTEST to well beyond the reader's length."""
    longest = max(131_072, scenario.seq_len)
    found = [SHORTEST]
    while found[-1] < longest * 2:
        found.append(found[-1] * 2)
    return found


def _at(scenario: Scenario, t: int) -> int:
    return replace(scenario, seq_len=t, mistake=Mistake.NONE).cache_bytes


def _ticks(ts: list[int]) -> dict[str, object]:
    """A logarithmic axis of lengths, every second one named."""
    shown = ts[::2]
    return {
        "type": "log",
        "tickvals": shown,
        "ticktext": [count(t) for t in shown],
        "range": [math.log10(ts[0]) - 0.05, math.log10(ts[-1]) + 0.05],
    }


TOKENS = Text("tokens of a sequence", "每条序列的 token 数")


def _context(scenario: Scenario, lang: Lang) -> go.Figure:
    ts = lengths(scenario)
    curves = [(name, [_at(s, t) / GIB for t in ts]) for name, s in _compared(scenario)]
    low, high = min(ys[0] for _, ys in curves), max(MEMORIES_GB[-1], *(ys[-1] for _, ys in curves))
    fig = figure(
        TOKENS.of(lang),
        Text("cache, GiB", "缓存，GiB").of(lang),
        xaxis=_ticks(ts),
        yaxis={"type": "log", "dtick": 1, "range": [math.log10(low) - 0.2, math.log10(high) + 0.3]},
    )
    fig.update_layout(height=620, hovermode="closest")
    for i, (name, ys) in enumerate(curves):
        curve(fig, i, name.of(lang), ts, ys, COLOURS[i % len(COLOURS)])
        if i >= 5:
            fig.data[-1].update(
                line={"dash": DASHES[(i + 2) % 5]}, marker={"symbol": ("star", "pentagon", "hexagram")[i % 3]}
            )
    for memory in MEMORIES_GB:
        y = memory * GB / GIB
        fig.add_hline(y=y, line={"dash": "dot", "width": 1, "color": "#999"})
        # On a logarithmic axis a line wants the value and a label its logarithm.
        fig.add_annotation(
            text=f"{memory} GB", x=0, xref="paper", y=math.log10(y), xanchor="left", yanchor="bottom", showarrow=False
        )
    fig.add_vline(x=scenario.seq_len, line={"dash": "dash", "width": 1.5, "color": BLUE})
    return fig


def _compared(scenario: Scenario) -> list[tuple[Text, Scenario]]:
    """The reader's model first, then published ones in the same format and batch."""
    mine = [(Text(f"yours: {model_name(scenario).en}", f"你的：{model_name(scenario).zh}"), scenario)]
    others = [name for name in MODELS_SHOWN if MODELS[name] != scenario.model]
    f = replace(scenario.format, rope_itemsize=None)
    return mine + [(same(name), replace(scenario, model=MODELS[name], format=f)) for name in others]


def _each(sizes: list[tuple[Text, int]], comma: Text, colon: Text) -> Text:
    """Names with the bytes of their caches."""
    return Text(
        comma.en.join(f"{name.en}{colon.en}{gib(n)}" for name, n in sizes),
        comma.zh.join(f"{name.zh}{colon.zh}{gib(n)}" for name, n in sizes),
    )


def _context_alt(scenario: Scenario) -> Text:
    sizes = [(name, _at(s, scenario.seq_len)) for name, s in _compared(scenario)]
    return Told(
        "Line chart of cache size against context. At {seq_len:token}: {sizes}.",
        "缓存随上下文长度变化的折线图。{seq_len} 个 token 时：{sizes}。",
    ).on(scenario, sizes=_each(sizes, Text(", ", "，"), same(" ")))


def _device(scenario: Scenario, lang: Lang) -> go.Figure:
    d, ts = scenario.device, lengths(scenario)
    fig = figure(
        TOKENS.of(lang),
        Text("memory, GiB", "显存，GiB").of(lang),
        xaxis=_ticks(ts),
        yaxis={"range": [0, max(d.memory, d.weights) * 1.25 / GIB]},
    )
    caches = [_at(scenario, t) for t in ts]
    left = [max(0, d.room - cache) for cache in caches]
    layers = (
        (Text("weights", "权重"), [float(d.weights)] * len(ts), BLACK),
        (Text("cache", "缓存"), [float(x) for x in caches], BLUE),
        (Text("left over", "剩余"), [float(x) for x in left], GREEN),
    )
    for i, (name, ys, colour) in enumerate(layers):
        curve(fig, i, name.of(lang), ts, [y / GIB for y in ys], colour)
        fig.data[-1].update(stackgroup="all", hovertemplate="%{y:.2f} GiB")
    fig.add_hline(
        y=d.memory / GIB,
        line={"dash": "dash", "color": VERMILION},
        annotation={"text": f"{short(d.memory_gb)} GB = {gib(d.memory)}"},
        annotation_position="top left",
    )
    return fig


def longest_that_fits(scenario: Scenario) -> int:
    """The longest of `lengths` at which weights and cache fit; 0 if none does."""
    d = scenario.device
    return max((t for t in lengths(scenario) if _at(scenario, t) <= d.room), default=0)


def _device_alt(scenario: Scenario) -> Text:
    return Told(
        "Stacked areas: weights {weights:GiB}, the cache on top, what is left of {memory:GiB}. The longest context "
        "drawn that fits: {fits:token}.",
        "堆叠面积图：权重 {weights:GiB}，上面是缓存，其余是 {memory:GiB} 中剩下的。图中放得下的最长上下文：{fits} "
        "个 token。",
    ).on(scenario.device, fits=longest_that_fits(scenario))


def _read(scenario: Scenario, lang: Lang) -> go.Figure:
    ts, d = lengths(scenario), scenario.device
    fig = figure(
        TOKENS.of(lang),
        Text("least time to read once, ms", "读一遍的最短时间，ms").of(lang),
        xaxis=_ticks(ts),
        yaxis={"type": "log", "dtick": 1},
    )
    curve(fig, 0, Text("the cache", "缓存").of(lang), ts, [d.read_seconds(_at(scenario, t)) * 1e3 for t in ts], BLUE)
    if d.weights:
        curve(fig, 1, Text("the weights", "权重").of(lang), ts, [d.read_seconds(d.weights) * 1e3] * len(ts), BLACK)
    return fig


def _read_alt(scenario: Scenario) -> Text:
    t, d = scenario.seq_len, scenario.device
    cache, weights = (milliseconds(d.read_seconds(n)) for n in (_at(scenario, t), d.weights))
    return Told(
        "Line chart of the least time to read cache and weights once at {bandwidth_tb:short} TB/s. At {t:token}: "
        "cache {cache}, weights {weights}.",
        "以 {bandwidth_tb:short} TB/s 读一遍缓存和权重的最短时间折线图。{t} 个 token 时：缓存 {cache}，权重 "
        "{weights}。",
    ).on(d, t=t, cache=cache, weights=weights)


_FORMATS: tuple[tuple[int, int | None], ...] = ((16, None), (8, None), (8, 32), (4, None), (4, 32))
"""Bits of a number, and how many numbers share a 16-bit scale."""


def _format(bits: int, group: int | None) -> Format:
    return Format(Fraction(bits, 8), group, 2 if group else 0)


def _format_name(bits: int, group: int | None) -> Text:
    if group is None:
        return Text(f"{bits} bits", f"{bits} 位")
    return Text(f"{bits} bits, a scale every {group}", f"{bits} 位，每 {group} 个一个比例因子")


def _formats(scenario: Scenario, lang: Lang) -> go.Figure:
    ts = lengths(scenario)
    fig = figure(
        TOKENS.of(lang), Text("cache, GiB", "缓存，GiB").of(lang), xaxis=_ticks(ts), yaxis={"type": "log", "dtick": 1}
    )
    for i, (bits, group) in enumerate(_FORMATS):
        s = replace(scenario, format=_format(bits, group))
        curve(fig, i, _format_name(bits, group).of(lang), ts, [_at(s, t) / GIB for t in ts], COLOURS[i])
    return fig


def _formats_alt(scenario: Scenario) -> Text:
    caches = [(_format_name(*f), _at(replace(scenario, format=_format(*f)), scenario.seq_len)) for f in _FORMATS]
    return Told(
        "Line chart of the cache in several number formats. At {seq_len:token}: {sizes}.",
        "几种数值格式下缓存的折线图。{seq_len} 个 token 时：{sizes}。",
    ).on(scenario, sizes=_each(caches, Text("; ", "；"), Text(": ", "：")))


_UNCHECKED = tuple(name for name in MODELS_SHOWN if not MODELS[name].verified)
_CAVEAT = Text(
    f" Numbers not checked in the publisher’s own files: {listed(_UNCHECKED).en}.",
    f"数字未在发布者文件中核对的：{listed(_UNCHECKED).zh}。",
)

CONTEXT: Chart[Scenario] = Chart(
    "context",
    Text("Bytes against context, several models", "缓存随上下文增长：几个模型"),
    Text(
        "Same format and number of sequences for all; both axes are logarithmic. A straight rise is linear growth; "
        "a curve that flattens has windows. Dotted lines: device memory in GB, drawn on the GiB axis; the dashed "
        "line is your length. A curve may run past the length its model was made for."
        + (_CAVEAT.en if _UNCHECKED else ""),
        "格式和序列数都相同；两轴均为对数。直线上升就是线性增长；变平的曲线带有窗口。点线是以 GB 计的设备显存，画在"
        " GiB 轴上；竖虚线是你的长度。曲线可能超出模型所支持的长度。" + (_CAVEAT.zh if _UNCHECKED else ""),
    ),
    _context,
    _context_alt,
)

DEVICE: Chart[Scenario] = Chart(
    "device",
    Text("Weights, cache and what is left", "权重、缓存与剩余"),
    Text(
        "The device, the parameters and their bits are yours to change. Above the dashed line nothing fits. What "
        "is left is not free: workspace, fragments and sequences that still grow come out of it. The number of "
        "parameters is taken from the model’s name, or is your own.",
        "设备、参数量和位数都可以改。虚线以上放不下。剩余的并不空闲：工作区、碎片和还在增长的序列都要用它。参数量取"
        "自模型名称，或由你填写。",
    ),
    _device,
    _device_alt,
)

READ: Chart[Scenario] = Chart(
    "read",
    Text("The time just to read it", "光是读一遍要多久"),
    Text(
        "Bytes divided by bandwidth: a lower bound for a decode step, which reads all of the cache and the weights "
        "once. It is computed, not measured; real kernels need longer.",
        "字节数除以带宽：这是一个解码步的下限，因为它要把缓存和权重各读一遍。这是算出来的，不是测出来的；真正的内核"
        "更慢。",
    ),
    _read,
    _read_alt,
)

FORMATS: Chart[Scenario] = Chart(
    "formats",
    Text("Fewer bits, with and without scales", "更少的位，带与不带比例因子"),
    Text(
        f"Your model in formats of fewer bits. A scale takes {_format(4, 32).scale_bytes} bytes here. What fewer "
        "bits do to the answers is not on this chart.",
        f"你的模型换成更少的位。这里一个比例因子占 {_format(4, 32).scale_bytes} 字节。位数减少对回答有什么影响，这张"
        "图不说明。",
    ),
    _formats,
    _formats_alt,
)
