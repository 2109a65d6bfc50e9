"""The examples: the chapter's first."""

from __future__ import annotations

from dataclasses import replace

from engine.kv_reuse import Scenario
from engine.prompt_edits import Experiment, Operation, Sight
from lessons.kit.lesson import Preset
from lessons.kit.text import Text

CHAPTER = Scenario()
PRESETS = (
    Preset("chapter", Text("A, B, then C", "A、B，再追加 C"), CHAPTER),
    Preset(
        "longer",
        Text("a longer prompt", "长一些的提示"),
        Scenario((0, 1, 2, 3, 4), appended=5, edit_at=3, edit_to=10, asked=7),
    ),
    Preset(
        "edit",
        Text("B becomes D, three layers", "B 换成 D，三层"),
        Scenario((0, 1, 4), appended=2, edit_at=1, edit_to=3, asked=6, n_layers=3),
    ),
    Preset(
        "both-ways",
        Text("bidirectional: the proof fails", "双向模型：证明不成立"),
        replace(
            CHAPTER, n_layers=3, sight=Sight.BOTH_WAYS, experiment=Experiment(Operation.APPEND, length=20, position=3)
        ),
    ),
    Preset(
        "window",
        Text("a sliding window", "滑动窗口"),
        Scenario(
            (0, 1, 2, 3, 4),
            appended=5,
            edit_at=1,
            edit_to=10,
            asked=6,
            sight=Sight.WINDOW,
            window=3,
            experiment=Experiment(length=20, position=3),
        ),
    ),
    Preset(
        "insertion",
        Text("same steps; Explore: a token inserted", "步骤不变；“探索”：插入一个 token"),
        replace(CHAPTER, experiment=Experiment(Operation.INSERT, length=24, position=8)),
    ),
    Preset(
        "adapter",
        Text("same steps; Explore: another adapter", "步骤不变；“探索”：更换适配器"),
        replace(CHAPTER, experiment=Experiment(Operation.ADAPTER, length=24, position=8, layer=1)),
    ),
)
