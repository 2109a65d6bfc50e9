"""The picture of one step: the map of all layers and positions at the left, the numbers or the argument at the
right."""

from __future__ import annotations

from engine.kv_reuse import AskedNext, Cached, Finish, Look, Mended, NextToken, Project, Replaced, Scenario, Step
from lessons.kit.lesson import like
from lessons.kit.scene import Scene
from lessons.kit.shapes import Shape
from lessons.kit.told import Told
from lessons.kv_reuse.naming import letter, names
from lessons.kv_reuse.scene import closeup
from lessons.kv_reuse.scene.induction import draw_induction, draw_replaced
from lessons.kv_reuse.scene.layers import draw_map
from lessons.kv_reuse.scene.layout import WIDTH, Layout
from lessons.kv_reuse.scene.vocabulary import vocabulary


def draw(scenario: Scenario, step: Step, wrong: Step | None) -> Scene:
    """Where a mistake is chosen, its numbers stand below the right way's in the steps that it concerns."""
    lay = Layout.of(scenario)
    label = Told(
        "A map of {n_layers:layer} and the tokens {tokens}: x, k and v of each. ",
        "{n_layers} 层与各 token（{tokens}）的对照图：每处的 x、k、v。",
    ).on(scenario, tokens=tuple(map(letter, scenario.longer)))
    shapes = (*draw_map(lay, scenario, step), *_right_half(lay, scenario, step, wrong))
    return Scene(WIDTH, lay.height, label, shapes)


def _right_half(lay: Layout, scenario: Scenario, step: Step, wrong: Step | None) -> list[Shape]:
    if scenario.mistake.on_the_edit != isinstance(step, Mended | AskedNext):
        wrong = None
    match step:
        case Cached():
            return closeup.cached(lay, scenario, step)
        case Project():
            return closeup.both(closeup.project, lay, scenario, step, like(step, wrong))
        case Look():
            return closeup.both(closeup.look, lay, scenario, step, like(step, wrong))
        case Finish():
            return closeup.both(closeup.finish, lay, scenario, step, like(step, wrong))
        case Mended():
            return closeup.both(closeup.mended, lay, scenario, step, like(step, wrong))
        case NextToken():
            head = Told("Logits behind {new}", "{new} 之后的 logits").on(names(scenario))
            return vocabulary(step, like(step, wrong), head)
        case AskedNext():
            head = Told(
                "Logits behind {asked}, asked at position {n_positions}",
                "在位置 {n_positions} 询问 {asked}，其后的 logits",
            ).on(names(scenario), scenario)
            return vocabulary(step, like(step, wrong), head)
        case Replaced():
            return draw_replaced(lay, scenario, step)
        case _:
            return draw_induction(lay, scenario, step)
