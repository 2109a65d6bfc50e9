"""At the foot: scores and weights of this row that have moved through slow memory so far, both ways, to scale."""

from __future__ import annotations

from engine.online_softmax import Check, Divide
from lessons.kit.format import size
from lessons.kit.roles import Role
from lessons.kit.shapes import Box, Label, Line, Shape
from lessons.kit.text import Text, same
from lessons.online_softmax.head import row
from lessons.online_softmax.scene.bars import Holding
from lessons.online_softmax.scene.layout import BARS_X, Layout

BAR_X, BAR_W, BAR_H = 380.0, 400.0, 16.0


def moved(lay: Layout, step: Holding) -> list[Shape]:
    """The plain way moves each score and each weight twice; tiles leave them on the chip."""
    y, n = lay.body_h + 6, read_so_far(lay, step)
    so_far, all_of_it = row(n, lay.d), row(lay.n, lay.d)
    w = BAR_W * so_far / all_of_it
    return [
        Label(
            "moved.title",
            BARS_X - 12,
            y + 14,
            Text("Scores and weights moved", "搬运的分数和权重"),
            "small strong start",
        ),
        Label(
            "moved.title.2", BARS_X - 12, y + 36, Text("so far (float16)", "目前为止（float16）"), "small muted start"
        ),
        Label("moved.plain", BAR_X - 12, y + 14, Text("plain way", "普通写法"), "small end"),
        Box("moved.plain.bar", BAR_X, y + 2, w, BAR_H, "sheet", roles=(Role.SCORE,)),
        Label("moved.plain.number", BAR_X + w + 10, y + 15, same(size(so_far)), "small strong start"),
        Label("moved.tiles", BAR_X - 12, y + 37, Text("tile by tile", "分块"), "small end"),
        Line("moved.tiles.bar", BAR_X, y + 25, 0, BAR_H),
        Label("moved.tiles.number", BAR_X + 10, y + 38, same(size(0)), "small strong start"),
    ]


def read_so_far(lay: Layout, step: Holding) -> int:
    """How many keys have been read."""
    match step:
        case Divide() | Check():
            return lay.n
        case _:
            return sum(len(tile.keys) for tile in lay.scenario.tiles[: step.tile.index + 1])
