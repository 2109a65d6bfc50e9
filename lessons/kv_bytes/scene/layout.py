"""Where things stand. Depends on the Scenario alone, so that nothing jumps between steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from engine.kv_ladder import Mistake
from engine.kv_size import Multiply, Scenario, Step

WIDTH = 1130.0
TITLE_Y = 28.0  # of all headings
FLOOR, TALL = 330.0, 240.0  # of the bars in the panel: the line they stand on, and the tallest
CELL_H, GAP = 41.0, 6.0
_TOP, _PITCH = 46.0, 46.0


@dataclass(frozen=True)
class Layout:
    """A ladder of `rungs` rungs, twice where a mistake is chosen, and a panel at the right."""

    rungs: int
    compare: bool

    @classmethod
    def of(cls, s: Scenario, step: Step) -> Layout:
        return cls(len(step.ladder), s.mistake is not Mistake.NONE)

    @cached_property
    def height(self) -> float:
        return _TOP + (self.rungs + 2) * _PITCH + 16

    @cached_property
    def factor_w(self) -> float:
        return 126.0 if self.compare else 150.0

    @cached_property
    def product_w(self) -> float:
        return 170.0 if self.compare else 190.0

    @cached_property
    def ways(self) -> tuple[float, ...]:
        """Left edges of the factors, right way first."""
        return (142.0, 498.0) if self.compare else (146.0,)

    @cached_property
    def panel_at(self) -> tuple[float, float]:
        """Left edge and width of the panel on the right."""
        return (868.0, 246.0) if self.compare else (600.0, 506.0)

    def product_x(self, x: float) -> float:
        """Left edge of the products beside factors at x."""
        return x + self.factor_w + 30

    def y(self, i: int) -> float:
        """Top of rung i; the total and one more token stand a little apart."""
        return _TOP + i * _PITCH + (10 if i >= self.rungs else 0)


def reached(step: Step) -> int:
    """The rung put in by this step; one past the last once all are in."""
    return step.at if isinstance(step, Multiply) else len(step.ladder)
