"""Numbers added one by one, and what happens when the total is overwritten instead."""

# TODO: the mathematics of your lesson, with its source. Shapes, units and errors stand in docstrings.

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from engine.checked import checked_int


class Mistake(Enum):
    """Wrong ways. Each runs in the same loop and stops in the same places."""

    NONE = "none"
    OVERWRITES = "overwrites"  # the number takes the total's place


@dataclass(frozen=True)
class Scenario:
    """Everything a reader may change: `n` numbers from `first` on. Raises ValueError that names the argument."""

    first: int = 3
    n: int = 4
    mistake: Mistake = Mistake.NONE

    def __post_init__(self) -> None:
        checked_int("first", self.first, 0)
        checked_int("n", self.n, 1)

    @property
    def numbers(self) -> tuple[int, ...]:
        """What is added, in this order."""
        return tuple(range(self.first, self.first + self.n))

    @property
    def total(self) -> int:
        """The right sum, by formula."""
        return self.n * (2 * self.first + self.n - 1) // 2


@dataclass(frozen=True)
class Start:
    """Nothing has been added."""

    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Add:
    """The `i`-th number (from 0) has met the total."""

    i: int
    number: int
    before: int
    total: int


@dataclass(frozen=True)
class Done:
    """All have."""

    n: int
    total: int


Step = Start | Add | Done


def trace(scenario: Scenario) -> Iterator[Step]:
    """Stops wherever the reader should look, in the same places whatever the mistake.

    >>> [step.total for step in trace(Scenario(3, 2)) if isinstance(step, Add)]
    [3, 7]
    """
    yield Start(scenario.numbers)
    total = 0
    for i, number in enumerate(scenario.numbers):
        before = total
        total = number if scenario.mistake is Mistake.OVERWRITES else total + number
        yield Add(i, number, before, total)
    yield Done(scenario.n, total)
