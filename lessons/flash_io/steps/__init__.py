"""What is said of each step, one module for each stage of the walk."""

from __future__ import annotations

from engine.flash_io import (
    Clear,
    Compare,
    Fold,
    Forward,
    Gradients,
    LoadKV,
    LoadQ,
    Pass,
    Rebuild,
    Scenario,
    Score,
    Skip,
    Start,
    Stop,
    Write,
    WriteKV,
)
from lessons.flash_io.steps.backward import forward, gradients, rebuild, write_kv
from lessons.flash_io.steps.compare import compare
from lessons.flash_io.steps.load import clear, load_kv, load_q, start
from lessons.flash_io.steps.plain import plain_pass
from lessons.flash_io.steps.tile import fold, score, skip
from lessons.flash_io.steps.write import write
from lessons.kit.lesson import Narration, like


def narrate(s: Scenario, step: Stop, wrong: Stop | None) -> Narration:
    """The step in words."""
    match step:
        case Start():
            return start(s, step, like(step, wrong))
        case Clear():
            return clear(s, step, like(step, wrong))
        case LoadQ():
            return load_q(s, step, like(step, wrong))
        case LoadKV():
            return load_kv(s, step, like(step, wrong))
        case Score():
            return score(s, step, like(step, wrong))
        case Fold():
            return fold(s, step, like(step, wrong))
        case Skip():
            return skip(s, step, like(step, wrong))
        case Write():
            return write(s, step, like(step, wrong))
        case Pass():
            return plain_pass(s, step, like(step, wrong))
        case Compare():
            return compare(s, step, like(step, wrong))
        case Forward():
            return forward(s, step, like(step, wrong))
        case Rebuild():
            return rebuild(s, step, like(step, wrong))
        case WriteKV():
            return write_kv(s, step, like(step, wrong))
        case Gradients():
            return gradients(s, step, like(step, wrong))
