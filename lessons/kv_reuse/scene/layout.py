"""Where things stand. Depends on the Scenario alone, so nothing jumps between steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from engine.kv_reuse import Mistake, Scenario

WIDTH = 1130.0
MAP_X, MAP_END = 132.0, 528.0  # the cells of the map
PANEL_X, PANEL_W = 552.0, 556.0  # the close-up at its right
ROW, ROW_H = 48.0, 41.0  # of the map
LINE, LINE_H = 34.0, 30.0  # of the close-up
ROWS_AT = PANEL_X + 36  # right of a token's letter and an anchor
VECTOR = 204.0  # a head's four numbers side by side
CELL = 50.0  # one number
SCORES_AT = ROWS_AT + VECTOR + 8
VALUES_AT = SCORES_AT + 2 * CELL + 22
ROWS_TOP = 112.0
MENDED_LINE = 38.0
VOCABULARY_ROW = 28.0


@dataclass(frozen=True)
class Layout:
    """`n` columns: the old tokens and the appended one."""

    n: int
    n_layers: int
    mistake: Mistake

    @classmethod
    def of(cls, scenario: Scenario) -> Layout:
        return cls(scenario.n_positions, scenario.n_layers, scenario.mistake)

    @cached_property
    def pitch(self) -> float:
        """From column to column of the map."""
        return min((MAP_END - MAP_X) / self.n, 132.0)

    @cached_property
    def cell_w(self) -> float:
        return self.pitch - (10.0 if self.wide else 5.0)

    @cached_property
    def wide(self) -> bool:
        """Room for numbers in a cell of the map; otherwise a letter."""
        return self.pitch >= 78.0

    @cached_property
    def numbers(self) -> int:
        """How many numbers of a vector a cell of the map shows."""
        return 2 if self.pitch >= 98.0 else 1

    @cached_property
    def map_top(self) -> float:
        return 66.0

    @cached_property
    def map_height(self) -> float:
        return self.map_top + (3 * self.n_layers + 1) * ROW

    def column(self, t: int) -> float:
        return MAP_X + t * self.pitch

    def line(self, row: str, layer: int) -> float:
        """The top of a row of the map: *x*, *k* or *v* of a layer; x of layer n_layers is the last output."""
        return self.map_top + (3 * layer + "xkv".index(row)) * ROW

    @cached_property
    def way_h(self) -> float:
        """Height of one way's close-up, in the steps where there may be two."""
        mended = 86 + 2 * self.n_layers * MENDED_LINE
        return mended if self.mistake.on_the_edit else max(ROWS_TOP + LINE * self.n + 54, 224.0, mended / 2)

    @cached_property
    def height(self) -> float:
        own, logits = ROWS_TOP + LINE * self.n + 54, 96 + 11 * VOCABULARY_ROW
        ways = self.way_h * (1 if self.mistake is Mistake.NONE else 2)
        return max(self.map_height + 6, own, ways, logits, 350.0)
