"""The three mechanisms side by side: what each keeps, moves or places."""

from __future__ import annotations

from engine.paged_lookup import Scenario
from lessons.kit.roles import Role
from lessons.kit.scene import Scene
from lessons.kit.shapes import Arrow, Box, Cell, Label, Pill, Shape
from lessons.kit.text import Text

WIDTH, HEIGHT = 1130.0, 346.0
_PANEL, _GAP = 358.0, 28.0


def _panel(i: int, title: Text, does: Text, saves: Text) -> list[Shape]:
    x = i * (_PANEL + _GAP)
    return [
        Box(f"{i}.panel", x, 0, _PANEL, HEIGHT),
        Label(f"{i}.title", x + 24, 38, title, "big start"),
        Label(f"{i}.does", x + 24, 62, does, "small muted start"),
        Pill(f"{i}.saves", x + 24, HEIGHT - 34, saves, _PANEL - 48, 36),
    ]


def _cache() -> list[Shape]:
    old = 4
    shapes: list[Shape] = []
    for row, role in enumerate((Role.K, Role.V)):
        for t in range(old + 1):
            state = Role.NEW if t == old else Role.REUSED
            word = f"{'kv'[row]}{t}"
            shapes.append(Cell(f"cache.{word}", 24 + 62 * t, 96 + 62 * row, word, 54, roles=(role, state)))
    shapes.append(
        Label(
            "cache.note",
            24,
            236,
            Text("computed before; only the last is new", "早已算好，只有最后一个是新的"),
            "small muted start",
        )
    )
    return shapes


def _tiles() -> list[Shape]:
    x, keys, tile = _PANEL + _GAP + 24, 10, (4, 5)
    shapes: list[Shape] = [
        Label("tiles.slow", x, 106, Text("slow memory: all keys and values", "慢速显存：全部的键和值"), "small start"),
        Label(
            "tiles.fast",
            x,
            186,
            Text("fast memory: one tile, and m, ℓ, u", "快速内存：一个分块，以及 m、ℓ、u"),
            "small start",
        ),
    ]
    for t in range(keys):
        roles = (Role.K, Role.NOW) if t in tile else (Role.K,)
        shapes.append(Cell(f"tiles.{t}", x + 31 * t, 116, str(t), 27, 34, roles=roles))
    shapes += [Cell(f"tiles.chip.{t}", x + 31 * t, 196, str(t), 27, 34, roles=(Role.K, Role.NOW)) for t in tile]
    shapes += [
        Cell(f"tiles.{held}", x + 196 + 38 * i, 196, held, 34, 34, roles=(role,))
        for i, (held, role) in enumerate((("m", Role.SCORE), ("ℓ", Role.DENOMINATOR), ("u", Role.ACCUMULATOR)))
    ]
    shapes.append(
        Label(
            "tiles.note",
            x,
            252,
            Text("the whole table of scores is never stored", "从不保存整张分数表"),
            "small muted start",
        )
    )
    return shapes


def _pages() -> list[Shape]:
    x = 2 * (_PANEL + _GAP) + 24
    scenario = Scenario()
    blocks = scenario.hand_out[: -(-scenario.n_tokens // scenario.block_size)]
    shapes: list[Shape] = [
        Label("pages.logical", x, 106, Text("what the model sees, in order", "模型看到的顺序"), "small start"),
        Label("pages.physical", x, 270, Text("where it lies in memory", "在内存里的位置"), "small start"),
    ]
    places = {block: i for i, block in enumerate(sorted(blocks))}
    for i, block in enumerate(blocks):
        left, right = x + 104 * i, x + 104 * places[block]
        first = i * scenario.block_size
        last = min(first + scenario.block_size, scenario.n_tokens) - 1
        shapes.append(Cell(f"pages.{i}", left, 116, f"{first}–{last}", 96, 34, roles=(Role.V,)))
        shapes.append(
            Cell(f"pages.block.{block}", right, 214, Text(f"block {block}", f"内存块 {block}"), 96, 34, roles=(Role.V,))
        )
        shapes.append(Arrow(f"pages.arrow.{i}", left + 48, 154, right - left, 56))
    return shapes


PICTURE = Scene(
    WIDTH,
    HEIGHT,
    Text(
        "Three panels. The KV cache keeps keys and values of earlier tokens and saves work. FlashAttention brings "
        "one tile at a time into fast memory and "
        "saves bytes moved. Paged memory maps logical blocks, in order, to physical blocks anywhere and saves bytes "
        "resident.",
        "三幅图。KV 缓存保留以前 token 的键和值，省计算。FlashAttention 一次只把一个分块搬进快速内存，省搬运的字节。"
        "分页内存把按顺序的逻辑块映射到任意位置的物理块，省驻留的字节。",
    ),
    (
        *_panel(
            0,
            Text("KV cache", "KV 缓存"),
            Text("keeps old work from step to step", "把旧的计算留给后面的步骤"),
            Text("saves work", "省计算"),
        ),
        *_cache(),
        *_panel(
            1,
            Text("FlashAttention", "FlashAttention"),
            Text("the same work, less carried about", "计算不变，搬运更少"),
            Text("saves bytes moved", "省搬运的字节"),
        ),
        *_tiles(),
        *_panel(
            2,
            Text("Paged memory", "分页内存"),
            Text("places memory; the order stays", "只管存放位置，顺序不变"),
            Text("saves bytes resident", "省驻留的字节"),
        ),
        *_pages(),
    ),
)
