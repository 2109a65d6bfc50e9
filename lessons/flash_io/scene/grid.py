"""The table of scores: every pair of a query and a key, cut into tiles."""

from __future__ import annotations

from collections.abc import Iterator

from engine.flash_io import Scenario, Stop
from engine.tile_walk import visible
from lessons.flash_io.scene.layout import GRID_X, GRID_Y, Layout
from lessons.flash_io.scene.place import Place, place
from lessons.kit.roles import Role
from lessons.kit.shapes import Box, Cell, Label, Line, Shape
from lessons.kit.text import Text


def grid(lay: Layout, step: Stop) -> tuple[Shape, ...]:
    """Pairs, numbers of queries and keys, borders of the tiles, and a frame around the running one."""
    s, at = lay.scenario, place(lay.scenario, step)
    return (
        Label("grid.title", 14, 26, Text("Scores: queries × keys", "分数：查询 × 键"), "body strong start"),
        Label("grid.keys", GRID_X, GRID_Y - 28, Text("key", "键"), "small muted start"),
        Label("grid.queries", GRID_X - 22, GRID_Y - 10, Text("query", "查询"), "small muted end"),
        *_numbers(lay),
        *_pairs(lay, s, at),
        *_borders(lay, s),
        *_frame(lay, at),
        Label("grid.note", 14, lay.height - 8, _note(s), "small muted start"),
    )


def _note(s: Scenario) -> Text:
    n, all_tiles = len(s.visits), len(s.grid)
    return Text(f"{n} of {all_tiles} tiles are computed", f"{all_tiles} 个分块中计算 {n} 个")


def _numbers(lay: Layout) -> Iterator[Shape]:
    for j in range(lay.scenario.n_k):
        x, y = lay.pair(0, j)
        yield Label(f"key.{j}", x + lay.cell_w / 2, y - 10, str(j), "small muted middle")
    for i in range(lay.scenario.n_q):
        x, y = lay.pair(i, 0)
        yield Label(f"query.{i}", x - 10, y + lay.cell_h / 2 + 5, str(i), "small muted end")


def _pairs(lay: Layout, s: Scenario, at: Place) -> Iterator[Shape]:
    seen = visible(range(s.n_q), range(s.n_k), s.sight)
    done = {(i, j) for rows, keys in at.done for i in rows for j in keys}
    skipped = {(i, j) for rows, keys in s.skipped for i in rows for j in keys}
    for i in range(s.n_q):
        for j in range(s.n_k):
            now = at.computing and i in at.rows and j in at.keys
            if (i, j) in skipped:
                roles: tuple[Role, ...] = (Role.SKIPPED,)
            elif not seen[i, j]:
                roles = (Role.MASK,)
            elif now:
                roles = (Role.NOW,)
            elif (i, j) in done:
                roles = (Role.AGAIN if s.backward else Role.HELD,)
            else:
                roles = (Role.PENDING,)
            x, y = lay.pair(i, j)
            yield Cell(f"pair.{i}.{j}", x + 2, y + 2, "", lay.cell_w - 4, lay.cell_h - 4, roles=roles)


def _borders(lay: Layout, s: Scenario) -> Iterator[Shape]:
    for keys in s.key_tiles[1:]:
        x, y = lay.pair(0, keys.start)
        yield Line(f"border.k{keys.start}", x, y - 4, 0, s.n_q * lay.cell_h + 8)
    for rows in s.query_tiles[1:]:
        x, y = lay.pair(rows.start, 0)
        yield Line(f"border.q{rows.start}", x - 4, y, s.n_k * lay.cell_w + 8)


def _frame(lay: Layout, at: Place) -> Iterator[Shape]:
    """Around what is on the chip: a tile, or the whole row or column of tiles that waits there."""
    if not at.rows and not at.keys:
        return
    s = lay.scenario
    rows, keys = at.rows or range(s.n_q), at.keys or range(s.n_k)
    x, y = lay.pair(rows.start, keys.start)
    yield Box("frame", x - 1, y - 1, len(keys) * lay.cell_w + 2, len(rows) * lay.cell_h + 2, "frame")
