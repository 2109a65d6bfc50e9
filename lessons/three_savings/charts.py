"""Each ledger against the length of the prompt, by formula: the same counts as the running decoder's."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import plotly.graph_objects as go

from engine.three_ledgers import ALL_ON, Ledgers, Switches, from_shapes
from engine.three_savings import Scenario
from lessons.kit.charts import BLUE, GREEN, ORANGE, PURPLE, VERMILION, Chart, curve, figure
from lessons.kit.format import count, fixed
from lessons.kit.text import Lang, Text
from lessons.three_savings.ways import named

LENGTHS = tuple(2**i for i in range(4, 15))
CACHE, TILES, CACHE_TILES = Switches(cache=True), Switches(tiles=True), Switches(cache=True, tiles=True)
OFF = Switches()


@lru_cache(maxsize=64)
def growth(n_new: int, tile_size: int, block_size: int, switches: Switches) -> tuple[Ledgers, ...]:
    """The ledgers at each of LENGTHS; without paging the cache sets aside what the longest needs."""
    most = LENGTHS[-1] + n_new
    return tuple(
        from_shapes(n, n_new, switches, tile_size=tile_size, block_size=block_size, max_len=most) for n in LENGTHS
    )


def slope(ys: list[int]) -> float:
    """Of the last doubling, on log–log axes: 2 is quadratic, 1 linear, 0 flat."""
    return float(np.log2(ys[-1] / ys[-2]))


def _series(scenario: Scenario, switches: Switches, value: Callable[[Ledgers], int]) -> list[int]:
    return [value(x) for x in growth(scenario.n_new, scenario.tile_size, scenario.block_size, switches)]


def _draw(
    scenario: Scenario, lang: Lang, unit: Text, value: Callable[[Ledgers], int], ways: tuple[tuple[Switches, Text], ...]
) -> go.Figure:
    ys = [_series(scenario, switches, value) for switches, _ in ways]
    low, high = min(map(min, ys)), max(map(max, ys))
    fig = figure(
        Text("tokens in the prompt", "提示的 token 数").of(lang),
        unit.of(lang),
        xaxis={"type": "log", "tickvals": LENGTHS[::2], "ticktext": [count(n) for n in LENGTHS[::2]]},
        yaxis={
            "type": "log",
            "range": [np.log10(low) - 0.2, np.log10(high) + 0.2],
            "exponentformat": "power",
            "dtick": 1,
        },
    )
    for i, ((_, name), y) in enumerate(zip(ways, ys, strict=True)):
        curve(fig, i, name.of(lang), LENGTHS, [float(v) for v in y], (BLUE, ORANGE, GREEN, VERMILION, PURPLE)[i])
    return fig


WORK = (
    (OFF, Text("cache off (4 ways)", "缓存关（4 种）")),
    (CACHE, Text("cache on (4 ways)", "缓存开（4 种）")),
)
MOVED = (
    (OFF, Text("cache off, tiles off", "缓存关、分块关")),
    (TILES, Text("cache off, tiles on", "缓存关、分块开")),
    (CACHE, Text("cache on, tiles off", "缓存开、分块关")),
    (CACHE_TILES, Text("cache on, tiles on", "缓存开、分块开")),
)
RESIDENT = tuple((switches, named(switches)) for switches in (OFF, TILES, CACHE_TILES, ALL_ON))


def _alt(
    what: Text, value: Callable[[Ledgers], int], ways: tuple[tuple[Switches, Text], ...]
) -> Callable[[Scenario], Text]:
    def alt(scenario: Scenario) -> Text:
        parts = [(name, s[-1], fixed(slope(s), 2)) for name, s in ((n, _series(scenario, w, value)) for w, n in ways)]
        en = "; ".join(f"{name.en} {count(last)}, slope {k}" for name, last, k in parts)
        zh = "；".join(f"{name.zh} {count(last)}，斜率 {k}" for name, last, k in parts)
        return Text(
            f"Line chart on log–log axes: {what.en} up to {count(LENGTHS[-1])} tokens. At the end: {en}.",
            f"双对数折线图：{what.zh}，直到 {count(LENGTHS[-1])} 个 token。末端：{zh}。",
        )

    return alt


CHARTS: tuple[Chart[Scenario], ...] = (
    Chart(
        "work",
        Text("Work against length", "计算随长度增长"),
        Text(
            "Pairs of all heads for your number of new tokens. Tiles and paging change nothing here. With the number "
            "of new tokens fixed, the cache shifts the "
            "line down and does not tilt it: parallel lines on these axes grow alike.",
            "按你的新 token 数，全部头的配对数。分块和分页在这里不起作用。新 token 数固定时，缓存把线往下移，却不改变"
            "倾斜：在这种坐标里，平行线的增长方式相同。",
        ),
        lambda s, lang: _draw(s, lang, Text("query·key pairs", "查询·键配对"), lambda x: x.pairs, WORK),
        _alt(Text("pairs", "配对数"), lambda x: x.pairs, WORK),
    ),
    Chart(
        "moved",
        Text("Bytes moved against length", "搬运字节随长度增长"),
        Text(
            "Tiles lower both lines, but they stay as steep: K and V are read again for every tile of queries. A "
            "larger tile lowers them further. Paging is not drawn: it "
            "moves the same rows.",
            "分块把两条线都压低，但一样陡：每个查询分块都要重读 K、V。分块越大压得越低。没有画分页：它搬的是同样的行。",
        ),
        lambda s, lang: _draw(s, lang, Text("bytes moved by attention", "注意力搬运的字节"), lambda x: x.moved, MOVED),
        _alt(Text("bytes moved", "搬运字节"), lambda x: x.moved, MOVED),
    ),
    Chart(
        "resident",
        Text("Bytes resident against length", "驻留字节随长度增长"),
        Text(
            "Without tiles the tables of one head win in the end: they are quadratic. Without paging the cache is a "
            "flat line, set aside for the longest prompt "
            "drawn; with paging it grows with what is really there. With tiles alone it is lowest: it keeps nothing "
            "between passes, and computes everything again.",
            "不分块时，一个头的分数表最终占上风：它们是平方级。不分页时缓存是一条平线，按图中最长的提示预留；分页后随"
            "实际内容增长。"
            "只开分块的线最低：它在各遍之间什么都不留，于是样样重算。",
        ),
        lambda s, lang: _draw(
            s, lang, Text("bytes resident, fullest moment", "最满时驻留的字节"), lambda x: x.resident.total, RESIDENT
        ),
        _alt(Text("bytes resident", "驻留字节"), lambda x: x.resident.total, RESIDENT),
    ),
)
