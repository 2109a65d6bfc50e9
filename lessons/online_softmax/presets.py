"""The examples: the chapter's first."""

from __future__ import annotations

import math
from dataclasses import replace

from engine.online_softmax import Scenario
from lessons.kit.lesson import Preset
from lessons.kit.text import Text

CHAPTER = Scenario((0.0, 2.0, 1.0), ((5.0, 5.0), (10.0, 0.0), (0.0, 20.0)), ("C", "A", "B"))
TWO_TILES = Scenario((1.0, 3.0), ((2.0,), (10.0,)), ("A", "B"))
_FOUR = ((1.0,), (2.0,), (3.0,), (4.0,))

PRESETS = (
    Preset("chapter", Text("C, A, B one at a time", "C、A、B 逐个读取"), CHAPTER),
    Preset("two-tiles", Text("two tiles: 1 → 2, then 3 → 10", "两个分块：1 → 2，然后 3 → 10"), TWO_TILES),
    Preset(
        "tile-of-two",
        Text("a tile of two: C and A, then B", "每个分块两个键：C、A，然后 B"),
        replace(CHAPTER, tile_size=2),
    ),
    Preset("order-cba", Text("read C, B, A", "按 C、B、A 读取"), replace(CHAPTER, order=(0, 2, 1))),
    Preset(
        "masked-first",
        Text("first tile fully masked", "第一个分块全被屏蔽"),
        Scenario((-math.inf, -math.inf, 0.0, 1.0), _FOUR, tuple("ABCD"), 2),
    ),
    Preset(
        "near-10000",
        Text("scores near 10 000", "分数在 10 000 附近"),
        replace(CHAPTER, scores=tuple(s + 10_000.0 for s in CHAPTER.scores)),
    ),
    Preset("all-equal", Text("all scores equal", "分数全相等"), Scenario((7.0,) * 4, _FOUR, tuple("ABCD"), 3)),
    Preset("descending", Text("highest score first", "从最高分读起"), replace(CHAPTER, order=(1, 2, 0))),
)
