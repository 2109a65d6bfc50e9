"""What grows: reference counts by step, blocks saved by a shared prefix, tokens of a prompt that can be reused."""

from __future__ import annotations

from dataclasses import replace

import plotly.graph_objects as go

from engine.paged import blocks_for
from engine.prefix_cache import reusable_tokens
from engine.shared_blocks import HAND_OUT, Mistake, Scenario
from lessons.copy_on_write.naming import MODEL, kv_bytes
from lessons.copy_on_write.steps import narrate
from lessons.copy_on_write.trace import trace
from lessons.kit.charts import BLUE, GREEN, ORANGE, PURPLE, VERMILION, Chart, curve, figure
from lessons.kit.format import size
from lessons.kit.text import Lang, Text

COLOURS = (BLUE, ORANGE, GREEN, VERMILION, PURPLE)
MOST_CURVES = 5
SHARERS = (2, 4, 8)
SIZE = 16  # vLLM's default block
TAIL = 4  # tokens each request has of its own


# --- reference counts


def _counts(scenario: Scenario) -> tuple[int, dict[str, list[int]]]:
    """How many steps, and the reference counts at each; blocks with the same counts throughout are named together."""
    steps = list(trace(scenario))
    held = [b for b in HAND_OUT if steps[-1].memory.ref_counts[b]]
    together: dict[tuple[int, ...], list[int]] = {}
    for b in held:
        together.setdefault(tuple(s.memory.ref_counts[b] for s in steps), []).append(b)
    most = sorted(together, key=max, reverse=True)[:MOST_CURVES]
    return len(steps), {", ".join(map(str, together[counts])): list(counts) for counts in most}


def _references(scenario: Scenario, lang: Lang) -> go.Figure:
    _, counts = _counts(scenario)
    right = trace(replace(scenario, mistake=Mistake.NONE))  # a wrong way stops in the same places
    x = [f"{i + 1}: {narrate(scenario, step, None).title.of(lang)}" for i, step in enumerate(right)]
    top = max(max(ys) for ys in counts.values())
    fig = figure(
        Text("step", "步骤").of(lang),
        Text("references", "引用计数").of(lang),
        xaxis={"type": "category"},
        yaxis={"range": [-0.2, top + 0.3], "dtick": 1},
    )
    for i, (blocks, ys) in enumerate(counts.items()):
        curve(fig, i, Text(f"block {blocks}", f"块 {blocks}").of(lang), x, ys, COLOURS[i])
    fig.update_traces(line_shape="hv")
    fig.update_layout(showlegend=True)  # Plotly would hide the name of an only curve
    return fig


def _references_alt(scenario: Scenario) -> Text:
    n, counts = _counts(scenario)
    most = {b: max(ys) for b, ys in counts.items()}
    en = ", ".join(f"block {b}: at most {most[b]}, at the end {ys[-1]}" for b, ys in counts.items())
    zh = "，".join(f"块 {b}：最多 {most[b]}，最后 {ys[-1]}" for b, ys in counts.items())
    return Text(f"Reference counts over {n} steps: {en}.", f"{n} 步中的引用计数：{zh}。")


# --- memory


def resident(n_requests: int, prefix: int, block_size: int) -> int:
    """Blocks for requests with a common prefix and TAIL tokens each of their own, full blocks of the prefix shared."""
    full = prefix // block_size
    return full + n_requests * (blocks_for(prefix + TAIL, block_size) - full)


def saved(n_requests: int, prefix: int, block_size: int) -> int:
    """Blocks that sharing saves."""
    return n_requests * blocks_for(prefix + TAIL, block_size) - resident(n_requests, prefix, block_size)


def _memory(scenario: Scenario, lang: Lang) -> go.Figure:
    size_ = scenario.block_size
    block = kv_bytes(size_) / 2**20
    xs = list(range(0, 6 * size_ + 1))
    top = max(saved(n, xs[-1], size_) for n in SHARERS) * block
    fig = figure(
        Text("tokens in common", "相同的 token 数").of(lang),
        Text("MiB saved", "省下的 MiB").of(lang),
        xaxis={"range": [0, xs[-1]], "dtick": size_},
        yaxis={"range": [-0.02 * top, 1.06 * top]},
    )
    for i, n in enumerate(SHARERS):
        name = Text(f"{n} requests", f"{n} 个请求").of(lang)
        curve(fig, i, name, xs, [saved(n, x, size_) * block for x in xs], COLOURS[i])
    fig.update_traces(line_shape="hv", marker_size=5)
    return fig


