"""The picture of one step: the table of scores in tiles, slow memory, the door, and what is on the chip."""

from __future__ import annotations

from engine.flash_io import Scenario, Stop
from lessons.flash_io.scene.chip import chip
from lessons.flash_io.scene.door import door
from lessons.flash_io.scene.grid import grid
from lessons.flash_io.scene.hbm import hbm
from lessons.flash_io.scene.layout import WIDTH, Layout
from lessons.kit.lesson import like
from lessons.kit.scene import Scene
from lessons.kit.text import Text


def draw(scenario: Scenario, step: Stop, wrong: Stop | None) -> Scene:
    """The wrong way takes the place of the right one where it differs: its number hatched, the right one below it."""
    lay, own = Layout(scenario), like(step, wrong) or step
    shapes = (*grid(lay, step), *hbm(lay, step), *door(lay, step, own), *chip(lay, step, own))
    return Scene(WIDTH, lay.height, _label(scenario), shapes)


def _label(s: Scenario) -> Text:
    """What the picture shows, for those who cannot see it."""
    return Text(
        f"The {s.n_q} × {s.n_k} table of scores in tiles of {s.tile_q} × {s.tile_k}, HBM and the chip, and the door "
        "between them that counts bytes. ",
        f"{s.n_q} × {s.n_k} 的分数表，按 {s.tile_q} × {s.tile_k} 分块；HBM 与片上，以及中间给字节计数的门。",
    )
