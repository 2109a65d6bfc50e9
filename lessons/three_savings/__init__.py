"""Three savings (chapter 07, its main warning): one prompt in eight ways, three ledgers, one output."""

from __future__ import annotations

from engine.three_savings import Scenario, Step
from lessons.kit.lesson import Ledger, Lesson
from lessons.kit.sources import Source
from lessons.kit.text import Text
from lessons.three_savings import prose
from lessons.three_savings.charts import CHARTS
from lessons.three_savings.form import FORM
from lessons.three_savings.mistakes import MISTAKES
from lessons.three_savings.presets import CHAPTER, PRESETS
from lessons.three_savings.questions import QUESTIONS
from lessons.three_savings.scene import draw
from lessons.three_savings.steps import narrate
from lessons.three_savings.trace import trace

LESSON: Lesson[Scenario, Step] = Lesson(
    slug="three_savings",
    title=prose.TITLE,
    question=prose.QUESTION,
    place=Text("Chapter 07 · its main warning", "第 07 章 · 核心提醒"),
    minutes=12,
    ledger=Ledger(
        work=Text("KV cache", "KV 缓存"),
        moved=Text("FlashAttention", "FlashAttention"),
        resident=Text("paging", "分页"),
        saves="all",
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
    why=prose.WHY,
    how=prose.HOW,
    limits=prose.LIMITS,
    check=prose.CHECK,
    follow_ups=prose.FOLLOW_UPS,
    sources=(
        Source(
            Text("Chapter 07, its opening; Q026, Q027 and Q028", "第 07 章开头，Q026、Q027、Q028"),
            Text(
                "three different storage questions; what each mechanism is not",
                "三个不同的存储问题；每种机制不是什么",
            ),
            "computed",
        ),
        Source(
            Text("FlashAttention (Dao and others, 2022)", "FlashAttention（Dao 等，2022）"),
            Text("traffic between slow and fast memory as the thing saved", "节省的是慢速与快速内存之间的搬运"),
            "secondary",
        ),
        Source(
            Text("PagedAttention and vLLM (Kwon and others, 2023)", "PagedAttention 与 vLLM（Kwon 等，2023）"),
            Text("blocks taken on demand instead of a reserved maximum", "按需取内存块，而不是按最大长度预留"),
            "secondary",
        ),
    ),
)
