"""Online softmax (chapter 07, Q027): a softmax-weighted sum folded tile by tile, without the table of scores."""

from __future__ import annotations

from engine.online_softmax import Scenario
from lessons.kit.lesson import Ledger, Lesson
from lessons.kit.sources import Source
from lessons.kit.text import Text
from lessons.online_softmax import prose
from lessons.online_softmax.charts import CHARTS
from lessons.online_softmax.code import CODE
from lessons.online_softmax.form import FORM
from lessons.online_softmax.mistakes import MISTAKES
from lessons.online_softmax.presets import CHAPTER, PRESETS
from lessons.online_softmax.questions import QUESTIONS
from lessons.online_softmax.scene import draw
from lessons.online_softmax.steps import narrate
from lessons.online_softmax.trace import Step, trace

LESSON: Lesson[Scenario, Step] = Lesson(
    slug="online_softmax",
    title=prose.TITLE,
    question=prose.QUESTION,
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
    narrate=narrate,
    draw=draw,
    mistakes=MISTAKES,
    questions=QUESTIONS,
    charts=CHARTS,
    code=CODE,
    why=prose.WHY,
    how=prose.HOW,
    limits=prose.LIMITS,
    check=prose.CHECK,
    follow_ups=prose.FOLLOW_UPS,
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
