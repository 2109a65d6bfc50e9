"""Rounded K, rounded V: what each moves in the little decoder. Computed when it is first drawn, and kept."""

from __future__ import annotations

import math
from functools import lru_cache
from operator import attrgetter

import plotly.graph_objects as go

from engine.generation import CONFIG
from engine.kv_error import LENGTH, Effect, Largest, Part, effect, scaled
from engine.kv_size import Scenario
from lessons.kit.charts import BLUE, GREEN, VERMILION, Chart, curve, figure
from lessons.kit.format import short
from lessons.kit.text import Lang, Text

BITS = (8, 7, 6, 5, 4, 3, 2)
SAID = 4  # the bits whose numbers stand in the words
LAYER, HEAD = 0, 0  # looked at: the first layer that reads the cache

PARTS: dict[Part, tuple[Text, str]] = {
    Part.K: (Text("K rounded", "舍入 K"), BLUE),
    Part.V: (Text("V rounded", "舍入 V"), VERMILION),
    Part.BOTH: (Text("both", "K、V 都舍入"), GREEN),
}
PANELS = tuple(
    (name, attrgetter(name.en))
    for name in (Text("scores", "分数"), Text("weights", "权重"), Text("output", "输出"), Text("logits", "logits"))
)
HEIGHT, GAP = 160, 0.05  # of a panel in pixels, between panels as a share of the whole


def at(part: Part, bits: int = SAID, layer: int = LAYER) -> Effect:
    return effect(part, scaled(bits), layer=layer, head=HEAD)


def moved(part: Part, bits: int = SAID, layer: int = LAYER) -> Largest:
    """Largest |Δ| in the head that is looked at, and of the logits."""
    return at(part, bits, layer).largest


def small(x: float) -> str:
    """A difference, two digits; 0 only where it is exactly 0.

    >>> small(0.0158), small(0.0), small(0.7049)
    ('0.016', '0', '0.7')
    """
    return short(float(f"{x:.2g}"))


def weights_moved(part: Part) -> Text:
    """How many of the weights differ at all: `13 of 13 weights`."""
    e = at(part)
    return Text(f"{e.weights_moved} of {len(e.exact.p)} weights", f"{len(e.exact.p)} 个权重中有 {e.weights_moved} 个")


@lru_cache(maxsize=2)
def _drawn(lang: Lang) -> go.Figure:
    """The same figure for every Scenario: nothing in it depends on the reader."""
    largest = {(part, bits): moved(part, bits) for part in PARTS for bits in BITS}
    sizes = [x for one in largest.values() for _, of in PANELS if (x := of(one)) > 0]
    low, high = math.floor(math.log10(min(sizes))), math.ceil(math.log10(max(sizes)))
    zero = 10 ** (low - 0.7)  # a logarithmic axis has no 0: it is drawn below the axis's end
    ticks = [10.0**n for n in range(low, high + 1)]
    y = {
        "type": "log",
        "range": [low - 0.95, high + 0.15],
        "tickvals": [zero, *ticks],
        "ticktext": ["0", *(f"{tick:g}" for tick in ticks)],
    }
    fig = figure(
        Text("bits a number in the cache", "缓存中每个数的位数").of(lang),
        "",
        xaxis={"range": [BITS[0] + 0.3, BITS[-1] - 0.3], "tickvals": list(BITS), "anchor": f"y{len(PANELS)}"},
    )
    each = (1 - GAP * (len(PANELS) - 1)) / len(PANELS)
    for i, (name, of) in enumerate(PANELS):
        top = 1 - i * (each + GAP)
        title = {"text": f"Δ {name.of(lang)}"}
        fig.update_layout({_axis("yaxis", i): {**y, "title": title, "domain": [max(0.0, top - each), top]}})
        for j, (part, (word, colour)) in enumerate(PARTS.items()):
            xs = [of(largest[part, bits]) for bits in BITS]
            label = Text(f"Δ {name.en}, {word.en}", f"Δ {name.zh}，{word.zh}").of(lang)
            curve(fig, j, label if i else word.of(lang), BITS, [x or zero for x in xs], colour)
            fig.data[-1].update(
                yaxis=_axis("y", i),
                legendgroup=part.value,
                showlegend=i == 0,
                customdata=[small(x) for x in xs],
                hovertemplate=f"{label}{Text(': ', '：').of(lang)}%{{customdata}}<extra></extra>",
            )
            if part is Part.BOTH:  # where it coincides with K, both are seen
                fig.data[-1].update(
                    marker={"symbol": "diamond-open", "size": 13, "line": {"width": 2}}, line={"width": 1.5}
                )
    fig.update_layout(height=HEIGHT * len(PANELS) + 80)
    return fig


