"""What decoding costs (chapter 07, Q026, first half): with and without a KV cache, in query rows and query·key
pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine.decode_cost import Convention, Growth, Mistake, Passes, Price, Same, Scenario, Start, Step, Totals
from lessons.decode_cost import about, words
from lessons.decode_cost.charts import CHARTS
from lessons.decode_cost.form import FORM
from lessons.decode_cost.questions import QUESTIONS
from lessons.decode_cost.scene import draw
from lessons.decode_cost.steps import trace
from lessons.kit.lesson import Ledger, Lesson, Preset
from lessons.kit.sources import Source
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


def _row(scenario: Scenario, step: Step) -> Mapping[str, object]:
    """A step as one line of the table: plain numbers, empty where the step does not say."""
    plain = cached = None
    held: int | None = None
    error: float | None = None
    match step:
        case Passes():
            plain, cached, held, error = step.plain.after, step.cached.after, step.cached.held, step.error
        case Totals():
            plain, cached = step.plain, step.cached
        case Same(errors=errors):
            error = max(errors)
        case Growth(whole=whole):
            cached = whole
        case Convention(prefill=first, decode=decode):
            cached = first + decode
        case Start() | Price():
            pass
    return {
        "rows, no cache": None if plain is None else plain.rows,
        "rows, cache": None if cached is None else cached.rows,
        "pairs, no cache": None if plain is None else plain.pairs,
        "pairs, cache": None if cached is None else cached.pairs,
        "positions held": held,
        "max |Δ logit|": error,
    }


LESSON: Lesson[Scenario, Step] = Lesson(
    slug="decode_cost",
    title=words.TITLE,
    question=words.QUESTION,
    place=Text("Chapter 07 · Q026", "第 07 章 · Q026"),
    minutes=15,
    ledger=Ledger(
        work=Text("old rows not run again", "旧的行不再重算"),
        moved=Text("old K and V read back every step", "每步读回旧的 K、V"),
        resident=Text("more: K and V stay", "增加：K、V 留存"),
        saves="work",
    ),
    form=FORM,
    scenario=Scenario(),
    presets=PRESETS,
    trace=trace,
    narrate=words.narrate,
    draw=draw,
    row=_row,
    right=lambda scenario: replace(scenario, mistake=Mistake.NONE),
    questions=QUESTIONS,
    charts=CHARTS,
    why=about.WHY,
    how=about.HOW,
    limits=about.LIMITS,
    check=about.CHECK,
    follow_ups=about.FOLLOW_UPS,
    sources=(
        Source(
            Text("Chapter 07, Q026", "第 07 章 Q026"),
            Text(
                "the orders of growth, with a prompt P and M decoded tokens; the first follow-up",
                "提示 P、解码 M 个 token 时的增长阶；第一个追问",
            ),
            "computed",
        ),
        Source(
            Text("KV cache, Flash attention and inference (second text)", "《KV 缓存与 Flash 注意力》（第二篇文字）"),
            Text(
                "its first two builds, a naive and a cached decoder, and their comparison over 100 steps, recounted "
                "here with units",
                "它的前两个构建，即朴素解码器与缓存解码器，以及两者 100 步的比较；这里连同单位重新计数",
            ),
            "computed",
        ),
    ),
)
