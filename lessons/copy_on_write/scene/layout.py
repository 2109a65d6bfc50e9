"""Where things stand in the picture."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from engine.copy_on_write import NAMES
from engine.shared_blocks import Bill, Mistake, Scenario
from lessons.copy_on_write.trace import trace

WIDTH, MARGIN = 1130.0, 24.0
HALF = 526.0
GROUP_GAP, CELL_GAP = 9.0, 2.0
ROW_H = 126.0  # of a block with all that is written around it
LEAST_W = 126.0  # of a block: what is written under it needs as much


@dataclass(frozen=True)
class Layout:
    """Where things stand. Depends on the Scenario alone, so nothing jumps between steps."""

    scenario: Scenario
    n_blocks: int  # shown: those that get used, and the next free one

    @cached_property
    def compare(self) -> bool:
        return self.scenario.mistake is not Mistake.NONE

    @cached_property
    def size(self) -> int:
        return self.scenario.block_size

    @cached_property
    def named(self) -> bool:
        """Blocks have names: a prefix cache is at work."""
        return not self.scenario.forked

    @cached_property
    def n_positions(self) -> int:
        """Of the longer request, at the end."""
        prompts = self.scenario.prompts
        return max(len(p) + self.scenario.writers.count(name) for name, p in zip(NAMES, prompts, strict=True))

    @cached_property
    def n_drawn(self) -> int:
        """Positions there is room for: whole blocks, if that leaves the cells wide enough to read."""
        whole = -(-self.n_positions // self.size) * self.size
        return whole if self._cell_w(whole) >= 28.0 else self.n_positions

    def _cell_w(self, n: int) -> float:
        groups = -(-n // self.size)
        return min(40.0, (HALF - (groups - 1) * (GROUP_GAP - CELL_GAP)) / n - CELL_GAP)

    @cached_property
    def cell_w(self) -> float:
        return self._cell_w(self.n_drawn)

    @cached_property
    def tops(self) -> dict[str, float]:
        """From the top of a panel: the rows of a request, then the pool, whose title a comparison leaves out."""
        cells = 40.0 if self.compare else 34.0  # a mark stands on a cell gone wrong
        names = cells + (50.0 if self.named else 40.0)
        table = names + (36.0 if self.named else 0.0)
        line = table + 38
        return {
            "cells": cells,
            "names": names,
            "table": table,
            "line": line,
            "pool": line + (36 if self.compare else 62),
        }

    @cached_property
    def gap(self) -> float:
        """Between two blocks."""
        return 30.0 if self.n_blocks <= 5 else 20.0

    @cached_property
    def slot_w(self) -> float:
        """As wide as lets all blocks stand in one row; where they cannot, in a few."""
        n = self.n_blocks
        one_row = ((WIDTH - 2 * MARGIN - (n - 1) * self.gap) / n + CELL_GAP) / self.size - CELL_GAP
        if one_row >= 29.5 and self.size * (one_row + CELL_GAP) - CELL_GAP >= LEAST_W:
            return min(44.0, one_row)
        return 38.0 if self.size <= 5 else 32.0

    @cached_property
    def block_w(self) -> float:
        return max(self.size * (self.slot_w + CELL_GAP) - CELL_GAP, LEAST_W)

    @cached_property
    def per_row(self) -> int:
        return int((WIDTH - 2 * MARGIN + self.gap + 0.01) // (self.block_w + self.gap))

    @cached_property
    def panel_h(self) -> float:
        rows = -(-self.n_blocks // self.per_row)
        return self.tops["pool"] + 6 + rows * ROW_H

    def place(self, i: int, y: float) -> tuple[float, float]:
        """Top left of the slots of the i-th block shown, in a panel at y."""
        row, column = divmod(i, self.per_row)
        return MARGIN + column * (self.block_w + self.gap), y + self.tops["pool"] + 40 + row * ROW_H

    def cell_x(self, left: float, position: int) -> float:
        return left + position * (self.cell_w + CELL_GAP) + position // self.size * (GROUP_GAP - CELL_GAP)

    def group(self, left: float, logical: int) -> tuple[float, float]:
        """Left edge and width of a logical block."""
        x = self.cell_x(left, logical * self.size)
        return x, min(self.size, self.n_drawn - logical * self.size) * (self.cell_w + CELL_GAP) - CELL_GAP


@lru_cache(maxsize=64)
def blocks_used(scenario: Scenario) -> int:
    """Blocks in use at the end."""
    *_, last = trace(scenario)
    assert isinstance(last.event, Bill)
    return last.event.n_used
