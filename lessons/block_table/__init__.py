"""The block table (chapter 07, Q028): where the K and V of a position lie, and how a sequence grows and goes."""

from __future__ import annotations

from engine.paged_output import Scenario, Step
from lessons.block_table import prose
from lessons.block_table.charts import CHARTS
from lessons.block_table.code import CODE
from lessons.block_table.form import FORM
from lessons.block_table.mistakes import MISTAKES
from lessons.block_table.presets import CHAPTER, PRESETS
from lessons.block_table.questions import QUESTIONS
from lessons.block_table.scene import draw
from lessons.block_table.steps import narrate
from lessons.block_table.trace import trace
from lessons.kit.lesson import Ledger, Lesson
from lessons.kit.sources import Source
from lessons.kit.text import Text

LESSON: Lesson[Scenario, Step] = Lesson(
    slug="block_table",
    title=prose.TITLE,
    question=prose.QUESTION,
    place=Text("Chapter 07 · Q028", "第 07 章 · Q028"),
    minutes=12,
    ledger=Ledger(
        work=Text("unchanged", "不变"),
        moved=Text("unchanged, plus lookups", "不变，另加查表"),
        resident=Text("nothing reserved ahead", "不再预留未用空间"),
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
    code=CODE,
    why=prose.WHY,
    how=prose.HOW,
    limits=prose.LIMITS,
    check=prose.CHECK,
    follow_ups=prose.FOLLOW_UPS,
    sources=(
        Source(
            Text("Chapter 07, Q028", "第 07 章 Q028"),
            Text(
                "block size, tokens, the tables of A and B, the position looked up and the appends. Its ordinals are "
                "rewritten as positions counted from 0; the longest length allowed is ours",
                "块大小、token 数、A 和 B 的块表、所查的位置和追加；原文的“第几个”在这里改为从 0 数起的位置；允许的最"
                "大长度是我们加的",
            ),
            "computed",
        ),
        Source(
            Text(
                "vLLM and its PagedAttention paper (Kwon and others, 2023)",
                "vLLM 与其 PagedAttention 论文（Kwon 等，2023）",
            ),
            Text("the idea and the names: block table, slot, pool", "思路与名称：块表、槽位、内存块池"),
            "secondary",
        ),
        Source(
            Text(
                "vLLM’s cache configuration; the README of FlashAttention", "vLLM 的缓存配置；FlashAttention 的 README"
            ),
            Text(
                "the default block size, and the page sizes the paged kernel takes",
                "默认的块大小，以及分页内核接受的页大小",
            ),
            "read",
        ),
    ),
)
