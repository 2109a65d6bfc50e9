"""The picture of one step: what each request reads in order, its block table under it, and the blocks of the pool."""

from __future__ import annotations

from dataclasses import replace

from engine.copy_on_write import NAMES
from engine.paged_memory import Memory
from engine.shared_blocks import HAND_OUT, Mistake, Scenario, Step
from lessons.copy_on_write.scene.layout import MARGIN, WIDTH, Layout, blocks_used
from lessons.copy_on_write.scene.pool import pool
from lessons.copy_on_write.scene.request import request
from lessons.kit.scene import Scene, marked
from lessons.kit.shapes import Box, Shape
from lessons.kit.text import Text


def draw(scenario: Scenario, step: Step, wrong: Step | None) -> Scene:
    """Both ways in one picture where a mistake is chosen, each cell of the wrong way that differs hatched."""
    used = blocks_used(replace(scenario, mistake=Mistake.NONE))
    lay = Layout(scenario, min(used + 1, len(HAND_OUT)))
    shapes = _panel(lay, step, 0.0, "", None)
    if wrong is not None:
        below = _panel(lay, wrong, lay.panel_h + 10, "wrong.", step.memory)
        shapes += [Box("between", 0, lay.panel_h + 2, WIDTH, lay.panel_h + 12, "panel")]
        shapes += marked(below, shapes, prefix="wrong.")
    height = (lay.panel_h + 10) * (2 if lay.compare else 1) + 4
    return Scene(WIDTH, height, _label(step.memory), tuple(shapes))


def _panel(lay: Layout, step: Step, y: float, key: str, right: Memory | None) -> list[Shape]:
    """Requests and pool after one step. Keys start with `key`; `right`: the right way's memory, in a wrong way's
    panel."""
    shapes: list[Shape] = []
    for i, name in enumerate(NAMES):
        shapes += request(lay, step, MARGIN + i * (WIDTH / 2 - MARGIN / 2), y, key, name)
    return shapes + pool(lay, step, y, key, right)


def _label(memory: Memory) -> Text:
    """What the picture shows, for those who cannot see it."""
    label = Text("", "")
    for table in memory.tables:
        blocks = ", ".join(map(str, table.blocks))
        label += Text(f"Table of {table.name}: {blocks}. ", f"{table.name} 的块表：{blocks}。")
    counts = ", ".join(f"{b}: {memory.ref_counts[b]}" for b in HAND_OUT if memory.ref_counts[b])
    return label + Text(f"References: {counts}. ", f"引用计数：{counts}。")
