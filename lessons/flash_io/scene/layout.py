"""Where the rooms of the picture are. All of it follows from the Scenario."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from engine.flash_io import Scenario

WIDTH = 1130.0
TOP = 44.0  # of the rooms; their titles stand above
ARRAY_Y = TOP + 44
CHIP_Y, ROW_H = TOP + 78, 44.0  # the chip's first table, and a row of it
GRID_X, GRID_Y = 66.0, 88.0
HBM_X, HBM_W = 352.0, 344.0
DOOR_X, DOOR_W = 706.0, 96.0
CHIP_X, CHIP_W = 812.0, 306.0
GAP = 14.0  # between the arrays in HBM


@dataclass(frozen=True)
class Layout:
    """Of the picture of one Scenario."""

    scenario: Scenario

    @property
    def cell_w(self) -> float:
        """Of one pair in the table of scores."""
        return min(42.0, 270 / self.scenario.n_k)

    @property
    def cell_h(self) -> float:
        return min(38.0, 290 / self.scenario.n_q)

    def pair(self, i: int, j: int) -> tuple[float, float]:
        """The top left of query i and key j."""
        return GRID_X + j * self.cell_w, GRID_Y + i * self.cell_h

    @cached_property
    def arrays(self) -> tuple[str, ...]:
        """What lies in HBM, left to right."""
        if self.scenario.backward:
            return ("q", "k", "v", "o", "do", "lse", "dq", "dk", "dv")
        return ("q", "k", "v", "o", "m", "l") if self.scenario.keys_outside else ("q", "k", "v", "o", "lse")

    def across(self, name: str) -> int:
        """Numbers in a row of an array."""
        return 1 if name in ("m", "l", "lse") else self.scenario.d

    def down(self, name: str) -> int:
        """Its rows."""
        return self.scenario.n_k if name in ("k", "v", "dk", "dv") else self.scenario.n_q

    @cached_property
    def unit(self) -> float:
        """The side of one number in HBM: the same for all arrays, so that areas compare."""
        wide = sum(map(self.across, self.arrays))
        room = HBM_W - 28 - GAP * (len(self.arrays) - 1)
        return min(16.0, room / wide, 128 / max(self.scenario.n_q, self.scenario.n_k), 148 / self.scenario.n_k)

    @property
    def table_y(self) -> float:
        """The top of S and P in HBM."""
        return ARRAY_Y + max(self.scenario.n_q, self.scenario.n_k) * self.unit + 42

    @property
    def state_y(self) -> float:
        """The top of the chip's second table."""
        return CHIP_Y + self.scenario.tile_q * ROW_H + 40

    @property
    def room_h(self) -> float:
        """Of each room, tall enough for all that any step shows in it."""
        s = self.scenario
        grid = GRID_Y + s.n_q * self.cell_h
        return max(grid, self.table_y + s.n_q * self.unit, self.state_y + s.tile_q * ROW_H) + 14 - TOP

    @property
    def height(self) -> float:
        return TOP + self.room_h + 30

    def array_x(self, name: str) -> float:
        """The left of an array in HBM."""
        before = self.arrays[: self.arrays.index(name)]
        return HBM_X + 14 + sum(self.across(other) * self.unit + GAP for other in before)
