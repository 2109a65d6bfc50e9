"""What is said of each step, one module for one or two kinds of step."""

from __future__ import annotations

from engine.copy_on_write import Alone, Prepared, Shared, Wants, Wrote
from engine.shared_blocks import Arrived, Attended, Bill, Filled, LookUp, Named, Scenario, Step, Taken
from lessons.copy_on_write.steps.attended import attended
from lessons.copy_on_write.steps.bill import bill
from lessons.copy_on_write.steps.forked import alone, shared
from lessons.copy_on_write.steps.look_up import look_up
from lessons.copy_on_write.steps.named import arrived, named
from lessons.copy_on_write.steps.taken import filled, taken
from lessons.copy_on_write.steps.wants import wants
from lessons.copy_on_write.steps.wrote import prepared, wrote
from lessons.kit.lesson import Narration, like


def narrate(s: Scenario, step: Step, wrong: Step | None) -> Narration:
    """The step in words. Its event says what kind of step it is; of the wrong way the event is enough."""
    theirs = wrong and wrong.event
    match step.event:
        case Alone() as event:
            return alone(s, step, event, like(event, theirs))
        case Shared() as event:
            return shared(s, step, event, like(event, theirs))
        case Named() as event:
            return named(s, step, event, like(event, theirs))
        case Arrived() as event:
            return arrived(s, step, event, like(event, theirs))
        case LookUp() as event:
            return look_up(s, step, event, like(event, theirs))
        case Taken() as event:
            return taken(s, step, event, like(event, theirs))
        case Filled() as event:
            return filled(s, step, event, like(event, theirs))
        case Wants() as event:
            return wants(s, step, event, like(event, theirs))
        case Prepared() as event:
            return prepared(s, step, event, like(event, theirs))
        case Wrote() as event:
            return wrote(s, step, event, like(event, theirs))
        case Attended() as event:
            return attended(s, step, event, like(event, theirs))
        case Bill() as event:
            return bill(s, event, like(event, theirs))
