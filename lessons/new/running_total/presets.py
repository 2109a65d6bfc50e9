"""The examples: the first is shown first."""

# TODO: the smallest example on which everything happens, then those that show something else.

from __future__ import annotations

from lessons.kit.lesson import Preset
from lessons.kit.text import Text
from lessons.new.running_total.engine import Scenario

SMALL = Scenario()

PRESETS = (
    Preset("small", Text("four numbers", "四个数"), SMALL),
    Preset("one", Text("a single number", "只有一个数"), Scenario(first=5, n=1)),
)
