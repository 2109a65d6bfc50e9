"""Sharing and copy-on-write (chapter 07, Q028): two requests that name the same blocks, and what must happen before
one of them writes."""

from __future__ import annotations

from engine.shared_blocks import Scenario, Step
from lessons.copy_on_write import prose
from lessons.copy_on_write.charts import CHARTS
from lessons.copy_on_write.form import FORM
from lessons.copy_on_write.mistakes import MISTAKES
from lessons.copy_on_write.presets import CHAPTER, PRESETS
from lessons.copy_on_write.questions import QUESTIONS
from lessons.copy_on_write.scene import draw
from lessons.copy_on_write.steps import narrate
from lessons.copy_on_write.trace import trace
from lessons.kit.lesson import Ledger, Lesson
from lessons.kit.sources import Source
from lessons.kit.text import Text

LESSON: Lesson[Scenario, Step] = Lesson(
    slug="copy_on_write",
    title=prose.TITLE,
    question=prose.QUESTION,
    place=Text("Chapter 07 · Q028", "第 07 章 · Q028"),
    minutes=12,
    ledger=Ledger(
        work=Text("prefix not run again", "前缀不再计算"),
        moved=Text("a copy, once", "复制一次"),
        resident=Text("shared blocks once", "共享块只存一份"),
        saves="resident",
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
            Text("Chapter 07, Q028", "第 07 章 Q028"),
            Text(
                "blocks 7, 2, 19; a shared unfilled block must be copied before anybody writes; what a prefix’s "
                "identity contains",
                "块 7、2、19；共享的未满块在有人写入前必须复制；前缀身份包含什么",
            ),
            "computed",
        ),
        Source(
            Text("vLLM, tests of the block manager and of prefix caching", "vLLM 的块管理与前缀缓存测试"),
            Text(
                "full blocks only are shared; a full hit runs the last token again; hashes chain and are tagged",
                "只共享满块；全部命中时最后一个 token 仍要运行；哈希逐块相连并带标签",
            ),
            "read",
        ),
    ),
)
