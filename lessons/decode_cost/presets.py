"""The examples: small enough to see each pass, the sources' own, and one that is only counted."""

from __future__ import annotations

from engine.decode_cost import Scenario
from lessons.kit.lesson import Preset
from lessons.kit.text import Text

PRESETS = (
    Preset("short", Text("3 prompt tokens, 4 new ones", "3 个提示 token，4 个新 token"), Scenario()),
    Preset("hundred", Text("100 steps from one token", "从一个 token 起走 100 步"), Scenario(1, 100)),
    Preset("ten", Text("10 steps from one token", "从一个 token 起走 10 步"), Scenario(1, 10)),
    Preset("ten-five", Text("P = 10, M = 5", "提示 P = 10，新 M = 5"), Scenario(10, 5)),
    Preset(
        "long", Text("P = 1000, M = 100 (counted only)", "提示 P = 1000，新 M = 100（只计数）"), Scenario(1000, 100)
    ),
)
