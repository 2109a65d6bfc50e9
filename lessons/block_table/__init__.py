"""The block table (chapter 07, Q028): where the K and V of a logical position lie, and how a sequence grows and
goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine.paged import Mistake
from engine.paged_lookup import FIRST, SECOND, Appended, Arrived, Freed, LookUp, Read
from engine.paged_output import Attended, Scenario, Step
from lessons.block_table import prose, words
from lessons.block_table.charts import CHARTS
from lessons.block_table.form import FORM
from lessons.block_table.questions import CHAPTER, QUESTIONS
from lessons.block_table.scene import draw
from lessons.block_table.steps import trace
from lessons.kit.lesson import Ledger, Lesson, Preset
from lessons.kit.sources import Source
from lessons.kit.text import Text

PRESETS = (
    Preset("chapter", Text("ten tokens, position 5", "十个 token，位置 5"), CHAPTER),
    Preset("first-position", Text("position 0", "位置 0"), replace(CHAPTER, position=0)),
    Preset("last-position", Text("position 9", "位置 9"), replace(CHAPTER, position=9)),
    Preset("blocks-of-two", Text("blocks of 2", "块大小 2"), replace(CHAPTER, block_size=2)),
    Preset("blocks-of-eight", Text("blocks of 8", "块大小 8"), replace(CHAPTER, block_size=8)),
    Preset(
        "full-block", Text("8 tokens: the last block is full", "8 个 token：末块恰好满"), replace(CHAPTER, n_tokens=8)
    ),
    Preset(
        "shuffled",
        Text("another table, the same output", "换一张块表，输出不变"),
        replace(CHAPTER, table=(19, 3, 0), free=(12, 7, 2, 15, 5, 11, 8)),
    ),
    Preset(
        "many-tokens",
        Text("24 tokens", "24 个 token"),
        replace(CHAPTER, n_tokens=24, position=17, table=(7, 2, 19, 5, 3, 15), free=(11, 8, 13, 17, 0)),
    ),
)


def _row(scenario: Scenario, step: Step) -> Mapping[str, object]:
    """A step as one line of the table; empty where the step does not say."""
    tables = {table.name: list(table.blocks) for table in step.memory.tables}
    slots: object = None
    output: tuple[float, ...] | None = None
    match step:
        case LookUp(slot=place) | Read(slot=place):
            slots = None if place is None else str(place)
        case Attended(slots=places, output=o):
            slots, output = " ".join(map(str, places)), o
        case Appended(slots=places):
            slots = " ".join(map(str, places))
    taken = step.allocated if isinstance(step, Appended | Arrived) else ()
    return {
        "table A": str(tables.get(FIRST, "")),
        "table B": str(tables.get(SECOND, "")),
        "slots": slots,
        "taken": " ".join(map(str, taken)),
        "freed": " ".join(map(str, step.blocks)) if isinstance(step, Freed) else "",
        "free": len(step.memory.free),
        "o1": None if output is None else output[0],
        "o2": None if output is None else output[1],
    }


LESSON: Lesson[Scenario, Step] = Lesson(
    slug="block_table",
    title=prose.TITLE,
    question=prose.QUESTION,
    place=Text("Chapter 07 · Q028", "第 07 章 · Q028"),
    minutes=12,
    ledger=Ledger(
        work=Text("unchanged", "不变"),
        moved=Text("unchanged, plus a lookup", "不变，另加查表"),
        resident=Text("no reserved tail", "没有预留的尾巴"),
        saves="resident",
    ),
    form=FORM,
    scenario=CHAPTER,
    presets=PRESETS,
    trace=trace,
    narrate=words.narrate,
    draw=draw,
    row=_row,
    without_mistake=lambda scenario: replace(scenario, mistake=Mistake.NONE),
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
                "block size, tokens, the tables of A and B, the position looked up and the appends; its ordinals are "
                "turned into positions counted from 0",
                "块大小、token 数、A 和 B 的块表、所查的位置和追加；原文的“第几个”在这里改为从 0 数起的位置",
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
                "the default block size, and the page sizes that the paged kernel takes",
                "默认的块大小，以及分页内核接受的页大小",
            ),
            "read",
        ),
    ),
)
