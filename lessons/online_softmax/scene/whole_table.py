"""The plain way: a table of scores for all queries, and what it weighs."""

from __future__ import annotations

from engine.attention import score_table_bytes
from lessons.kit.format import count, size
from lessons.kit.shapes import Box, Label, Line, Shape, Table
from lessons.kit.text import Text
from lessons.online_softmax.scene.layout import Layout

LENGTH = 32_768
"""The chapter's length, for which the whole table of scores is weighed."""
LENGTHS = (1_024, LENGTH, 131_072)  # a short one and a long context beside it

SIDE, CELLS = 184.0, 12


def whole_table(lay: Layout) -> list[Shape]:
    x, y = lay.held_at
    top = y + 62
    title = Text("The plain way: a row of scores for every query, all kept", "普通写法：每个查询一行分数，全部保存")
    if lay.beside:
        one = Text("filled row: one query, as on the left", "实心行：一个查询，如左图")
    else:
        one = Text("filled row: one query, as above", "实心行：一个查询，如上图")
    sizes: list[tuple[Text | str, ...]] = [(Text("tokens T", "长度 T"), Text("scores T × T", "分数 T × T"), "float16")]
    sizes += [(count(t), count(t * t), size(score_table_bytes(t, t, itemsize=2))) for t in LENGTHS]
    grid: list[Shape] = [Box("table.frame", x, top, SIDE, SIDE, "panel")]
    for i in range(1, CELLS):
        grid.append(Line(f"table.h{i}", x, top + SIDE * i / CELLS, SIDE))
        grid.append(Line(f"table.v{i}", x + SIDE * i / CELLS, top, 0, SIDE))
    return [
        Label("table.title", x, y + 30, title, "body strong start"),
        *grid,
        Box("table.row", x, top + SIDE * 7 / CELLS, SIDE, SIDE / CELLS, "heat"),
        Label("table.keys", x + SIDE / 2, top - 8, Text("T keys", "T 个键"), "small muted middle"),
        Label("table.one", x, top + SIDE + 20, one, "small muted start"),
        Table(
            "table.sizes", x + SIDE + 36, top + 4, tuple(sizes), (90.0, 170.0, 100.0), strong=1 + LENGTHS.index(LENGTH)
        ),
    ]
