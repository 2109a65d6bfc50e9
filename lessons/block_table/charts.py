"""What changes with the block size and with the length: waste, table entries, memory reserved against memory held."""

from __future__ import annotations

from functools import lru_cache

import plotly.graph_objects as go

from engine.paged import blocks_for
from engine.paged_output import Scenario
from engine.serving import Waste, chat_lengths, power_of_two_waste, static_waste
from lessons.block_table.form import MOST_BLOCK_SIZE
from lessons.block_table.prose import VLLM_BLOCK
from lessons.kit.charts import BLUE, GREEN, ORANGE, PURPLE, VERMILION, Chart, curve, figure
from lessons.kit.format import count, fixed
from lessons.kit.text import Lang, Text
from lessons.kit.told import Told

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
LONGEST = 2_048
_BY_SIZE = {"type": "log", "tickvals": SIZES, "ticktext": [str(b) for b in SIZES]}


@lru_cache(maxsize=1)
def _lengths() -> tuple[int, ...]:
    return chat_lengths(longest=LONGEST)


@lru_cache(maxsize=32)
def waste(block_size: int) -> Waste:
    """What the made-up chats waste in blocks of this size (case T60)."""
    return static_waste(_lengths(), block_size)


def sizes(scenario: Scenario) -> list[int]:
    """The block sizes charted, the reader's among them."""
    return sorted({*SIZES, scenario.block_size})


def _trade(scenario: Scenario, lang: Lang) -> go.Figure:
    n, xs = len(_lengths()), sizes(scenario)
    fig = figure(
        Text("block size (tokens)", "块大小（token 数）").of(lang),
        Text("per sequence", "每条序列").of(lang),
        xaxis=_BY_SIZE,
        yaxis={"type": "log", "range": [-1, 3.2]},
    )
    curve(
        fig,
        0,
        Text("empty slots in the last block", "末块里空的槽位").of(lang),
        xs,
        [waste(b).wasted_tokens / n or None for b in xs],
        VERMILION,
    )
    curve(
        fig,
        1,
        Text("(block size − 1) / 2", "（块大小 − 1）/ 2").of(lang),
        xs,
        [(b - 1) / 2 or None for b in xs],
        ORANGE,
    )
    curve(fig, 2, Text("table entries", "块表项").of(lang), xs, [waste(b).blocks / n for b in xs], BLUE)
    _mark(fig, scenario)
    return fig


def _mark(fig: go.Figure, scenario: Scenario) -> None:
    fig.add_vline(x=scenario.block_size, line={"dash": "dot", "color": PURPLE})


def _trade_alt(scenario: Scenario) -> Text:
    n = len(_lengths())
    parts = [(b, fixed(waste(b).wasted_tokens / n, 2), fixed(waste(b).blocks / n, 2)) for b in (4, 16, 256)]
    return Text(
        "Two curves against block size, both axes logarithmic: slots wasted per sequence rise, table entries fall. "
        + "; ".join(f"at {b}: {w} slots, {e} entries" for b, w, e in parts)
        + ".",
        "两条曲线，横轴是块大小，两轴都是对数：每条序列浪费的槽位上升，块表项下降。"
        + "；".join(f"块大小 {b}：{w} 个槽位，{e} 项" for b, w, e in parts)
        + "。",
    )


def _percent(wasted: int, tokens: int) -> float:
    return 100 * wasted / (wasted + tokens)


def _share(scenario: Scenario, lang: Lang) -> go.Figure:
    tokens, xs = sum(_lengths()), sizes(scenario)
    reserved, powers = waste(LONGEST).wasted_tokens, power_of_two_waste(_lengths()).wasted_tokens
    fig = figure(
        Text("block size (tokens)", "块大小（token 数）").of(lang),
        Text("empty (% of the slots held)", "空着（占用槽位的 %）").of(lang),
        xaxis=_BY_SIZE,
        yaxis={"range": [0, 60]},
    )
    curve(
        fig,
        0,
        Text(f"{count(LONGEST)} reserved for each", f"每条预留 {count(LONGEST)}").of(lang),
        xs,
        [_percent(reserved, tokens)] * len(xs),
        VERMILION,
    )
    curve(
        fig,
        1,
        Text("one piece, rounded up to a power of 2", "一整段，向上取 2 的幂").of(lang),
        xs,
        [_percent(powers, tokens)] * len(xs),
        ORANGE,
    )
    curve(fig, 2, Text("paged", "分页").of(lang), xs, [_percent(waste(b).wasted_tokens, tokens) for b in xs], BLUE)
    _mark(fig, scenario)
    return fig


