"""The lesson's steps, run once for its figure, its words and its questions: the engine's, and what was saved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine import online_softmax
from engine.chip import Moved
from engine.online_softmax import Scenario
from lessons.kit.remembered import remembered
from lessons.online_softmax.head import PLAIN, TILED


@dataclass(frozen=True)
class Saved:
    """The end: what a whole head moves, the plain way and in tiles."""

    plain: Moved
    tiled: Moved


Step = online_softmax.Step | Saved


def _trace(scenario: Scenario) -> Iterator[Step]:
    yield from online_softmax.trace(scenario)
    yield Saved(PLAIN, TILED)


trace = remembered(_trace)
