"""Where things stand. Depends on the Scenario alone, so that nothing jumps between steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from engine.online_softmax import Mistake, Scenario

WIDTH = 1130.0
BARS_X = 40.0
BAR_H = 140.0
CELL_W, GAP, PILL_W = 92.0, 6.0, 118.0


@dataclass(frozen=True)
class Layout:
    """The bars, and what is held: beside them, or below."""

    scenario: Scenario

    @cached_property
    def n(self) -> int:
        return len(self.scenario.scores)

    @property
    def d(self) -> int:
        return self.scenario.d

    @property
    def compare(self) -> bool:
        return self.scenario.mistake is not Mistake.NONE

    @cached_property
    def beside(self) -> bool:
        """Few enough keys and numbers to put bars and held state side by side."""
        return self.n <= 4 and self.d <= 2

    # the bars

    @cached_property
    def pitch(self) -> float:
        return 100.0 if self.beside else min(100.0, 950.0 / self.n)

    @property
    def roomy(self) -> bool:
        """Room for words under a bar."""
        return self.pitch >= 80

    @cached_property
    def floor(self) -> float:
        return 240.0 if self.beside and not self.compare else 210.0

    @cached_property
    def lines(self) -> int:
        """Lines under a bar for its value: all numbers in one, or one each where bars stand close."""
        return 1 if self.beside else self.d

    @cached_property
    def bars_end(self) -> float:
        return self.floor + 70 + 20 * self.lines

    # what is held

    @cached_property
    def held_at(self) -> tuple[float, float]:
        return (530.0, 0.0) if self.beside else (40.0, self.bars_end + 8)

    @property
    def pitch_y(self) -> float:
        return 46.0 if self.compare else 62.0

    @property
    def cell_h(self) -> float:
        return 34.0 if self.compare else 40.0

    @cached_property
    def panel_h(self) -> float:
        return 44 + 4 * self.pitch_y

    @cached_property
    def after_x(self) -> float:
        """From the left edge of the cells before to that of the cells after."""
        return max(self.d, 2) * (CELL_W + GAP) + 26 + PILL_W

    @cached_property
    def height(self) -> float:
        held = self.held_at[1] + self.panel_h * (2 if self.compare else 1) + 16
        return max(self.bars_end + 16, held)
