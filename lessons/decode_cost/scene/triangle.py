"""One decoder: its query rows, its triangle of query·key pairs, its two counters."""

from __future__ import annotations

from engine.decode_cost import Side
from lessons.decode_cost.naming import PAIRS, ROWS
from lessons.decode_cost.scene.layout import Layout
from lessons.kit.format import count
from lessons.kit.roles import Role
from lessons.kit.shapes import Cell, Label, Shape
from lessons.kit.text import Text


def triangle(lay: Layout, side: Side, once: tuple[int, ...] | None, x: float, y: float, way: str) -> list[Shape]:
    """K and V above the columns, query rows left of the lines, pairs, counters. Keys start with `way`, which is empty
    for the right one.

    `once`: how many positions of each cell have been run so far, for the decoder that may run them again.
    """
    again = [
        once is not None and (a > 0 or b > c)
        for a, b, c in zip(side.rows_before, side.rows, once or side.rows, strict=True)
    ]
    wrong = way != ""
    key = f"{way}c." if once is None else f"{way}p."
    name = Text("With a cache", "有缓存") if once is None else Text("Without a cache", "没有缓存")
    left, top = x + 94, y + 92
    w, h = lay.pitch_x - 3, lay.pitch_y - 3
    shapes: list[Shape] = [
        Label(f"{key}title", x, y + 24, lay.title(name, wrong=wrong), "body strong start" + " bad" * wrong),
    ]
    for j in range(lay.n_cells):
        at = str(j * lay.scenario.grain)
        shapes += [
            Label(f"{key}at.{j}", left + j * lay.pitch_x + w / 2, y + 46, at, "small muted middle"),
            Label(f"{key}query.{j}", x + 28, top + j * lay.pitch_y + h / 2 + 5, at, "small muted end"),
        ]
    if not wrong or lay.runs_wrong:  # who only counts wrongly runs the same rows
        shapes += _rows(lay, side, again, x, y, key, cached=once is None)
    for i in range(lay.n_cells):
        for j in range(lay.n_cells):
            before, after = side.table_before[i][j], side.table[i][j]
            above = j > i
            if above and after == 0:
                continue
            roles = (*_roles(before, after, again[i]), *((Role.WRONG,) if above else ()))
            text = "0" if after == 0 and wrong and side.rows[i] else brief(after)
            at_x, at_y = left + j * lay.pitch_x, top + i * lay.pitch_y
            shapes.append(Cell(f"{key}{i}.{j}", at_x, at_y, text, w, h, value=after, roles=roles))
    shapes += _counter(f"{key}count.rows", x + 384, y + 56, ROWS, side.before.rows, side.after.rows)
    shapes += _counter(f"{key}count.pairs", x + 384, y + 152, PAIRS, side.before.pairs, side.after.pairs)
    return shapes


def _rows(lay: Layout, side: Side, again: list[bool], x: float, y: float, key: str, *, cached: bool) -> list[Shape]:
    """Query rows at the left; above the columns K and V, which the same rows compute unless they are read back."""
    w, h = lay.pitch_x - 3, lay.pitch_y - 3
    row_x = x + 86 - lay.row_w
    shapes: list[Shape] = [
        Label(f"{key}kv", x, y + 75, "K, V", "small muted start"),
        Label(f"{key}rows", x + 86 - lay.row_w / 2, y + 86, Text("rows", "行"), "small muted middle"),
    ]
    for j, (before, after) in enumerate(zip(side.rows_before, side.rows, strict=True)):
        roles, top = _roles(before, after, again[j]), y + 92 + j * lay.pitch_y
        read_back = cached and after == before and side.n_old > j * lay.scenario.grain
        kv = (Role.REUSED,) if read_back else roles
        shapes += [
            Cell(f"{key}kv.{j}", x + 94 + j * lay.pitch_x, y + 58, "", w, 24, roles=kv),
            Cell(f"{key}row.{j}", row_x, top, brief(after), lay.row_w, h, value=after, roles=roles),
        ]
    return shapes


def _roles(before: int, after: int, again: bool) -> tuple[Role, ...]:
    if after == 0:
        return (Role.PENDING,)
    if after == before:
        return (Role.DONE,)
    return (Role.AGAIN,) if again else (Role.NOW,)


def _counter(key: str, x: float, y: float, name: Text, before: int, after: int) -> list[Shape]:
    """A number with its unit above it, and what it was and by how much it grew under it."""
    grew = f"= {count(before)} + {count(after - before)}" if after else ""
    return [
        Label(f"{key}.name", x, y + 2, name, "body strong start"),
        Cell(key, x, y + 10, count(after), 140, 40, value=after, roles=(Role.NEW,) if after != before else ()),
        Label(f"{key}.grew", x, y + 68, grew, "small muted start"),
    ]


def brief(n: int) -> str:
    """A count for a small cell: exact up to a million, and beyond it where three figures say it; otherwise marked as
    rounded.

    >>> brief(0), brief(40_000), brief(6_250_000), brief(6_281_250)
    ('', '40\\u202f000', '6.25M', '≈6.28M')
    """
    if n < 10**6:
        return count(n) if n else ""
    written = f"{n / 10**6:.3g}"
    return f"{'≈' * (float(written) * 10**6 != n)}{written}M"
