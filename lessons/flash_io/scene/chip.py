"""The chip: the tile’s scores or weights, and m, ℓ and u of its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from engine.attention import Array
from engine.flash_io import Compare, Fold, LoadKV, LoadQ, Pass, Rebuild, Score, Stop, Write
from engine.tile_state import Rows
from lessons.flash_io.naming import span
from lessons.flash_io.scene.door import moved
from lessons.flash_io.scene.layout import CHIP_W, CHIP_X, CHIP_Y, ROW_H, TOP, Layout
from lessons.flash_io.scene.place import Place, place
from lessons.kit.format import count, fixed
from lessons.kit.roles import Role
from lessons.kit.scene import ROUNDING
from lessons.kit.shapes import Box, Cell, Label, Shape
from lessons.kit.text import Text

X = CHIP_X + 40
ROOM = CHIP_W - 52


def chip(lay: Layout, step: Stop, own: Stop) -> tuple[Shape, ...]:
    """The room, what lies in it, and the numbers that are computed there."""
    at = place(lay.scenario, step)
    words = _waiting(at)
    return (
        Box("chip", CHIP_X, TOP, CHIP_W, lay.room_h),
        Label("chip.title", CHIP_X, 26, Text("On the chip", "片上"), "body strong start"),
        Label("chip.bytes", CHIP_X + CHIP_W, 26, f"{count(moved(step).on_chip)} B", "small muted end"),
        *([Label("chip.waiting", CHIP_X + 12, TOP + 26, words, "small muted start")] if words else []),
        *_numbers(lay, step, own, at),
    )


def _waiting(at: Place) -> Text | None:
    parts = [f"Q {span(at.rows)}"] if at.rows else []
    parts += [f"K, V {span(at.keys)}"] if at.keys else []
    return Text(" · ".join(parts), " · ".join(parts)) if parts else None


def _numbers(lay: Layout, step: Stop, own: Stop, at: Place) -> Iterator[Shape]:
    match step, own:
        case Score(), Score():
            yield from _table("s", Text("scores s = q · k / √d", "分数 s = q · k / √d"), CHIP_Y, at, step.s, own.s)
            yield from _state(lay, step.rows, step.held, own.held)
        case Fold(), Fold():
            yield from _table("p", Text("weights p = e^(s − m)", "权重 p = e^(s − m)"), CHIP_Y, at, step.p, own.p)
            yield from _state(lay, step.rows, step.after, own.after, new=True)
        case ((LoadQ() | Write()), (LoadQ() | Write())):
            yield from _state(lay, step.rows, step.held, own.held)
        case LoadKV(), LoadKV():
            held = dict(step.now.chip)
            if "m" in held:
                rows = Rows(held["m"], held["l"], held["u"])
                mine = dict(own.now.chip)
                yield from _state(lay, at.rows, rows, Rows(mine["m"], mine["l"], mine["u"]))
        case Rebuild(), Rebuild():
            yield from _table(
                "p", Text("weights again, e^(s − LSE)", "重算的权重 e^(s − LSE)"), CHIP_Y, at, step.p, own.p
            )
            yield from _table("ds", Text("dS", "dS"), lay.state_y, at, step.ds, own.ds)
        case Pass(), Pass():
            yield Label("chip.pass", CHIP_X + 12, TOP + 26, _passing(step), "small muted start")
        case Compare(), Compare():
            yield from _outputs(lay, step, own)
        case _:
            pass


def _passing(step: Pass) -> Text:
    way = {"read": ("read back", "读回"), "written": ("written out", "写出")}[step.way]
    name = step.table.upper()
    return Text(f"table {name}, a part at a time: {way[0]}", f"表 {name} 分批{way[1]}")


def _table(name: str, title: Text, y: float, at: Place, right: Array, mine: Array) -> Iterator[Shape]:
    w = min(64.0, ROOM / right.shape[1])
    yield Label(f"chip.{name}.title", X, y - 26, title, "small strong start")
    for j, key in enumerate(at.keys):
        yield Label(f"chip.{name}.k{j}", X + (j + 0.5) * w, y - 8, str(key), "small muted middle")
    for i, query in enumerate(at.rows):
        yield Label(f"chip.{name}.q{i}", X - 10, y + i * ROW_H + 23, str(query), "small muted end")
        for j in range(right.shape[1]):
            role = Role.MASK if mine[i, j] == -np.inf else Role.SCORE
            x = X + j * w
            yield _cell(f"chip.{name}.{i}.{j}", x, y + i * ROW_H, w - 4, right[i, j], mine[i, j], (role,))


def _state(lay: Layout, rows: range, right: Rows, mine: Rows, *, new: bool = False) -> Iterator[Shape]:
    d = right.u.shape[1]
    w = min(64.0, ROOM / (2 + d))
    heads = ("m", "ℓ", *(("u",) if d == 1 else tuple(f"u{'₁₂₃'[c]}" for c in range(d))))
    for c, head in enumerate(heads):
        yield Label(f"chip.state.{c}", X + (c + 0.5) * w - 2, lay.state_y - 8, head, "small strong middle")
    for i, query in enumerate(rows):
        y = lay.state_y + i * ROW_H
        yield Label(f"chip.state.q{i}", X - 10, y + 23, str(query), "small muted end")
        for c, (a, b) in enumerate(zip(_line(right, i), _line(mine, i), strict=True)):
            role = (Role.SCORE, Role.DENOMINATOR)[c] if c < 2 else Role.ACCUMULATOR
            roles = (role, Role.NEW) if new else (role,)
            yield _cell(f"chip.state.{i}.{c}", X + c * w, y, w - 4, a, b, roles)


def _line(rows: Rows, i: int) -> tuple[float, ...]:
    return (float(rows.m[i]), float(rows.l[i]), *map(float, rows.u[i]))


def _outputs(lay: Layout, step: Compare, own: Compare) -> Iterator[Shape]:
    """The outputs of the tiles’ way, row by row."""
    d, n = step.output.shape[1], len(step.output)
    w, h = min(64.0, ROOM / d), min(ROW_H, (lay.room_h - 78) / n)
    yield Label("chip.o.title", X, CHIP_Y - 26, Text("output o of the tiles", "分块得到的输出 o"), "small strong start")
    for i in range(n):
        y = CHIP_Y - 12 + i * h
        yield Label(f"chip.o.q{i}", X - 10, y + h / 2 + 4, str(i), "small muted end")
        for c in range(d):
            a, b = float(step.output[i, c]), float(own.output[i, c])
            key = f"chip.o.{i}.{c}"
            yield _cell(key, X + c * w, y, w - 4, a, b, (Role.OUTPUT,), h=h - 3)


def _cell(
    key: str, x: float, y: float, w: float, right: float, mine: float, roles: Sequence[Role], h: float = ROW_H - 3
) -> Cell:
    wrong = not _alike(right, mine)
    small = _short(right) if wrong and h > 40 else ""
    all_roles = (*(role for role in roles if not (wrong and role is Role.MASK)), *((Role.WRONG,) if wrong else ()))
    return Cell(key, x, y, _short(mine), w, h, small, value=mine, roles=all_roles)


def _alike(a: float, b: float) -> bool:
    return a == b or (np.isnan(a) and np.isnan(b)) or abs(a - b) <= ROUNDING * max(1.0, abs(a))


def _short(x: float) -> str:
    return fixed(x, 2)
