"""Online softmax (chapter 07, Q027): a softmax-weighted sum folded tile by tile, without the table of scores."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from engine.online_softmax import (
    AddTile,
    Check,
    CompareMax,
    Divide,
    Mistake,
    ReadTile,
    Scenario,
    Shrink,
    Step,
    WholeTable,
)
from lessons.kit.lesson import Ledger, Lesson, Preset
from lessons.kit.sources import Source
from lessons.kit.text import Text
from lessons.online_softmax import matter, words
from lessons.online_softmax.charts import CHARTS
from lessons.online_softmax.form import FORM
from lessons.online_softmax.questions import CHAPTER, QUESTIONS, TWO_TILES
from lessons.online_softmax.scene import draw
from lessons.online_softmax.steps import trace
from lessons.online_softmax.tiles import tile_of

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


def _row(scenario: Scenario, step: Step) -> Mapping[str, object]:
    """A step as one line of the table: plain numbers, empty where the step does not say."""
    tile = tile_of(step)
    keys = " ".join(scenario.labels[key] for key in tile.keys) if tile is not None else ""
    match step:
        case WholeTable():
            state, alpha, p = None, None, None
        case ReadTile(held=held) | CompareMax(held=held):
            state, alpha, p = held, None, None
        case Shrink(after=held, alpha=a):
            state, alpha, p = held, a, None
        case AddTile(after=held, p=weights):
            state, alpha, p = held, None, sum(weights)
        case Divide(held=held) | Check(held=held):
            state, alpha, p = held, None, None
    numbers = {f"u{i + 1}": None if state is None else float(state.u[i]) for i in range(scenario.d)}
    return {
        "tile": None if tile is None else tile.index + 1,
        "keys": keys,
        "m": None if state is None else float(state.m),
        "α": alpha,
        "Σp": p,
        "ℓ": None if state is None else float(state.l),
        **numbers,
        **{f"o{i + 1}": None if state is None or state.l == 0 else float(state.output[i]) for i in range(scenario.d)},
    }


LESSON: Lesson[Scenario, Step] = Lesson(
    slug="online_softmax",
    title=words.TITLE,
    question=words.QUESTION,
    place=Text("Chapter 07 · Q027", "第 07 章 · Q027"),
    minutes=15,
    ledger=Ledger(
        work=Text("unchanged", "不变"),
        moved=Text("less", "减少"),
        resident=Text("no T × T table", "没有 T × T 的表"),
        saves="moved",
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
            Text("Chapter 07, Q027", "第 07 章 Q027"),
            Text(
                "the three quantities, the merge rule, the two-tile example and the C, A, B figure",
                "三个量、合并规则、两个分块的例子和 C、A、B 图例",
            ),
            "computed",
        ),
        Source(
            Text("PyTorch, scaled_dot_product_attention", "PyTorch 的 scaled_dot_product_attention"),
            Text(
                "the convention for a query that sees nothing; outputs compared in the tests",
                "查询什么也看不到时的约定；测试中与之比较输出",
            ),
            "computed",
        ),
        Source(
            Text(
                "FlashAttention (Dao and others, 2022) and its repository", "FlashAttention（Dao 等，2022）及其代码库"
            ),
            Text(
                "tiling for slow and fast memory; accumulators kept in float32",
                "面向快慢两级内存的分块；累加器用 float32",
            ),
            "secondary",
        ),
    ),
)
