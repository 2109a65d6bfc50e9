"""The examples: the first is the smallest walk on which everything happens."""

from __future__ import annotations

from dataclasses import replace

from engine.flash_io import BLIND, UNEQUAL, Scenario
from lessons.kit.lesson import Preset
from lessons.kit.text import Text

SMALL = Scenario()

PRESETS = (
    Preset("small", Text("6 × 6, causal", "6 × 6，因果"), SMALL),
    Preset("keys-outside", Text("keys in the outer loop", "键在外层循环"), replace(SMALL, keys_outside=True)),
    Preset("backward", Text("the backward pass", "反向传播"), replace(SMALL, backward=True)),
    Preset("no-mask", Text("no mask", "没有掩码"), replace(SMALL, causal=False)),
    Preset("unequal", Text("4 new queries, 6 keys", "4 个新查询，6 个键"), UNEQUAL),
    Preset("blind", Text("more queries than keys", "查询比键多"), BLIND),
    Preset("ragged", Text("tiles that do not divide", "除不尽的分块"), replace(SMALL, n_q=5, n_k=7, tile_k=4)),
    Preset("one-tile", Text("one tile for everything", "一个分块装下全部"), Scenario(n_q=3, n_k=4, tile_q=3, tile_k=4)),
)
