"""The plain way: tables of scores and weights of a whole head, out to slow memory and back."""

from __future__ import annotations

from lessons.kit.format import count, size
from lessons.kit.roles import Role
from lessons.kit.shapes import Arrow, Box, Label, Line, Shape
from lessons.kit.text import Text, same
from lessons.online_softmax.head import LENGTH, PLAIN, TABLE, tables, vectors

LEFT, RIGHT = 350.0, 640.0  # inner edges of slow memory and chip
SIDE, CELLS, TOP = 156.0, 12, 62.0
BAR_X, BAR_W = 210.0, 600.0

OUT_AND_BACK = (
    Text("scores written", "写出分数"),
    Text("scores read", "读回分数"),
    Text("weights written", "写出权重"),
    Text("weights read", "读回权重"),
)
ON_CHIP = (
    Text("scores = query · keys", "分数 = 查询 · 键"),
    Text("softmax turns scores", "softmax 把分数"),
    Text("into weights", "变成权重"),
    Text("output = Σ weight × value", "输出 = Σ 权重 × 值"),
)


def whole_table() -> list[Shape]:
    """Four crossings of a T × T table, and beside them, to scale, all else that moves."""
    shapes: list[Shape] = [
        Box("slow", 12, 6, LEFT - 12, 238),
        Label("slow.name", 28, 28, Text("Slow memory", "慢速显存"), "small muted start"),
        Box("chip", RIGHT, 6, 308, 238),
        Label("chip.name", 942, 28, Text("Chip (fast memory)", "片上（快速内存）"), "small muted end"),
        *_grid(28, TOP),
        Label("table.keys", 28 + SIDE / 2, TOP - 8, Text("T keys", "T 个键"), "small muted middle"),
        Label("table.t", 200, TOP + 20, same(f"T = {count(LENGTH)}"), "small start"),
        Label(
            "table.size", 200, TOP + 42, Text(f"{size(TABLE)} per table", f"每张表 {size(TABLE)}"), "small strong start"
        ),
        Label("table.one", 200, TOP + SIDE * 7.8 / CELLS, Text("← one query", "← 一个查询"), "small accent start"),
        Label(
            "table.one.2",
            200,
            TOP + SIDE * 7.8 / CELLS + 18,
            Text("of the T queries", "（共 T 个）"),
            "small muted start",
        ),
    ]
    for i, words in enumerate(OUT_AND_BACK):
        y, out = 62.0 + 52 * i, i % 2 == 0
        word = words + same(f" {size(TABLE)}")
        shapes += [
            Label(f"out.{i}", (LEFT + RIGHT) / 2, y - 9, word, "small middle"),
            Arrow(f"out.{i}.arrow", RIGHT - 8 if out else LEFT + 8, y, (-1 if out else 1) * (RIGHT - LEFT - 16)),
        ]
    for i, words in enumerate(ON_CHIP):
        shapes.append(Label(f"chip.{i}", RIGHT + 24, (66, 112, 132, 222)[i], words, "body start"))
    moves = (
        ("tables", Text("scores and weights", "分数和权重"), tables(PLAIN), Role.TABLES),
        ("vectors", Text("q, k, v and o", "q、k、v 和 o"), vectors(PLAIN), Role.VECTORS),
    )
    for i, (name, words, n_bytes, role) in enumerate(moves):
        y, w = 262.0 + 38 * i, BAR_W * n_bytes / tables(PLAIN)
        shapes += [
            Label(f"move.{name}", BAR_X - 12, y + 18, words, "body end"),
            Box(f"move.{name}.bar", BAR_X, y, w, 26, "sheet", roles=(role,)),
            Label(f"move.{name}.number", BAR_X + w + 10, y + 19, same(size(n_bytes)), "num strong start"),
        ]
    return shapes


def _grid(x: float, y: float) -> list[Shape]:
    grid: list[Shape] = [Box("table.frame", x, y, SIDE, SIDE, "sheet", roles=(Role.TABLES,))]
    for i in range(1, CELLS):
        grid.append(Line(f"table.h{i}", x, y + SIDE * i / CELLS, SIDE))
        grid.append(Line(f"table.v{i}", x + SIDE * i / CELLS, y, 0, SIDE))
    return [*grid, Box("table.row", x, y + SIDE * 7 / CELLS, SIDE, SIDE / CELLS, "heat")]
