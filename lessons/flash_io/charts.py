"""What grows with the length: bytes, FLOP per byte, extra memory; and the table of the paper, rebuilt."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import plotly.graph_objects as go

from engine import paper_table
from engine.devices import DEVICES
from engine.flash_io import Scenario
from engine.intensity import intensity, intensity_limit, tiled_intensity
from engine.tile_memory import counted_plain, counted_tiles, exponent, paper_tiles
from engine.traffic_laws import Shape, plain_extra, tiled_extra
from lessons.kit.charts import BLUE, GREEN, ORANGE, PURPLE, VERMILION, Chart, curve, figure
from lessons.kit.format import count, fixed
from lessons.kit.text import Lang, Text, listed
from lessons.kit.told import Told

LENGTHS = (64, 128, 256, 512, 1_024)
MEMORIES = (4_096, 16_384, 65_536)
HEAD = 16
LONG = tuple(2**i for i in range(7, 18))
_LOG = {"type": "log", "tickvals": LENGTHS, "ticktext": [count(n) for n in LENGTHS]}


@lru_cache(maxsize=1)
def _traffic() -> dict[int, tuple[int, ...]]:
    """Bytes moved at each length, counted in runs: tiles on a chip of so many bytes; 0: the plain way."""
    found = {memory: tuple(counted_tiles(n, HEAD, memory).hbm_moved for n in LENGTHS) for memory in MEMORIES}
    return found | {0: tuple(counted_plain(n, HEAD).hbm_moved for n in LENGTHS)}


def _name(memory: int) -> Text:
    return Text(f"tiles, chip of {count(memory)} B", f"分块，片上 {count(memory)} B")


def _bytes(_: Scenario, lang: Lang) -> go.Figure:
    fig = figure(
        Text("queries and keys", "查询与键的个数").of(lang),
        Text("bytes moved", "搬运的字节").of(lang),
        xaxis=_LOG,
        yaxis={"type": "log"},
    )
    curve(fig, 0, Text("plain way", "普通做法").of(lang), LENGTHS, list(map(float, _traffic()[0])), VERMILION)
    for i, memory in enumerate(MEMORIES, 1):
        ys = list(map(float, _traffic()[memory]))
        curve(fig, i, _name(memory).of(lang), LENGTHS, ys, (ORANGE, BLUE, GREEN)[i - 1])
    return fig


def _bytes_alt(_: Scenario) -> Text:
    grown = {m: fixed(exponent(LENGTHS[-3:], _traffic()[m][-3:]), 2) for m in (0, *MEMORIES)}
    last = {m: count(_traffic()[m][-1]) for m in (0, *MEMORIES)}
    n = count(LENGTHS[-1])
    en = "; ".join(f"{_name(m).en} {last[m]} bytes, growing as T to the power {grown[m]}" for m in MEMORIES)
    zh = "；".join(f"{_name(m).zh}时 {last[m]} 字节，按 T 的 {grown[m]} 次方增长" for m in MEMORIES)
    return Text(
        f"Bytes moved by one head with d = {HEAD}, counted in runs. At {n} keys: the plain way {last[0]} bytes, "
        f"growing as T to the power {grown[0]}; {en}.",
        f"一个 d = {HEAD} 的头搬运的字节，逐次运行计数。{n} 个键时：普通做法 {last[0]} 字节，按 T 的 {grown[0]} 次方"
        f"增长；{zh}。",
    )


def _tile(d: int) -> int:
    return 128 if d <= 128 else 64


def _intensity(_: Scenario, lang: Lang) -> go.Figure:
    fig = figure(
        Text("queries and keys", "查询与键的个数").of(lang),
        Text("FLOP per byte", "每字节的浮点运算").of(lang),
        xaxis={"type": "log", "tickvals": LONG[::2], "ticktext": [count(n) for n in LONG[::2]]},
        yaxis={"type": "log"},
    )
    for i, d in enumerate((64, 128)):
        name = Text(f"plain, d = {d}, 16-bit", f"普通做法，d = {d}，16 位").of(lang)
        curve(fig, i, name, LONG, [float(intensity(n, d, 2)) for n in LONG], (ORANGE, VERMILION)[i])
    tiles = [float(tiled_intensity(n, 128, 2, tile_q=128, tile_k=128)) for n in LONG]
    curve(fig, 2, Text("tiles of 128, d = 128", "分块 128，d = 128").of(lang), LONG, tiles, BLUE)
    for name, ridge in _ridges():
        fig.add_hline(y=ridge, line={"dash": "dot", "color": PURPLE}, annotation_text=f"{name}: {ridge:.0f}")
    return fig


def _ridges() -> list[tuple[str, float]]:
    found = ((name, DEVICES[name].ridge()) for name in ("A100 SXM 80 GB", "H100 SXM5", "L4"))
    return [(name, float(ridge)) for name, ridge in found if ridge is not None]


def _intensity_alt(_: Scenario) -> Text:
    limit = count(int(intensity_limit(128, 2)))
    short, long = (fixed(float(intensity(n, 128, 2)), 1) for n in (2_048, LONG[-1]))
    tiles = fixed(float(tiled_intensity(LONG[-1], 128, 2, tile_q=128, tile_k=128)), 1)
    devices = "; ".join(f"{name} {ridge:.0f}" for name, ridge in _ridges())
    return Text(
        f"FLOP per byte against length. The plain way with d = 128 in 16 bits reaches {short} at {count(2_048)} "
        f"keys and {long} at {count(LONG[-1])}, and never {limit}; tiles of 128 reach {tiles}. The dotted lines are "
        f"where devices turn from memory-bound to compute-bound: {devices}.",
        f"每字节浮点运算随长度的变化。d = 128、16 位的普通做法在 {count(2_048)} 个键时是 {short}，{count(LONG[-1])} "
        f"个键时是 {long}，永远到不了 {limit}；128 的分块达到 {tiles}。点线是各设备从访存受限转为计算受限的位置："
        f"{devices}。",
    )


def _extra(_: Scenario, lang: Lang) -> go.Figure:
    fig = figure(
        Text("queries and keys", "查询与键的个数").of(lang),
        Text("MiB besides Q, K, V and O, per head", "每个头除 Q、K、V、O 外的 MiB").of(lang),
        xaxis={"type": "log", "tickvals": LONG[::2], "ticktext": [count(n) for n in LONG[::2]]},
        yaxis={"type": "log"},
    )
    shapes = [Shape(n, n, 128) for n in LONG]
    tables, sums = Text("plain: S and P", "普通做法：S 和 P"), Text("tiles: log-sum-exp", "分块：log-sum-exp")
    curve(fig, 0, tables.of(lang), LONG, [plain_extra(s, itemsize=2) / 2**20 for s in shapes], VERMILION)
    curve(fig, 1, sums.of(lang), LONG, [tiled_extra(s, itemsize=4) / 2**20 for s in shapes], BLUE)
    return fig


def _extra_alt(_: Scenario) -> Text:
    n = LONG[-1]
    plain, tiles = plain_extra(Shape(n, n, 128), itemsize=2), tiled_extra(Shape(n, n, 128), itemsize=4)
    return Text(
        f"Extra memory per head, 16-bit tables and 32-bit statistics. At {count(n)} keys the two tables take "
        f"{fixed(plain / 2**30, 0)} GiB and the log-sum-exp {fixed(tiles / 2**10, 0)} KiB: one grows with T², the "
        "other with T.",
        f"每个头的额外内存，表用 16 位，统计量用 32 位。{count(n)} 个键时，两张表占 {fixed(plain / 2**30, 0)} GiB，"
        f"log-sum-exp 占 {fixed(tiles / 2**10, 0)} KiB：一个按 T² 增长，一个按 T 增长。",
    )


_PASSES = (
    (Text("algorithms alone", "只有算法本身"), paper_table.Passes()),
    (Text("and a mask pass", "加掩码一趟"), paper_table.Passes(mask=True)),
    (Text("and dropout passes", "再加 dropout"), paper_table.Passes(mask=True, dropout=True)),
    (
        Text("and dropout’s own table", "再加 dropout 的表"),
        paper_table.Passes(mask=True, dropout=True, keep_bytes=1),
    ),
)


def _paper(_: Scenario, lang: Lang) -> go.Figure:
    fig = figure(
        Text("what is counted", "计入的内容").of(lang),
        Text("GB moved, forward and backward", "前向加反向搬运的 GB").of(lang),
    )
    names = [*(name for name, _ in _PASSES), *(Text(f"tiles, B_c = {c}", f"分块，B_c = {c}") for c in _COLUMNS)]
    ours = [*(paper_table.plain(passes=p).gb for _, p in _PASSES), *(paper_table.tiled(tile_k=c).gb for c in _COLUMNS)]
    printed = [float(paper_table.PLAIN.gb)] * len(_PASSES) + [float(paper_table.TILED.gb)] * len(_COLUMNS)
    xs = [name.of(lang) for name in names]
    fig.add_trace(go.Bar(x=xs, y=ours, name=Text("by our count", "我们的计数").of(lang), marker={"color": BLUE}))
    fig.add_trace(
        go.Scatter(
            x=xs,
            y=printed,
            mode="markers",
            name=Text("printed", "论文所印").of(lang),
            marker={"symbol": "line-ew-open", "size": 34, "color": VERMILION, "line": {"width": 3}},
        )
    )
    return fig


_OWN = paper_tiles(paper_table.SRAM, paper_table.Workload().d, itemsize=paper_table.Workload().itemsize)[1]
_COLUMNS = (_OWN, 256, 128)


def _printed(x: Fraction) -> str:
    """A figure as the paper has it."""
    return fixed(float(x), 1)


def _too_small() -> str:
    """How many times less the printed GFLOPs are than the products alone, both columns, to whole numbers."""
    ways = ((paper_table.plain(), paper_table.PLAIN), (paper_table.tiled(), paper_table.TILED))
    return " / ".join(f"{ours.gflop / float(printed.gflop):.0f}" for ours, printed in ways)


def _paper_alt(_: Scenario) -> Text:
    return Told(
        "GB moved, printed against counted. The plain way, printed {plain_gb}: {plain} with more and more passes. "
        "Tiles, printed {tiled_gb}: {tiles} for B_c = {columns}. The printed {plain_gflop} and {tiled_gflop} "
        "GFLOPs follow from no such assumption: the products alone come to {plain_products} and {tiled_products}.",
        "搬运的 GB，论文所印与我们的计数。普通做法所印 {plain_gb}：随着趟数增加，依次是 {plain}。分块所印 "
        "{tiled_gb}：B_c 为 {columns} 时是 {tiles}。所印的 {plain_gflop} 和 {tiled_gflop} GFLOPs 由哪种假设都推不"
        "出：单是矩阵乘积就有 {plain_products} 和 {tiled_products}。",
    ).on(
        plain_gb=_printed(paper_table.PLAIN.gb),
        tiled_gb=_printed(paper_table.TILED.gb),
        plain_gflop=_printed(paper_table.PLAIN.gflop),
        tiled_gflop=_printed(paper_table.TILED.gflop),
        plain=listed(tuple(fixed(paper_table.plain(passes=p).gb, 1) for _, p in _PASSES)),
        tiles=listed(tuple(fixed(paper_table.tiled(tile_k=c).gb, 2) for c in _COLUMNS)),
        columns=listed(tuple(map(str, _COLUMNS))),
        plain_products=fixed(paper_table.plain().gflop, 1),
        tiled_products=fixed(paper_table.tiled().gflop, 1),
    )


CHARTS: tuple[Chart[Scenario], ...] = (
    Chart(
        "traffic",
        Text("Bytes moved against length", "搬运的字节随长度的变化"),
        Text(
            "One head, counted while it runs. All curves rise with the square of the length; a larger chip lowers the "
            "curve of the tiles, and the plain way gains nothing from it.",
            "一个头，边运行边计数。所有曲线都按长度的平方上升；片上存储越大，分块的曲线越低，普通做法却得不到好处。",
        ),
        _bytes,
        _bytes_alt,
    ),
    Chart(
        "intensity",
        Text("Arithmetic intensity, and where devices turn", "计算强度，以及各设备的转折点"),
        Text(
            "Below a dotted line that device waits for memory, above it for arithmetic. The plain way stays below "
            "d divided by the bytes of a number at every length, so no length is the threshold; the size of the "
            "tile decides. Peak figures of the devices come from their makers’ tables, as the page *Glossary and "
            "sources* says.",
            "在点线以下，该设备等的是内存；在点线以上，等的是计算。普通做法在任何长度都低于 d 除以每个数的字节数，"
            "所以没有哪个长度是界限；起决定作用的是分块的大小。设备峰值取自厂商的数据表，见“词汇与来源”一页。",
        ),
        _intensity,
        _intensity_alt,
    ),
    Chart(
        "extra",
        Text("Extra memory: T² against T", "额外内存：T² 与 T"),
        Text(
            "What lies in HBM besides Q, K, V and O. This is what made long sequences possible in training.",
            "HBM 里除 Q、K、V、O 之外的东西。训练能用长序列，靠的就是这一点。",
        ),
        _extra,
        _extra_alt,
    ),
    Chart(
        "paper",
        Text("A table of the paper, rebuilt", "重建论文里的一张表"),
        Told(
            "FlashAttention (2022), figure 2: GPT-2 medium, 1,024 tokens, d = 64, 16 heads, batch 64, forward and "
            "backward on an A100. Red marks are the printed gigabytes. The plain way’s {plain} follows from the "
            "algorithms only together with passes for mask and dropout and a table of what dropout kept; the tiles’ "
            "{tiled} follows from tiles of {own} keys. The printed GFLOPs are {less} times (plain / tiles) below the "
            "products of the stated batch; the first author has said that they might be off by some factor. How the "
            "bytes were obtained the paper does not say, so agreement is a hint and no proof.",
            "FlashAttention（2022）图 2：GPT-2 medium，1,024 个 token，d = 64，16 个头，批大小 64，A100 上前向加反"
            "向。红线是论文所印的 GB。普通做法的 {plain} 要把掩码、dropout 的趟数和一张记录 dropout 保留项的表都计"
            "入才能得到；分块的 {tiled} 与 {own} 个键的分块相符。所印 GFLOPs 比所说批大小的矩阵乘积小 {less} 倍（普"
            "通 / 分块）；第一作者说过它们可能差了某个倍数。论文没有说明字节数如何得到，所以相符只是线索，不是证"
            "明。",
        ).on(plain=_printed(paper_table.PLAIN.gb), tiled=_printed(paper_table.TILED.gb), own=_OWN, less=_too_small()),
        _paper,
        _paper_alt,
    ),
)
