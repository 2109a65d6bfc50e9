"""The picture of one step: the scores as bars, what is held on the chip, and what has moved; at both ends, the whole
head."""

from __future__ import annotations

from engine.online_softmax import Scenario, WholeTable
from lessons.kit.format import short
from lessons.kit.lesson import like
from lessons.kit.scene import Scene, marked
from lessons.kit.text import Text
from lessons.online_softmax.head import LENGTH
from lessons.online_softmax.scene.bars import bars
from lessons.online_softmax.scene.held import panel, place
from lessons.online_softmax.scene.layout import WIDTH, Layout
from lessons.online_softmax.scene.moved import moved
from lessons.online_softmax.scene.saved import saved
from lessons.online_softmax.scene.whole_table import whole_table
from lessons.online_softmax.trace import Saved, Step


def draw(scenario: Scenario, step: Step, wrong: Step | None) -> Scene:
    """Both ways in one picture where a mistake is chosen, each cell of the wrong way that differs hatched."""
    lay = Layout(scenario)
    match step:
        case WholeTable():
            return Scene(WIDTH, lay.height, _head(), tuple(whole_table()))
        case Saved():
            return Scene(WIDTH, lay.height, _head(), tuple(saved(step)))
    right, other = panel(lay, step), like(step, wrong)
    both = [*right, *marked(panel(lay, other, beside=step), right, prefix="wrong.")] if other is not None else right
    return Scene(WIDTH, lay.height, _label(scenario), (*place(lay, step), *bars(lay, step), *both, *moved(lay, step)))


def _head() -> Text:
    return Text(
        f"What one head of {LENGTH} tokens moves between slow memory and the chip. ",
        f"{LENGTH} 个 token 的一个头在慢速显存与片上之间搬运的字节。",
    )


def _label(s: Scenario) -> Text:
    """What the picture shows, for those who cannot see it."""
    scores = ", ".join(f"{s.labels[key]} {short(s.scores[key])}" for key in s.reading)
    return Text(f"Bar chart of the scores in reading order: {scores}. ", f"按读取顺序排列的分数柱状图：{scores}。")
