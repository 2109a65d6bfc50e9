"""Why old K and V can be kept (chapter 07, Q025): the induction, measured; the new token's path; an edit."""

from __future__ import annotations

from engine.kv_reuse import Scenario, Step
from lessons.kit.lesson import Ledger, Lesson
from lessons.kit.sources import Source
from lessons.kit.text import Text
from lessons.kv_reuse import prose
from lessons.kv_reuse.charts import CHARTS
from lessons.kv_reuse.form import FORM
from lessons.kv_reuse.mistakes import MISTAKES
from lessons.kv_reuse.presets import CHAPTER, PRESETS
from lessons.kv_reuse.questions import QUESTIONS
from lessons.kv_reuse.scene import draw
from lessons.kv_reuse.steps import narrate
from lessons.kv_reuse.trace import trace

LESSON: Lesson[Scenario, Step] = Lesson(
    slug="kv_reuse",
    title=prose.TITLE,
    question=prose.QUESTION,
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
