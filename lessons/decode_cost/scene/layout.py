"""Where things stand. Depends on the Scenario alone, so that nothing jumps between steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from engine.decode_cost import Mistake, Scenario
from lessons.kit.text import Text, same

WIDTH = 1130.0
SUMMARY_H = 252.0
MOST_TOKENS = 16
RIGHT, WRONG = Text("Right way", "正确做法"), Text("Wrong way", "错误做法")
NOT_CACHED = (Mistake.ROWS_AS_PAIRS, Mistake.FULL_SQUARE, Mistake.NEWEST_QUERY)  # concern the decoder without a cache


@dataclass(frozen=True)
class Layout:
    """The tokens, below them the panel of the right way, below it the one of the wrong way."""

    scenario: Scenario

    @cached_property
    def compare(self) -> bool:
        return self.scenario.mistake is not Mistake.NONE

    @cached_property
    def runs_wrong(self) -> bool:
        """The mistake is one of caching, not of counting."""
        return self.scenario.mistake is Mistake.NO_APPEND

    @cached_property
    def plain_too(self) -> bool:
        """The wrong way counts something else without a cache."""
        return self.scenario.mistake in NOT_CACHED

    @cached_property
    def cached_too(self) -> bool:
        """The wrong way does or counts something else with a cache."""
        return self.scenario.mistake is not Mistake.NEWEST_QUERY

    @cached_property
    def n_tokens(self) -> int:
        return self.scenario.n_prompt + self.scenario.n_new

    @cached_property
    def two_strips(self) -> bool:
        return self.runs_wrong and self.n_tokens <= MOST_TOKENS

    @cached_property
    def n_cells(self) -> int:
        return -(-self.scenario.n_positions // self.scenario.grain)

    @cached_property
    def pitch_x(self) -> float:
        return min(44.0 if self.scenario.grain == 1 else 56.0, 288.0 / self.n_cells)

    @cached_property
    def row_w(self) -> float:
        return 42.0 if self.scenario.grain == 1 else 52.0

    @cached_property
    def pitch_y(self) -> float:
        return min(28.0 if self.compare else 40.0, 250.0 / self.n_cells)

    @cached_property
    def strip_h(self) -> float:
        return 112.0 if self.two_strips else 66.0

    @cached_property
    def panel_h(self) -> float:
        return max(100 + self.n_cells * self.pitch_y, SUMMARY_H)

    @cached_property
    def summary_y(self) -> float:
        """How much lower a summary stands than it need."""
        return (self.panel_h - SUMMARY_H) / 3

    @cached_property
    def height(self) -> float:
        return self.strip_h + self.panel_h * (2 if self.compare else 1) + 8

    def title(self, name: Text, *, wrong: bool) -> Text:
        """With the way before it where both are drawn."""
        return (WRONG if wrong else RIGHT) + same(" · ") + name if self.compare else name
