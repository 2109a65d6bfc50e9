"""The wrong ways that this lesson runs."""

# TODO: each misconception once. Its paragraph, slips and guesses are derived from it.

from __future__ import annotations

from lessons.kit.mistake import Mistakes, Wrong
from lessons.kit.text import Text
from lessons.new.running_total.engine import Mistake, Scenario

MISTAKES: Mistakes[Scenario] = Mistakes(
    Mistake.NONE,
    {
        Mistake.OVERWRITES: Wrong(
            title=Text("the total is overwritten", "总和被覆盖"),
            said=Text(
                "the new number takes the place of the total, and what was added before is lost.",
                "新的数占了总和的位置，之前加上的都丢了。",
            ),
            invisible=Text(
                "the total was still 0 whenever a number came, so nothing is lost. Take more numbers.",
                "每个数到来时总和都还是 0，没有东西可丢。多取几个数试试。",
            ),
        ),
    },
)
