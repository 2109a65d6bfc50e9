"""Tables of cached rows to tick: a line for each layer, a column for each position, measured by the running model."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.prompt_edits import ROUNDING, Experiment, Operation, Sight, measure
from lessons.kit.reply import Answer, Tick
from lessons.kit.text import Text

Bools = npt.NDArray[np.bool_]


class Stale(NamedTuple):
    """Which rows of k and of v no longer hold, or are new: (n_layers, T) each."""

    k: Bools
    v: Bools


@lru_cache(maxsize=1024)
def changed(
    operation: Operation, length: int, at: int, n_layers: int, sight: Sight = Sight.CAUSAL, window: int = 4
) -> Stale:
    """What the operation at position `at` changes, token by token."""
    outcome = measure(Experiment(operation, length=length, position=at, n_layers=n_layers), sight, window)
    return Stale(*(~(table <= ROUNDING) for table in (outcome.k, outcome.v)))  # NaN, a new row, is not ≤


def answer(cells: Bools) -> Answer:
    """Row by row, 1 for each ticked cell."""
    return tuple(map(float, cells.ravel().astype(int)))


def from_position(at: int, n: int, layers: int) -> Bools:
    """Every row from a position on, in every layer."""
    return np.broadcast_to(np.arange(n) >= at, (layers, n)).copy()


def positions(n: int) -> tuple[Text, ...]:
    """The columns."""
    return tuple(Text(f"pos. {t}", f"位置 {t}") for t in range(n))


KEYS_BY_LAYER: Tick[Any] = Tick(
    lambda q: tuple(Text(f"layer {i}", f"第 {i} 层") for i in range(q.layers)),
    lambda q: positions(q.length),
)
