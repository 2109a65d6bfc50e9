"""Where things stand. Depends on the Scenario alone, so that nothing jumps between steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from engine.paged import Mistake, blocks_for
from engine.paged_output import Scenario

WIDTH, MARGIN = 960.0, 20.0
LEFT = 158.0  # right of the row titles
SIDE = 64.0  # the names of the two ways, left of the pool
TOKEN_H, ENTRY_H = 32.0, 30.0
GAP = 14.0  # between two blocks of the pool
FOOT_H, FOOT_DY = 30.0, 34.0  # the lines below the pool
LEAST_SLOT, MOST_SLOT = 24.0, 44.0


def slot_key(place: int) -> str:
    """The key of a slot of the pool in the picture."""
    return f"pool.{place}"


@dataclass(frozen=True)
class Layout:
    """The tokens in order, the table below them, the pool, and a line of what is worked out: two with a mistake, whose
    slots stand below the right way's."""

    scenario: Scenario

    token_y = 24.0
    bracket_y = 60.0
    entry_y = 96.0

    @cached_property
    def compare(self) -> bool:
        return self.scenario.mistake is not Mistake.NONE

    # the tokens and the table

    @cached_property
    def n_logical(self) -> int:
        return blocks_for(self.scenario.n_final, self.scenario.block_size)

    @cached_property
    def places(self) -> int:
        """Token places in the logical row: whole blocks, unless that would make them too small."""
        whole = self.n_logical * self.scenario.block_size
        return whole if whole <= 20 else self.scenario.n_final

    @cached_property
    def gap(self) -> float:
        return GAP if self.n_logical <= 10 else 6.0

    @cached_property
    def token_w(self) -> float:
        inner = (self.places - self.n_logical) * 3
        return min(40.0, (WIDTH - MARGIN - LEFT - inner - (self.n_logical - 1) * self.gap) / self.places)

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
        apart = min(apart, 2 * (WIDTH - 2 - self.middle(self.n_logical - 1)))
        return "long" if apart >= 112 else "short" if apart >= 62 else "number"

    @cached_property
    def entry_w(self) -> float:
        return min(52.0, self.block_w(0) if self.n_logical > 1 else 52.0)

    # the pool

    @cached_property
    def pool_blocks(self) -> tuple[int, ...]:
        """The blocks drawn, in the pool's order: those handed out here, and those read without the table."""
        scenario = self.scenario
        needed = self.n_logical + blocks_for(scenario.n_second, scenario.block_size)
        stray = range(self.n_logical) if scenario.mistake is Mistake.LOGICAL_AS_PHYSICAL else ()
        return tuple(sorted({*scenario.hand_out[:needed], *stray}))

    @cached_property
    def pool_left(self) -> float:
        return MARGIN + (SIDE if self.compare else 0)

    @cached_property
    def _grid(self) -> tuple[int, float]:
        """Blocks a line and the width of a slot."""
        n, size = len(self.pool_blocks), self.scenario.block_size
        for lines in range(1, n + 1):
            a_line = -(-n // lines)
            w = ((WIDTH - MARGIN - self.pool_left + GAP) / a_line - GAP - (size - 1) * 2) / size
            if w >= LEAST_SLOT or a_line == 1:
                return a_line, min(w, MOST_SLOT)
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
    def numbers_dy(self) -> float:
        """From the top of a line to the base of its slot numbers."""
        return self.slot_h + (18 if self.roomy else 16) + (self.wrong_dy if self.compare else 0)

    @cached_property
    def line_h(self) -> float:
        """One line of pool blocks with all that stands below it."""
        return self.numbers_dy + 32

    @cached_property
    def lane(self) -> float:
        """Room between two lines for an arrow, where one has to pass."""
        return 14.0 if self.pool_line(self.looked_up // self.scenario.block_size) else 0.0

    def line_y(self, line: int) -> float:
        return self.pool_y + line * (self.line_h + self.lane)

    @cached_property
    def roomy(self) -> bool:
        """Whether the pool is one line, which leaves room for taller slots."""
        return self.pool_lines == 1

    @cached_property
    def slot_h(self) -> float:
        return 36.0 if self.roomy else 28.0

    @cached_property
    def wrong_dy(self) -> float:
        """From a slot of the right way to the same slot of the wrong one."""
        return self.slot_h + 3

    @cached_property
    def pool_y(self) -> float:
        """Top of the first line of slots."""
        return 174.0 if self.roomy else 162.0

    def pool_line(self, block: int) -> int:
        return self.pool_blocks.index(block) // self._grid[0]

    def pool_x(self, block: int) -> float:
        return self.pool_left + self.pool_blocks.index(block) % self._grid[0] * (self.pool_block_w + GAP)

    def slot_at(self, place: int) -> tuple[float, float]:
        """Top left of a slot."""
        block, offset = divmod(place, self.scenario.block_size)
        return self.pool_x(block) + offset * (self.slot_w + 2), self.line_y(self.pool_line(block))

    @cached_property
    def looked_up(self) -> int:
        """The slot of the position that is looked up."""
        logical, offset = divmod(self.scenario.position, self.scenario.block_size)
        return self.scenario.hand_out[logical] * self.scenario.block_size + offset

    # the whole

    @cached_property
    def foot_y(self) -> float:
        """Top of the lines below the pool."""
        return self.line_y(self.pool_lines - 1) + self.line_h + (10 if self.roomy else 0)

    @cached_property
    def height(self) -> float:
        return self.foot_y + FOOT_H + (FOOT_DY if self.compare else 0) + 4
