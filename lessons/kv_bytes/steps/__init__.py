"""What is said of each step: the rungs of the ladder, then a module for each look at the total."""

from __future__ import annotations

from engine.kv_size import HeadCounts, Multiply, OnDevice, OneMore, RungName, Scenario, Step, Units
from lessons.kit.lesson import Narration, like
from lessons.kv_bytes.steps.head_counts import head_counts
from lessons.kv_bytes.steps.on_device import on_device
from lessons.kv_bytes.steps.one_more import one_more
from lessons.kv_bytes.steps.rows import batch, layers, tokens
from lessons.kv_bytes.steps.sizes import itemsize, k_and_v, scales
from lessons.kv_bytes.steps.units import units
from lessons.kv_bytes.steps.vectors import heads, width

_RUNGS = {
    RungName.LAYERS: layers,
    RungName.BATCH: batch,
    RungName.TOKENS: tokens,
    RungName.HEADS: heads,
    RungName.WIDTH: width,
    RungName.ITEMSIZE: itemsize,
    RungName.SCALES: scales,
    RungName.K_AND_V: k_and_v,
}


def narrate(s: Scenario, step: Step, wrong: Step | None) -> Narration:
    """The step in words."""
    match step:
        case Multiply():
            return _RUNGS[step.rung.name](s, step, like(step, wrong))
        case Units():
            return units(s, step, like(step, wrong))
        case OneMore():
            return one_more(s, step, like(step, wrong))
        case HeadCounts():
            return head_counts(s, step, like(step, wrong))
        case OnDevice():
            return on_device(s, step, like(step, wrong))
