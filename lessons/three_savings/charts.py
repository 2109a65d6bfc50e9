"""Each ledger against the length of the prompt, by formula: the same counts as the running decoder's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from engine.three_ledgers import (
    ALL_OFF,
    ALL_ON,
    CACHE,
    CACHE_TILES,
    TILES,
    Ledger,
    Ledgers,
    Switches,
    from_shapes,
)
from engine.three_savings import Scenario
from lessons.kit.charts import BLUE, GREEN, ORANGE, PURPLE, VERMILION, Chart, curve, figure
from lessons.kit.format import count, fixed
from lessons.kit.text import Lang, Text
from lessons.three_savings.naming import named

LENGTHS = tuple(2**i for i in range(4, 15))


def growth(n_new: int, tile_size: int, block_size: int, switches: Switches) -> tuple[Ledgers, ...]:
    """The ledgers at each of LENGTHS; without paging the cache sets aside what the longest needs."""
    most = LENGTHS[-1] + n_new
    return tuple(
        from_shapes(n, n_new, switches, tile_size=tile_size, block_size=block_size, max_len=most) for n in LENGTHS
    )


def slope(ys: list[int]) -> float:
    """Of the last doubling, on log–log axes: 2 is quadratic, 1 linear, 0 flat."""
    return float(np.log2(ys[-1] / ys[-2]))


@dataclass(frozen=True)
class Growth:
    """One ledger of a few ways, each with its name in the legend. `unit` stands on the axis, `what` in words."""

    ledger: Ledger
    unit: Text
    what: Text
    ways: tuple[tuple[Switches, Text], ...]

    def series(self, s: Scenario) -> list[tuple[Text, list[int]]]:
        return [
            (name, [x.amount(self.ledger) for x in growth(s.n_new, s.tile_size, s.block_size, switches)])
            for switches, name in self.ways
        ]

    def draw(self, scenario: Scenario, lang: Lang) -> go.Figure:
        series = self.series(scenario)
        low, high = min(min(ys) for _, ys in series), max(max(ys) for _, ys in series)
        fig = figure(
            Text("tokens in the prompt", "提示的 token 数").of(lang),
            self.unit.of(lang),
            xaxis={"type": "log", "tickvals": LENGTHS[::2], "ticktext": [count(n) for n in LENGTHS[::2]]},
            yaxis={
                "type": "log",
                "range": [np.log10(low) - 0.2, np.log10(high) + 0.2],
                "exponentformat": "power",
                "dtick": 1,
            },
        )
        for i, (name, ys) in enumerate(series):
            curve(fig, i, name.of(lang), LENGTHS, [float(y) for y in ys], (BLUE, ORANGE, GREEN, VERMILION, PURPLE)[i])
        return fig

    def alt(self, scenario: Scenario) -> Text:
        parts = [(name, count(ys[-1]), fixed(slope(ys), 2)) for name, ys in self.series(scenario)]
        en = "; ".join(f"{name.en} {last}, slope {k}" for name, last, k in parts)
        zh = "；".join(f"{name.zh} {last}，斜率 {k}" for name, last, k in parts)
        return Text(
            f"Line chart on log–log axes: {self.what.en} up to {count(LENGTHS[-1])} tokens. At the end: {en}.",
            f"双对数折线图：{self.what.zh}，直到 {count(LENGTHS[-1])} 个 token。末端：{zh}。",
        )


WORK = Growth(
    "work",
    Text("query·key pairs", "查询·键配对"),
    Text("pairs", "配对数"),
    (
        (ALL_OFF, Text("cache off (4 ways)", "缓存关（4 种）")),
        (CACHE, Text("cache on (4 ways)", "缓存开（4 种）")),
    ),
)
MOVED = Growth(
    "moved",
    Text("bytes moved by attention", "注意力搬运的字节"),
    Text("bytes moved", "搬运字节"),
    (
        (ALL_OFF, Text("cache off, tiles off", "缓存关、分块关")),
        (TILES, Text("cache off, tiles on", "缓存关、分块开")),
        (CACHE, Text("cache on, tiles off", "缓存开、分块关")),
        (CACHE_TILES, Text("cache on, tiles on", "缓存开、分块开")),
    ),
)
RESIDENT = Growth(
    "resident",
    Text("bytes resident, fullest moment", "最满时驻留的字节"),
    Text("bytes resident", "驻留字节"),
    tuple((switches, named(switches)) for switches in (ALL_OFF, TILES, CACHE_TILES, ALL_ON)),
)

CHARTS: tuple[Chart[Scenario], ...] = (
    Chart(
        "work",
        Text("Work against length", "计算随长度增长"),
        Text(
            "Pairs of all heads for your number of new tokens. Tiles and paging change nothing here. With the "
            "number of new tokens fixed, the cache shifts the line down and does not tilt it: parallel lines on "
            "these axes grow alike.",
            "按你的新 token 数，全部头的配对数。分块和分页在这里不起作用。新 token 数固定时，缓存把线往下移，却不改"
            "变倾斜：在这种坐标里，平行线的增长方式相同。",
        ),
        WORK.draw,
        WORK.alt,
    ),
    Chart(
        "moved",
        Text("Bytes moved against length", "搬运字节随长度增长"),
        Text(
            "Tiles lower both lines, but they stay as steep: K and V are read again for every tile of queries. A "
            "larger tile lowers them further. Paging is not drawn: it moves the same rows.",
            "分块把两条线都压低，但一样陡：每个查询分块都要重读 K、V。分块越大压得越低。没有画分页：它搬的是同样的行。",
        ),
        MOVED.draw,
        MOVED.alt,
    ),
    Chart(
        "resident",
        Text("Bytes resident against length", "驻留字节随长度增长"),
        Text(
            "Without tiles the tables of one head win in the end: they are quadratic. Without paging the cache is "
            "a flat line, set aside for the longest prompt drawn; with paging it grows with what is really there. "
            "With tiles alone it is lowest: it keeps nothing between passes, and computes everything again.",
            "不分块时，一个头的分数表最终占上风：它们是平方级。不分页时缓存是一条平线，按图中最长的提示预留；分页后"
            "随实际内容增长。只开分块的线最低：它在各遍之间什么都不留，于是样样重算。",
        ),
        RESIDENT.draw,
        RESIDENT.alt,
    ),
)
