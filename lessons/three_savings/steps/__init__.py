"""What is said of each step, one module for each kind of step; a turn has one for each switch."""

from __future__ import annotations

from engine.three_savings import Ask, Baseline, Eight, Scenario, Step, Together, Turn, Which, Yours
from lessons.kit.lesson import Narration, like
from lessons.three_savings.steps.asked import asked
from lessons.three_savings.steps.baseline import baseline
from lessons.three_savings.steps.cache import cache
from lessons.three_savings.steps.eight import eight
from lessons.three_savings.steps.paging import paging
from lessons.three_savings.steps.tiles import tiles
from lessons.three_savings.steps.together import together
from lessons.three_savings.steps.which import which
from lessons.three_savings.steps.yours import yours


def narrate(s: Scenario, step: Step, wrong: Step | None) -> Narration:
    """The step in words."""
    match step:
        case Ask():
            return asked(s, step, like(step, wrong))
        case Baseline():
            return baseline(s, step, like(step, wrong))
        case Turn(name="cache"):
            return cache(s, step, like(step, wrong))
        case Turn(name="tiles"):
            return tiles(s, step, like(step, wrong))
        case Turn():
            return paging(s, step, like(step, wrong))
        case Together():
            return together(s, step, like(step, wrong))
        case Eight():
            return eight(s, step, like(step, wrong))
        case Yours():
            return yours(s, step, like(step, wrong))
        case Which():
            return which(s, step, like(step, wrong))