def _axis(name: str, i: int) -> str:
    return name if i == 0 else f"{name}{i + 1}"


def _alt(scenario: Scenario) -> Text:
    def line(name: Text, of: attrgetter[float]) -> Text:
        k, v, both = (small(of(moved(part))) for part in PARTS)
        return Text(f"{name.en} {k}, {v}, {both}", f"{name.zh} {k}、{v}、{both}")

    lines = [line(name, of) for name, of in PANELS]
    return Text(
        f"Four panels of lines, from {BITS[0]} bits to {BITS[-1]}: the largest change of scores, weights, output "
        "and logits. With V rounded those of scores and weights lie on 0 throughout; the others grow as bits are "
        f"taken away, if not at every one. At {SAID} bits, for K, V and both: "
        f"{'; '.join(line.en for line in lines)}.",
        f"四幅折线图，从 {BITS[0]} 位到 {BITS[-1]} 位：分数、权重、输出和 logits 的最大变化。舍入 V 时，分数和权重的"
        f"变化始终是 0；其余的大体随位数减少而变大。{SAID} 位时，依次为舍入 K、舍入 V、都舍入："
        f"{'；'.join(line.zh for line in lines)}。",
    )


K_SAID, V_SAID, _BOTH = (moved(part) for part in PARTS)
_DEEPER = moved(Part.V, layer=LAYER + 1)

ROUNDED: Chart[Scenario] = Chart(
    "rounded",
    Text("Rounded K, rounded V: what each moves", "舍入 K、舍入 V：各自改变什么"),
    Text(
        f"The little decoder caches {LENGTH} tokens; the cache is rounded to whole numbers of so many bits, with an "
        f"exact scale for each vector of {CONFIG.head_dim}, and one more token is run over it. Δ is the largest "
        f"change against the run without rounding, in head {HEAD} of layer {LAYER}, the first to read the cache, "
        f"and in the logits; the vertical axes are logarithmic, with 0 set apart below. At {SAID} bits **K "
        f"rounded** moves the scores (each by q · ΔK ÷ √d) up to {small(K_SAID.scores)}, through softmax "
        f"{weights_moved(Part.K).en}, up to {small(K_SAID.weights)}, and so the output, up to "
        f"{small(K_SAID.output)}. **V rounded** moves scores and weights by {small(V_SAID.scores)}, bit for bit, "
        f"and the output by Σ p · ΔV, up to {small(V_SAID.output)}. One layer further the error of V is already in "
        f"the query and moves scores as well, up to {small(_DEEPER.scores)}. Errors can cancel: the logits move by "
        f"{small(K_SAID.logits)} with K, {small(V_SAID.logits)} with V, {small(_BOTH.logits)} with both. A little "
        "decoder with weights from a formula is no trained model: which error is the larger here does not say "
        "which one hurts more in practice.",
        f"小解码器先缓存 {LENGTH} 个 token，再把缓存舍入成相应位数的整数（每个向量 {CONFIG.head_dim} 个数，共用一个"
        f"精确的比例因子），然后处理下一个 token。Δ 是与不舍入相比的最大变化，取自第 {LAYER} 层（最先读缓存）的第 "
        f"{HEAD} 个头，以及 logits；纵轴是对数轴，0 单独画在下方。{SAID} 位时，**舍入 K** 改变分数（每个变 q · ΔK ÷ "
        f"√d），最多 {small(K_SAID.scores)}；经过 softmax，{weights_moved(Part.K).zh}改变，最多 "
        f"{small(K_SAID.weights)}；输出随之改变，最多 {small(K_SAID.output)}。**舍入 V** 时，分数和权重的变化是 "
        f"{small(V_SAID.scores)}，逐位不变；输出变 Σ p · ΔV，最多 {small(V_SAID.output)}。再往上一层，V 的误差已进入"
        f"查询，也会改变那里的分数，最多 {small(_DEEPER.scores)}。误差还可能抵消：logits 的变化，舍入 K 时 "
        f"{small(K_SAID.logits)}，舍入 V 时 {small(V_SAID.logits)}，都舍入时 {small(_BOTH.logits)}。小解码器的权重由"
        "公式给出，不是训练出来的：这里哪种误差更大，并不说明实际中哪种影响更大。",
    ),
    lambda scenario, lang: _drawn(lang),
    _alt,
)
