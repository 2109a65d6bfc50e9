"""Slow memory: every array to the same scale, one cell a tile; and the two tables that only the plain way writes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.flash_io import (
    Clear,
    Compare,
    Forward,
    Gradients,
    LoadKV,
    LoadQ,
    Pass,
    Rebuild,
    Start,
    Stop,
    Write,
    WriteKV,
)
from lessons.flash_io.naming import ARRAYS
from lessons.flash_io.scene.layout import ARRAY_Y, HBM_W, HBM_X, TOP, Layout
from lessons.flash_io.scene.place import Place, place
from lessons.kit.roles import Role
from lessons.kit.shapes import Box, Cell, Label, Shape
from lessons.kit.text import Text

ROLES = {"q": Role.Q, "k": Role.K, "v": Role.V, "o": Role.OUTPUT, "m": Role.DENOMINATOR, "l": Role.DENOMINATOR}
ROLES |= {"lse": Role.DENOMINATOR, "do": Role.OUTPUT, "dq": Role.Q, "dk": Role.K, "dv": Role.V}


def hbm(lay: Layout, step: Stop) -> tuple[Shape, ...]:
    """The room, its arrays, and below them S and P, or the place where they would be."""
    at = place(lay.scenario, step)
    return (
        Box("hbm", HBM_X, TOP, HBM_W, lay.room_h),
        Label("hbm.title", HBM_X, 26, Text("HBM, the slow memory", "HBM，慢速显存"), "body strong start"),
        *(shape for name in lay.arrays for shape in _array(lay, step, at, name)),
        *(() if lay.scenario.backward else _tables(lay, step)),
    )


def _array(lay: Layout, step: Stop, at: Place, name: str) -> Iterator[Shape]:
    x, unit = lay.array_x(name), lay.unit
    w = lay.across(name) * unit
    yield Label(f"hbm.{name}", x + w / 2, ARRAY_Y - 10, ARRAYS[name], "small strong middle")
    of_keys = name in ("k", "v", "dk", "dv")
    s = lay.scenario
    for part in s.key_tiles if of_keys else s.query_tiles:
        trips = _trips(step, at, part, name, ("q",) if s.keys_outside else ("k", "v"))
        roles: tuple[Role, ...] = (ROLES[name] if _is_written(step, name, part) else Role.PENDING,)
        if _crosses(step, at, name, part):
            roles += (Role.NEW,)
        text = f"{trips}×" if trips > 1 and w >= 24 and len(part) * unit >= 20 else ""
        yield Cell(
            f"hbm.{name}.{part.start}", x, ARRAY_Y + part.start * unit, text, w, len(part) * unit - 3, roles=roles
        )


def _trips(step: Stop, at: Place, part: range, name: str, again: tuple[str, ...]) -> int:
    """How often a tile of one of the arrays of the inner loop, which come in again, has come in so far."""
    if isinstance(step, Forward | Rebuild | WriteKV | Gradients):
        return 0
    mine = 0 if name == "q" else 1
    return sum(tile[mine] == part for tile in at.begun) if name in again else 0


def _is_written(step: Stop, name: str, part: range) -> bool:
    match step:
        case Forward() | Rebuild() | WriteKV() | Gradients():
            return name not in ("dq", "dk", "dv") or _has_gradient(step, name, part)
        case _ if name in ("q", "k", "v"):
            return True
        case Start():
            return False
        case _:
            values = getattr(step.now.written, name)[part.start : part.stop]
            return not bool(np.isnan(values).any())


def _has_gradient(step: Stop, name: str, part: range) -> bool:
    match step:
        case Forward():
            return False
        case Gradients():
            return True
        case Rebuild(keys=keys):
            return name == "dq" or part.stop <= keys.start
        case WriteKV(keys=keys):
            return name == "dq" or part.stop <= keys.stop
        case _:
            return False


def _crosses(step: Stop, at: Place, name: str, part: range) -> bool:
    """Whether this step moves this tile through the door."""
    match step:
        case LoadQ():
            return name in ("q", "o", "m", "l") and part == at.rows and (name == "q" or "m" in _names(step))
        case LoadKV():
            return name in ("k", "v") and part == at.keys
        case Write():
            return name in ("o", "lse", "m", "l") and part == at.rows
        case Clear():
            return name in ("o", "m", "l")
        case Pass(number=number):
            return name in {1: ("q", "k"), 4: ("v", "o")}.get(number, ())
        case Rebuild():
            return name in ("q", "o", "do", "lse", "dq") and part == at.rows
        case WriteKV():
            return name in ("dk", "dv") and part == at.keys
        case _:
            return False


def _names(step: LoadQ) -> tuple[str, ...]:
    """The arrays that have crossed: m and ℓ travel only with keys outside."""
    return tuple(line.name for line in step.now.moved.arrays if line.read or line.written)


def _tables(lay: Layout, step: Stop) -> Iterator[Shape]:
    s, unit = lay.scenario, lay.unit
    w, h = s.n_k * unit, s.n_q * unit
    for i, name in enumerate(("s", "p")):
        x = HBM_X + 14 + i * (w + 24)
        there = isinstance(step, Compare) or (isinstance(step, Pass) and step.number >= (1, 3)[i])
        roles: tuple[Role, ...] = (Role.TABLES,) if there else (Role.PENDING,)
        if isinstance(step, Pass) and step.table == name:
            roles += (Role.NEW,)
        yield Cell(f"hbm.table.{name}", x, lay.table_y, ARRAYS[name], w, h, roles=roles)
    word = (
        Text("the plain way’s two tables", "普通做法的两张表")
        if isinstance(step, Pass | Compare)
        else Text("tables of the plain way: not written by tiles", "普通做法的表：分块从不写它们")
    )
    yield Label("hbm.tables", HBM_X + 14, lay.table_y - 12, word, "small muted start")