def _share_alt(scenario: Scenario) -> Text:
    tokens = sum(_lengths())
    powers = power_of_two_waste(_lengths()).wasted_tokens
    reserved, two, paged = (
        fixed(_percent(w, tokens), 2) for w in (waste(LONGEST).wasted_tokens, powers, waste(VLLM_BLOCK).wasted_tokens)
    )
    return Text(
        f"Share of memory wasted for {count(len(_lengths()))} sequences: {reserved} % when {count(LONGEST)} slots "
        f"are reserved for each, {two} % when one piece is rounded up to a power of 2, {paged} % paged in blocks of "
        f"{VLLM_BLOCK}.",
        f"{count(len(_lengths()))} 条序列浪费的内存：每条预留 {count(LONGEST)} 个槽位时 {reserved} %，向上取 2 的幂时 "
        f"{two} %，用 {VLLM_BLOCK} 个槽位的块分页时 {paged} %。",
    )


def _growth(scenario: Scenario, lang: Lang) -> go.Figure:
    size, most = scenario.block_size, scenario.most
    xs = list(range(most + 1))
    fig = figure(
        Text("tokens so far", "目前的 token 数").of(lang),
        Text("slots held", "占用的槽位数").of(lang),
        xaxis={"range": [0, most]},
        yaxis={"range": [0, most + MOST_BLOCK_SIZE]},
    )
    curve(fig, 0, Text(f"one piece of {most}", f"一整段 {most} 个").of(lang), xs, [float(most)] * len(xs), VERMILION)
    curve(
        fig,
        1,
        Text(f"paged, block size {size}", f"分页，块大小 {size}").of(lang),
        xs,
        [float(blocks_for(n, size) * size) for n in xs],
        BLUE,
    )
    curve(fig, 2, Text("tokens stored", "存着的 token").of(lang), xs, [float(n) for n in xs], GREEN)
    fig.data[1].line.shape = "vh"
    return fig


def _growth_alt(scenario: Scenario) -> Text:
    size, n, most = scenario.block_size, scenario.n_final, scenario.most
    taken = blocks_for(n, size) * size
    return Told(
        "Slots held while a sequence grows. Paged, they are a staircase with steps of {size}: {taken:slot} at "
        "{n:token}. One piece takes {most} from the start.",
        "序列增长时占用的槽位数。分页是每级 {size} 的阶梯：{n} 个 token 时占 {taken} 个槽位。一整段从一开始就占 "
        "{most} 个。",
    ).on(size=size, n=n, taken=taken, most=most)


CHARTS: tuple[Chart[Scenario], ...] = (
    Chart(
        "trade",
        Text("Empty slots against table entries", "空槽位与块表项的取舍"),
        Told(
            "Both curves are means over {n} made-up lengths, the same for every reader. A larger block leaves more of "
            "the last block empty, on average (block size − 1) / 2 slots; a smaller block needs more table entries. "
            "The dotted line is your block size. Blocks of one slot leave none empty, so the first two curves begin "
            "at 2.",
            "两条曲线都是 {n} 个虚构长度的平均，人人相同。块越大，末块空得越多，平均（块大小 − 1）/ 2 个槽位；块越小，"
            "块表项越多。点线是你的块大小。只有一个槽位的块没有空的，所以前两条曲线从 2 开始。",
        ).on(n=len(_lengths())),
        _trade,
        _trade_alt,
    ),
    Chart(
        "share",
        Text("Reserving the longest length, against paging", "按最长预留与分页相比"),
        Text(
            "The same lengths. Only final lengths count here. While a sequence still grows, a reserved piece is "
            "emptier than this.",
            "同样的长度。这里只看最终长度；序列还在增长时，预留的一段比这更空。",
        ),
        _share,
        _share_alt,
    ),
    Chart(
        "growth",
        Text("Memory held while one sequence grows", "一条序列增长时占用的内存"),
        Text(
            "Between the staircase and the slope lie the empty slots of the last block. Between the staircase and the "
            "level line lies what one piece of the longest length takes from other requests.",
            "阶梯与斜线之间是末块里的空槽位；阶梯与横线之间，是一整段最长长度从别的请求那里占走的。",
        ),
        _growth,
        _growth_alt,
    ),
)
