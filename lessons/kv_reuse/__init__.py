"""Why old K and V can be kept (chapter 07, Q025): the induction, measured; the new token's path; an edit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from engine.kv_reuse import (
    Appended,
    AskedNext,
    Cached,
    Conclusion,
    Finish,
    Look,
    Mended,
    Mistake,
    NextLayer,
    NextToken,
    Project,
    Replaced,
    SameInputs,
    SameOutputs,
    SameView,
    Scenario,
    Step,
)
from engine.prompt_edits import Experiment, Operation, Sight
from lessons.kit.lesson import Ledger, Lesson, Preset
from lessons.kit.sources import Source
from lessons.kit.text import Text
from lessons.kv_reuse import matter, words
from lessons.kv_reuse.charts import CHARTS
from lessons.kv_reuse.form import FORM
from lessons.kv_reuse.questions import QUESTIONS
from lessons.kv_reuse.scene import draw
from lessons.kv_reuse.steps import trace

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


def _row(scenario: Scenario, step: Step) -> Mapping[str, object]:
    """A step as one line of the table: plain numbers, empty where the step does not say."""
    layer: int | None = getattr(step, "layer", None)
    x = k = v = off = computed = kept = None
    match step:
        case SameInputs() | SameView() | SameOutputs() | NextLayer():
            x, k, v = (float(a[step.layer].max()) for a in (step.proof.x, step.proof.k, step.proof.v))
        case Appended() | Conclusion():
            x, k, v = (float(a.max()) for a in (step.proof.x, step.proof.k, step.proof.v))
        case Project():
            computed, kept = 1, int(np.isfinite(step.k[:-1]).all(axis=1).sum())
        case NextToken() | AskedNext():
            off = step.error
        case Replaced():
            x, k, v = (float(a.max()) for a in (step.x, step.k, step.v))
        case Mended():
            k, v = float(step.k.max()), float(step.v.max())
            computed, kept = len(step.computed), len(scenario.longer) - len(step.computed)
        case Cached() | Look() | Finish():
            pass
    return {
        "layer": layer,
        "max |Δx|": x,
        "max |Δk|": k,
        "max |Δv|": v,
        "computed": computed,
        "kept": kept,
        "max |Δlogit|": off,
    }


LESSON: Lesson[Scenario, Step] = Lesson(
    slug="kv_reuse",
    title=words.TITLE,
    question=words.QUESTION,
    place=Text("Chapter 07 · Q025", "第 07 章 · Q025"),
    minutes=20,
    ledger=Ledger(
        work=Text("old K and V not computed again", "旧的 K、V 不再重算"),
        moved=Text("old K and V read back", "旧的 K、V 要读回"),
        resident=Text("more", "增加"),
        saves="work",
    ),
    form=FORM,
    scenario=CHAPTER,
    presets=PRESETS,
    trace=trace,
    narrate=words.narrate,
    draw=draw,
    row=_row,
    right=lambda scenario: replace(scenario, mistake=Mistake.NONE),
    questions=QUESTIONS,
    charts=CHARTS,
    why=matter.WHY,
    how=matter.HOW,
    limits=matter.LIMITS,
    check=matter.CHECK,
    follow_ups=matter.FOLLOW_UPS,
    sources=(
        Source(
            Text("Chapter 07, Q025", "第 07 章 Q025"),
            Text(
                "the induction on two layers with A, B and C, the new token’s path, the edit of B to D and the three "
                "questions asked next",
                "两层模型上 A、B、C 的归纳，新 token 的路径，B 换成 D 的反例，以及三个追问",
            ),
            "computed",
        ),
        Source(
            Text("A little decoder with weights in closed form", "权重有解析式的小解码器"),
            Text(
                "every number on this page; its full runs are compared with a PyTorch copy in the tests",
                "本页的全部数字；测试中与 PyTorch 的同一模型比较",
            ),
            "computed",
        ),
        Source(
            Text("Rotary position embedding (Su and others, 2021)", "旋转位置编码（Su 等，2021）"),
            Text("why stored keys turn with their positions and values do not", "为什么存下的键随位置旋转而值不变"),
            "secondary",
        ),
    ),
)