def _memory_alt(scenario: Scenario) -> Text:
    size_ = scenario.block_size
    block, x = kv_bytes(size_), 6 * size_
    parts = [(n, size(saved(n, x, size_) * block)) for n in SHARERS]
    en = ", ".join(f"{n} requests {s}" for n, s in parts)
    zh = "，".join(f"{n} 个请求 {s}" for n, s in parts)
    return Text(
        f"Stairs, one step each {size_} tokens. With {x} tokens in common sharing saves: {en}.",
        f"阶梯图，每 {size_} 个 token 上升一级。有 {x} 个相同的 token 时省下：{zh}。",
    )


# --- reuse


def _reuse(scenario: Scenario, lang: Lang) -> go.Figure:
    n = 4 * SIZE
    xs = list(range(1, n + 1))
    fig = figure(
        Text("prompt tokens, all of them cached", "提示的 token 数（全部缓存过）").of(lang),
        Text("tokens reused", "复用的 token 数").of(lang),
        xaxis={"range": [0, n], "dtick": SIZE},
        yaxis={"range": [0, n]},
    )
    for i, size_ in enumerate((1, scenario.block_size, SIZE)):
        name = Text(f"block size {size_}", f"块大小 {size_}").of(lang)
        curve(fig, i, name, xs, [reusable_tokens(x, x, size_) for x in xs], COLOURS[i])
    curve(fig, 3, Text("the whole prompt", "整个提示").of(lang), [1, n], [1, n], COLOURS[3])
    fig.update_traces(line_shape="hv", marker_size=4, selector=lambda t: len(t.x) > 2)
    return fig


def _reuse_alt(scenario: Scenario) -> Text:
    n = 3 * SIZE
    parts = [(s, reusable_tokens(n, n, s)) for s in (1, scenario.block_size, SIZE)]
    en = ", ".join(f"block size {s}: {r}" for s, r in parts)
    zh = "，".join(f"块大小 {s}：{r}" for s, r in parts)
    return Text(
        f"Stairs that always stay below the whole prompt. Of {n} tokens are reused: {en}.",
        f"阶梯图，始终低于整个提示。{n} 个 token 中复用：{zh}。",
    )


CHARTS: tuple[Chart[Scenario], ...] = (
    Chart(
        "references",
        Text("Reference counts, step by step", "逐步的引用计数"),
        Text(
            "A count of 2 says: look before you write. With a mistake chosen, the wrong way is drawn. The blocks "
            "shared most are shown.",
            "计数为 2 意味着：写之前先看一看。若选了一种错误，画的是错误做法。这里显示共享最多的几块。",
        ),
        _references,
        _references_alt,
    ),
    Chart(
        "memory",
        Text("Memory saved by a common prefix", "公共前缀省下的内存"),
        Text(
            f"Requests with a common prefix and {TAIL} tokens each of their own, full blocks shared, in bytes of "
            f"{MODEL}. Your block size sets the stairs: a prefix that does not fill a block saves nothing.",
            f"各请求有公共前缀，另有 {TAIL} 个自己的 token；只共享满块，按 {MODEL} 的字节计。台阶由你的块大小决定："
            "装不满一块的前缀什么也省不了。",
        ),
        _memory,
        _memory_alt,
    ),
    Chart(
        "reuse",
        Text("How much of a cached prompt is reused", "缓存过的提示能复用多少"),
        Text(
            "Full blocks only, and never the whole prompt: its last token must be run to learn what comes next. "
            "Where a prompt just fills its blocks, a whole block is computed again.",
            "只复用满块，而且从不复用整个提示：最后一个 token 必须运行，才知道下一个是什么。提示恰好装满各块时，要"
            "重算整整一块。",
        ),
        _reuse,
        _reuse_alt,
    ),
)
