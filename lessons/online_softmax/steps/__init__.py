"""What is said of each step, one module for each kind of step."""

from __future__ import annotations

from engine.online_softmax import AddTile, Check, CompareMax, Divide, ReadTile, Scenario, Shrink, WholeTable
from lessons.kit.lesson import Narration, like
from lessons.online_softmax.steps.add import add
from lessons.online_softmax.steps.check import check
from lessons.online_softmax.steps.compare import compare
from lessons.online_softmax.steps.divide import divide
from lessons.online_softmax.steps.read import read
from lessons.online_softmax.steps.saved import saved
from lessons.online_softmax.steps.shrink import shrink
from lessons.online_softmax.steps.whole_table import whole_table
from lessons.online_softmax.trace import Saved, Step


def narrate(s: Scenario, step: Step, wrong: Step | None) -> Narration:
    """The step in words."""
    match step:
        case WholeTable():
            return whole_table(s, step, like(step, wrong))
        case ReadTile():
            return read(s, step, like(step, wrong))
        case CompareMax():
            return compare(s, step, like(step, wrong))
        case Shrink():
            return shrink(s, step, like(step, wrong))
        case AddTile():
            return add(s, step, like(step, wrong))
        case Divide():
            return divide(s, step, like(step, wrong))
        case Check():
            return check(s, step, like(step, wrong))
        case Saved():
            return saved(s, step, like(step, wrong))
