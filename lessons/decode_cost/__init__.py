"""What decoding costs (chapter 07, Q026, first half): with and without a KV cache, in query rows and query·key
pairs."""

from __future__ import annotations

from engine.decode_cost import Scenario, Step
from lessons.decode_cost import prose
from lessons.decode_cost.charts import CHARTS
from lessons.decode_cost.form import FORM
from lessons.decode_cost.mistakes import MISTAKES
from lessons.decode_cost.presets import PRESETS
from lessons.decode_cost.questions import QUESTIONS
from lessons.decode_cost.scene import draw
from lessons.decode_cost.steps import narrate
from lessons.decode_cost.trace import trace
from lessons.kit.lesson import Ledger, Lesson
from lessons.kit.sources import Source
from lessons.kit.text import Text

LESSON: Lesson[Scenario, Step] = Lesson(
    slug="decode_cost",
    title=prose.TITLE,
    question=prose.QUESTION,
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
    narrate=narrate,
    draw=draw,
    mistakes=MISTAKES,
    questions=QUESTIONS,
    charts=CHARTS,
    why=prose.WHY,
    how=prose.HOW,
    limits=prose.LIMITS,
    check=prose.CHECK,
    follow_ups=prose.FOLLOW_UPS,
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
