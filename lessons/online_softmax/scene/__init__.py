"""The picture of one step: the scores as bars, and what is held before and after, beside or below them."""

from __future__ import annotations

from engine.online_softmax import Scenario, Step, WholeTable
from lessons.kit.format import short
from lessons.kit.lesson import like
from lessons.kit.scene import Scene, marked
from lessons.kit.text import Text
from lessons.online_softmax.scene.bars import bars
from lessons.online_softmax.scene.held import panel
from lessons.online_softmax.scene.layout import WIDTH, Layout
from lessons.online_softmax.scene.whole_table import whole_table

RIGHT, WRONG = Text("Right way", "正确做法"), Text("Wrong way", "错误做法")


def draw(scenario: Scenario, step: Step, wrong: Step | None) -> Scene:
    """Both ways in one picture where a mistake is chosen, each cell of the wrong way that differs hatched."""
    lay = Layout(scenario)
    shapes = bars(lay, step)
    if isinstance(step, WholeTable):
        shapes += whole_table(lay)
    else:
        _, y = lay.held_at
        right, other = panel(lay, step, y, "", RIGHT if wrong else None), like(step, wrong)
        shapes += right
        if other is not None:
            shapes += marked(panel(lay, other, y + lay.panel_h, "wrong.", WRONG), right, prefix="wrong.")
    return Scene(WIDTH, lay.height, _label(scenario), tuple(shapes))


def _label(s: Scenario) -> Text:
    """What the picture shows, for those who cannot see it."""
    scores = ", ".join(f"{s.labels[key]} {short(s.scores[key])}" for key in s.reading)
    return Text(f"Bar chart of the scores in reading order: {scores}. ", f"按读取顺序排列的分数柱状图：{scores}。")
