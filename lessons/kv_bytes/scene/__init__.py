"""The picture of one step: the ladder of factors on the left, the wrong way's beside it, what the number means on the
right."""

from __future__ import annotations

from engine.kv_size import HeadCounts, Multiply, OnDevice, OneMore, Scenario, Step, Units
from lessons.kit.scene import Scene, marked
from lessons.kit.shapes import Shape
from lessons.kit.text import Text
from lessons.kv_bytes.naming import factor, name_of, product
from lessons.kv_bytes.scene.bars import both_ways, other_heads
from lessons.kv_bytes.scene.device import device, units
from lessons.kv_bytes.scene.ladder import names, way
from lessons.kv_bytes.scene.layout import WIDTH, Layout, reached
from lessons.kv_bytes.scene.sheets import sheets


def draw(scenario: Scenario, step: Step, wrong: Step | None) -> Scene:
    """Both ways in one picture where a mistake is chosen, each cell of the wrong way that differs hatched."""
    lay = Layout.of(scenario, step)
    right = way(lay, scenario, step, lay.ways[0], "")
    shapes = [*names(lay, scenario, step), *right]
    if wrong is not None:
        shapes += marked(way(lay, scenario, wrong, lay.ways[1], "wrong."), right, prefix="wrong.")
    shapes += _panel(lay, scenario, step, wrong)
    return Scene(WIDTH, lay.height, _label(scenario, step), tuple(shapes))


def _panel(lay: Layout, s: Scenario, step: Step, wrong: Step | None) -> list[Shape]:
    x, w = lay.panel_at
    match step:
        case HeadCounts():
            return other_heads(step.layouts, x, w)
        case _ if wrong is not None:
            return both_ways(step, wrong, x, w)
        case OnDevice():
            return device(s, step, x, w)
        case Units():
            return units(s, step, x)
        case Multiply() | OneMore():
            return sheets(s, step, x, w)


def _label(s: Scenario, step: Step) -> Text:
    """What the picture shows, for those who cannot see it."""
    done = step.ladder[: reached(step) + 1]
    said = [(name_of(s, rung.name), factor(rung)) for rung in done]
    return Text(
        f"Ladder of factors: {', '.join(f'{name.en} {n}' for name, n in said)}; product {product(done[-1])}. ",
        f"因子阶梯：{'，'.join(f'{name.zh} {n}' for name, n in said)}；乘积 {product(done[-1])}。",
    )
