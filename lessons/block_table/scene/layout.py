"""Where things stand. Depends on the Scenario alone, so that nothing jumps between steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from engine.paged import Mistake, blocks_for
from engine.paged_output import Scenario

WIDTH, MARGIN = 1130.0, 24.0
LEFT = 168.0  # the column of row titles
NOTES = 800.0
TOKEN_H, ENTRY_H, SLOT_H = 40.0, 36.0, 36.0
GAP = 14.0  # between two blocks of the pool
ROW_H = 104.0  # one line of pool blocks with all that stands below it


def slot_key(place: int) -> str:
    """The key of a slot of the pool in the picture."""
    return f"pool.{place}"


@dataclass(frozen=True)
class Layout:
    """The logical row and the table below it, the pool, the notes at the right or at the foot."""

    scenario: Scenario

    @cached_property
    def compare(self) -> bool:
        return self.scenario.mistake is not Mistake.NONE

    # the logical row

    @cached_property
    def n_logical(self) -> int:
        return blocks_for(self.scenario.n_final, self.scenario.block_size)

    @cached_property
    def places(self) -> int:
        """Token places in the logical row: whole blocks, unless that would make them too small."""
        whole = self.n_logical * self.scenario.block_size
        return whole if whole <= 20 else self.scenario.n_final

    def _token_w(self, width: float, gap: float) -> float:
        inner = (self.places - self.n_logical) * 3
        return min(44.0, (width - inner - (self.n_logical - 1) * gap) / self.places)

    @cached_property
    def gap(self) -> float:
        return 14.0 if self.n_logical <= 10 else 6.0

    @cached_property
    def beside(self) -> bool:
        """Room for the notes at the right of the logical row."""
        return self._token_w(NOTES - LEFT - 24, self.gap) >= 32

    @cached_property
    def token_w(self) -> float:
        return self._token_w((NOTES - 24 if self.beside else WIDTH - MARGIN) - LEFT, self.gap)

    def token_x(self, position: int) -> float:
        block, offset = divmod(position, self.scenario.block_size)
        return self.block_x(block) + offset * (self.token_w + 3)

    def block_x(self, block: int) -> float:
        size = self.scenario.block_size
        return LEFT + block * (size * self.token_w + (size - 1) * 3 + self.gap)

    def block_w(self, block: int) -> float:
        n = min(self.scenario.block_size, self.places - block * self.scenario.block_size)
        return n * self.token_w + (n - 1) * 3

    def middle(self, block: int) -> float:
        return self.block_x(block) + self.block_w(block) / 2

    @cached_property
    def words(self) -> str:
        """How the logical blocks are named: long, short or by number, whatever fits."""
        apart = min((self.middle(b + 1) - self.middle(b) for b in range(self.n_logical - 1)), default=200.0)
        apart = min(apart, 2 * ((NOTES if self.beside else WIDTH - 2) - self.middle(self.n_logical - 1)))
        return "long" if apart >= 112 else "short" if apart >= 62 else "number"

    @cached_property
    def entry_w(self) -> float:
        return min(56.0, self.block_w(0) if self.n_logical > 1 else 56.0)

    token_y = 18.0
    bracket_y = 62.0
    entry_y = 122.0

    @cached_property
    def table_end(self) -> float:
        return self.entry_y + ENTRY_H

    # the pool

    @cached_property
    def pool_blocks(self) -> tuple[int, ...]:
        """The blocks drawn, in the pool's order: those handed out here, and those read without the table."""
        scenario = self.scenario
        needed = self.n_logical + blocks_for(scenario.n_second, scenario.block_size)
        stray = range(self.n_logical) if scenario.mistake is Mistake.LOGICAL_AS_PHYSICAL else ()
        return tuple(sorted({*scenario.hand_out[:needed], *stray}))

    @cached_property
    def _grid(self) -> tuple[int, float]:
        """Blocks a line and the width of a slot."""
        n, size = len(self.pool_blocks), self.scenario.block_size
        for lines in range(1, n + 1):
            a_line = -(-n // lines)
            w = ((WIDTH - 2 * MARGIN + GAP) / a_line - GAP - (size - 1) * 2) / size
            if w >= 29 or a_line == 1:
                return a_line, min(w, 46.0)
        raise AssertionError("one block a line always fits")

    @cached_property
    def slot_w(self) -> float:
        return self._grid[1]

    @cached_property
    def pool_block_w(self) -> float:
        size = self.scenario.block_size
        return size * self.slot_w + (size - 1) * 2

    @cached_property
    def pool_lines(self) -> int:
        return -(-len(self.pool_blocks) // self._grid[0])

    @cached_property
    def pool_y(self) -> float:
        """Top of the first line of slots."""
        return self.table_end + 62

    @cached_property
    def pool_h(self) -> float:
        return self.pool_lines * ROW_H

    @cached_property
    def wrong_pool_y(self) -> float:
        return self.pool_y + self.pool_h + 34

    def pool_line(self, block: int) -> int:
        return self.pool_blocks.index(block) // self._grid[0]

    def pool_x(self, block: int) -> float:
        return MARGIN + self.pool_blocks.index(block) % self._grid[0] * (self.pool_block_w + GAP)

    def slot_at(self, place: int) -> tuple[float, float]:
        """Top left of a slot in the right way's pool, from the pool's own top."""
        block, offset = divmod(place, self.scenario.block_size)
        return self.pool_x(block) + offset * (self.slot_w + 2), self.pool_line(block) * ROW_H

    # the whole

    @cached_property
    def pool_end(self) -> float:
        return (self.wrong_pool_y if self.compare else self.pool_y) + self.pool_h - 14

    @cached_property
    def notes_at(self) -> tuple[float, float]:
        return (NOTES, 18.0) if self.beside else (LEFT, self.pool_end + 16)

    @cached_property
    def height(self) -> float:
        return self.pool_end + (0 if self.beside else 172 if self.compare else 136) + 8
