"""The picture of one step: the map of all layers and positions at the left, the numbers or the argument at the
right."""

from __future__ import annotations

from engine.kv_reuse import AskedNext, Cached, Finish, Look, Mended, NextToken, Project, Replaced, Scenario, Step
from lessons.kit.scene import Scene
from lessons.kit.shapes import Shape
from lessons.kit.text import Text
from lessons.kv_reuse import closeup
from lessons.kv_reuse.induction import draw_induction, draw_replaced
from lessons.kv_reuse.layout import WIDTH, Layout
from lessons.kv_reuse.map import draw_map
from lessons.kv_reuse.mistakes import ON_THE_EDIT
from lessons.kv_reuse.tokens import letter
from lessons.kv_reuse.words import headline


def draw(scenario: Scenario, step: Step, wrong: Step | None) -> Scene:
    """Where a mistake is chosen, its numbers stand below the right way's in the steps that it concerns."""
    lay = Layout.of(scenario)
    shapes = [*draw_map(lay, scenario, step), *_right_half(lay, scenario, step, wrong)]
    tokens = ", ".join(map(letter, scenario.longer))
    label = Text(
        f"A map of {scenario.n_layers} layer{'s' * (scenario.n_layers > 1)} and the tokens {tokens}: x, k and v of "
        "each. ",
        f"{scenario.n_layers} 层与各 token（{tokens.replace(', ', '、')}）的对照图：每处的 x、k、v。",
    )
    return Scene(WIDTH, lay.height, label + headline(scenario, step), tuple(shapes))


def _right_half(lay: Layout, scenario: Scenario, step: Step, wrong: Step | None) -> list[Shape]:
    if wrong is not None and (scenario.mistake in ON_THE_EDIT) != isinstance(step, Mended | AskedNext):
        wrong = None
    way, other, below = (closeup.RIGHT if wrong else None), closeup.WRONG, lay.way_h
    match step:
        case Cached():
            return closeup.cached(lay, scenario, step)
        case Project():
            right = closeup.project(lay, scenario, step, 0, "", way)
            more = closeup.project(lay, scenario, wrong, below, "wrong.", other) if isinstance(wrong, Project) else None
        case Look():
            right = closeup.look(lay, scenario, step, 0, "", way)
            more = closeup.look(lay, scenario, wrong, below, "wrong.", other) if isinstance(wrong, Look) else None
        case Finish():
            right = closeup.finish(lay, scenario, step, 0, "", way)
            more = closeup.finish(lay, scenario, wrong, below, "wrong.", other) if isinstance(wrong, Finish) else None
        case Mended():
            right = closeup.mended(lay, scenario, step, 0, "", way)
            more = closeup.mended(lay, scenario, wrong, below, "wrong.", other) if isinstance(wrong, Mended) else None
        case NextToken():
            head = Text(f"Logits behind {letter(scenario.appended)}", f"{letter(scenario.appended)} 之后的 logits")
            return closeup.vocabulary(lay, step, wrong if isinstance(wrong, NextToken) else None, head)
        case AskedNext():
            head = Text(
                f"Logits behind {letter(scenario.asked)}, asked at position {lay.n}",
                f"在位置 {lay.n} 询问 {letter(scenario.asked)}，其后的 logits",
            )
            return closeup.vocabulary(lay, step, wrong if isinstance(wrong, AskedNext) else None, head)
        case Replaced():
            return draw_replaced(lay, scenario, step)
        case _:
            return draw_induction(lay, scenario, step)
    return closeup.stacked(right, more)
