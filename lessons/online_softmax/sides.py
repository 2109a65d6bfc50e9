"""What is held before and after a step."""

from __future__ import annotations

from engine.online_softmax import (
    AddTile,
    Check,
    CompareMax,
    Divide,
    ReadTile,
    Shrink,
    State,
    Step,
    WholeTable,
)
from lessons.kit.format import fixed, short, vector


def sides(step: Step) -> tuple[State, State]:
    """What is held before and after a step; a step that only looks leaves it as it is."""
    match step:
        case Shrink(before=before, after=after) | AddTile(before=before, after=after):
            return before, after
        case ReadTile(held=held) | CompareMax(held=held) | Divide(held=held) | Check(held=held):
            return held, held
        case WholeTable():
            raise ValueError("step: nothing is held before the first tile")


def three(state: State) -> tuple[str, str, str]:
    return short(float(state.m)), fixed(float(state.l)), vector(state.u.tolist())
