"""What is said of each step, one module for each kind of step."""

from __future__ import annotations

from engine.paged_lookup import Appended, Arrived, Filled, Freed, LookUp, Read, WhichBlock, WhichOffset
from engine.paged_output import Attended, Scenario, Step
from lessons.block_table.steps.appended import appended
from lessons.block_table.steps.arrived import arrived
from lessons.block_table.steps.attended import attended
from lessons.block_table.steps.filled import filled
from lessons.block_table.steps.freed import freed
from lessons.block_table.steps.look_up import look_up
from lessons.block_table.steps.read import read
from lessons.block_table.steps.which import which_block, which_offset
from lessons.kit.lesson import Narration, like


def narrate(s: Scenario, step: Step, wrong: Step | None) -> Narration:
    """The step in words."""
    match step:
        case Filled():
            return filled(s, step, like(step, wrong))
        case WhichBlock():
            return which_block(s, step, like(step, wrong))
        case WhichOffset():
            return which_offset(s, step, like(step, wrong))
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
