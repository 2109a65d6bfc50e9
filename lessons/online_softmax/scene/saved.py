"""What was saved, to scale: the bytes that a whole head moves the plain way and in tiles, and the other two ledgers."""

from __future__ import annotations

from engine.chip import Moved
from lessons.kit.format import count, size
from lessons.kit.roles import Role
from lessons.kit.shapes import Box, Label, Shape, Table
from lessons.kit.text import Text, same
from lessons.online_softmax.head import KEPT, LENGTH, TILE, tables, vectors
from lessons.online_softmax.trace import Saved

BAR_X, BAR_W, BAR_H = 130.0, 640.0, 30.0


def saved(step: Saved) -> list[Shape]:
    title = Text(
        f"Bytes moved per head: {count(LENGTH)} tokens, float16, tiles of {TILE} queries",
        f"每个头搬运的字节：{count(LENGTH)} 个 token，float16，每个分块 {TILE} 个查询",
    )
    ways = (("plain", Text("plain way", "普通写法"), step.plain), ("tiles", Text("tile by tile", "分块"), step.tiled))
    shapes: list[Shape] = [Label("saved.title", 12, 24, title, "body strong start")]
    for i, (name, words, moved) in enumerate(ways):
        shapes += _bar(name, words, moved, step.plain.total, 40.0 + 42 * i)
    return [*shapes, Table("saved.ledgers", 12, 132, _ledgers(step), (300.0, 250.0, 250.0), strong=1)]


def _bar(name: str, words: Text, moved: Moved, most: int, y: float) -> list[Shape]:
    """What a way moves: tables of scores and weights, then everything else."""
    parts = ((Role.TABLES, tables(moved)), (Role.VECTORS, vectors(moved)))
    shapes: list[Shape] = [Label(f"saved.{name}", BAR_X - 12, y + 20, words, "body end")]
    x = BAR_X
    for role, n_bytes in parts:
        if n_bytes:
            w = BAR_W * n_bytes / most
            shapes.append(Box(f"saved.{name}.{role.name.lower()}", x, y, w, BAR_H, "sheet", roles=(role,)))
            x += w
    return [*shapes, Label(f"saved.{name}.total", x + 10, y + 21, same(size(moved.total, 4)), "num strong start")]


def _ledgers(step: Saved) -> tuple[tuple[Text | str, ...], ...]:
    pairs = count(LENGTH**2)
    return (
        ("", Text("plain way", "普通写法"), Text("tile by tile", "分块")),
        (Text("scores and weights moved", "搬运的分数和权重"), size(tables(step.plain)), size(tables(step.tiled))),
        (Text("q, k, v, o moved", "搬运的 q、k、v、o"), size(vectors(step.plain), 4), size(vectors(step.tiled), 4)),
        (Text("resident per query", "每个查询驻留"), _numbers(LENGTH), _numbers(KEPT)),
        (Text("query·key pairs scored", "计算的查询·键配对"), pairs, pairs),
    )


def _numbers(n: int) -> Text:
    return Text(f"{count(n)} numbers", f"{count(n)} 个数")
