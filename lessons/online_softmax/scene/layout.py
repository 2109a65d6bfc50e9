"""Where things stand. Depends on the Scenario alone, so that nothing jumps between steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from engine.online_softmax import Mistake, Scenario

WIDTH = 960.0
BARS_X = 24.0
CELL_W, GAP, CHANGE, PILL_W = 84.0, 4.0, 108.0, 80.0  # between cells before and after stands what changes them
NAME_W = 26.0
LETTERS = "mluo"
STRIP_H = 48.0


@dataclass(frozen=True)
class Layout:
    """The bars, what is held beside them or below, and at the foot what has moved."""

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
        return 80.0 if self.beside else min(100.0, 830.0 / self.n)

    @property
    def roomy(self) -> bool:
        """Room for words under a bar."""
        return self.pitch >= 80

    @property
    def bars_end(self) -> float:
        """The right edge of the bars."""
        return BARS_X + self.n * self.pitch

    @cached_property
    def floor(self) -> float:
        return self.body_h - 116 if self.beside else 98.0

    @property
    def bar_h(self) -> float:
        return min(220.0, self.floor - 62) if self.beside else 42.0

    @cached_property
    def lines(self) -> int:
        """Lines under a bar for its value: all numbers in one, or one each where bars stand close."""
        return 1 if self.beside else self.d

    @cached_property
    def slow_h(self) -> float:
        """Height of what lies in slow memory: labels, values, a word on each, and below few bars its caption."""
        return (72.0 if self.beside else 54.0) + 18 * self.lines

    # what is held

    @cached_property
    def held_at(self) -> tuple[float, float]:
        return (466.0, 0.0) if self.beside else (24.0, self.floor + self.slow_h + 12)

    @property
    def line_h(self) -> float:
        """From a number of the right way to the wrong way's number below it."""
        return self.cell_h + 3

    @property
    def cell_h(self) -> float:
        return 40.0 if self.beside and not self.compare else 33.0 if self.beside else 32.0

    @property
    def pitch_y(self) -> float:
        return 2 * self.line_h + 3 + self.beside if self.compare else self.cell_h + (17 if self.beside else 6)

    @property
    def head(self) -> float:
        """From the top of the chip to the first number."""
        return 50.0 if self.beside else 34.0

    def at(self, letter: str) -> tuple[float, float]:
        """Left edge and top of a quantity's line. Where they stand below the bars, two share a line if they fit."""
        x, y = self.held_at
        line, column = LETTERS.index(letter), 0
        if not self.beside:
            places = {"m": (0, 0), "l": (0, 1), "u": (1, 0), "o": (1, 1) if self.d == 1 else (2, 0)}
            line, column = places[letter]
        return x + 470 * column, y + self.head + line * self.pitch_y

    def cells_x(self, letter: str, side: str) -> float:
        """Left edge of the numbers before or after."""
        n = self.d if self.beside or letter in "uo" else 1
        return self.at(letter)[0] + NAME_W + (n * (CELL_W + GAP) + CHANGE) * (side == "after")

    @property
    def note_y(self) -> float:
        """The line below the output for what to think of it."""
        return self.at("o")[1] + (2 if self.compare else 1) * self.line_h + 13

    @cached_property
    def body_h(self) -> float:
        check = self.held_at[1] + self.head + (5 if self.compare else 3) * self.check_pitch
        return max(self.note_y + 13, check + 4)

    @property
    def check_pitch(self) -> float:
        """From one line of the last comparison to the next."""
        return self.cell_h + (12 if self.beside else 5)

    @property
    def height(self) -> float:
        return self.body_h + STRIP_H
