"""The examples: the chapter's comes first."""

from __future__ import annotations

from dataclasses import replace

from engine.paged_output import Scenario
from lessons.kit.lesson import Preset
from lessons.kit.text import Text

CHAPTER = Scenario(free=(5, 3, 15, 11, 8, 13, 17))

PRESETS = (
    Preset("chapter", Text("ten tokens, position 5", "十个 token，位置 5"), CHAPTER),
    Preset("first-position", Text("position 0", "位置 0"), replace(CHAPTER, position=0)),
    Preset("last-position", Text("position 9", "位置 9"), replace(CHAPTER, position=9)),
    Preset("blocks-of-two", Text("blocks of 2", "块大小 2"), replace(CHAPTER, block_size=2)),
    Preset("blocks-of-eight", Text("blocks of 8", "块大小 8"), replace(CHAPTER, block_size=8)),
    Preset(
        "full-block", Text("8 tokens: the last block is full", "8 个 token：末块恰好满"), replace(CHAPTER, n_tokens=8)
    ),
    Preset(
        "shuffled",
        Text("another table, the same output", "换一张块表，输出不变"),
        replace(CHAPTER, table=(19, 3, 0), free=(12, 7, 2, 15, 5, 11, 8)),
    ),
    Preset(
        "many-tokens",
        Text("24 tokens", "24 个 token"),
        replace(CHAPTER, n_tokens=24, position=17, table=(7, 2, 19, 5, 3, 15), free=(11, 8, 13, 17, 0)),
    ),
)
