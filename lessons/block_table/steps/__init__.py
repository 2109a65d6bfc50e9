"""What is said of each step, one module for each kind of step."""

from __future__ import annotations

from engine.paged_lookup import Appended, Arrived, Divided, Filled, Freed, LookUp, Read
from engine.paged_output import Attended, Reserved, Saved, Scenario, Step
from lessons.block_table.steps.appended import appended
from lessons.block_table.steps.arrived import arrived
from lessons.block_table.steps.attended import attended
from lessons.block_table.steps.divided import divided
from lessons.block_table.steps.filled import filled
from lessons.block_table.steps.freed import freed
from lessons.block_table.steps.look_up import look_up
from lessons.block_table.steps.read import read
from lessons.block_table.steps.reserved import reserved
from lessons.block_table.steps.saved import saved
from lessons.kit.lesson import Narration, like


def narrate(s: Scenario, step: Step, wrong: Step | None) -> Narration:
    """The step in words."""
    match step:
        case Reserved():
            return reserved(s, step, like(step, wrong))
        case Filled():
            return filled(s, step, like(step, wrong))
        case Divided():
            return divided(s, step, like(step, wrong))
        case LookUp():
            return look_up(s, step, like(step, wrong))
        case Read():
            return read(s, step, like(step, wrong))
        case Attended():
            return attended(s, step, like(step, wrong))
        case Appended():
            return appended(s, step, like(step, wrong))
        case Arrived():
            return arrived(s, step, like(step, wrong))
        case Freed():
            return freed(s, step, like(step, wrong))
        case Saved():
            return saved(s, step, like(step, wrong))
