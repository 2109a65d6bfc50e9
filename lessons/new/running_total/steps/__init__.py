"""What is said of each step."""

# TODO: one function for each kind of step, a module for each where they grow long.

from __future__ import annotations

from lessons.kit.lesson import Narration, like
from lessons.new.running_total.engine import Add, Done, Scenario, Start, Step
from lessons.new.running_total.steps.add import add
from lessons.new.running_total.steps.ends import done, start


def narrate(s: Scenario, step: Step, wrong: Step | None) -> Narration:
    """The step in words; `wrong` is the same step of the wrong way, where a mistake is chosen."""
    match step:
        case Start():
            return start(s, step, like(step, wrong))
        case Add():
            return add(s, step, like(step, wrong))
        case Done():
            return done(s, step, like(step, wrong))
