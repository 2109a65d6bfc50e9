"""Sharing and copy-on-write (chapter 07, Q028): two requests that name the same blocks, and what must happen before
one of them writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine.shared_blocks import HAND_OUT, Arrival, Attended, Mistake, Scenario, Step
from lessons.copy_on_write import notes, words
from lessons.copy_on_write.charts import CHARTS
from lessons.copy_on_write.form import FORM
from lessons.copy_on_write.naming import listing
from lessons.copy_on_write.questions import QUESTIONS
from lessons.copy_on_write.scene import draw
from lessons.copy_on_write.steps import trace
from lessons.kit.lesson import Ledger, Lesson, Preset
from lessons.kit.sources import Source
from lessons.kit.text import Text

CHAPTER = Scenario()
_CACHE = Scenario(Arrival.SAME, writers=("A",))

PRESETS = (
    Preset("chapter", Text("fork: ten tokens, A writes first", "分叉：十个 token，A 先写"), CHAPTER),
    Preset("b-first", Text("fork: B writes first", "分叉：B 先写"), replace(CHAPTER, writers=("B", "A"))),
    Preset(
        "both-lose",
        Text("fork: A, B, B, A write", "分叉：依次 A、B、B、A 写"),
        replace(CHAPTER, writers=("A", "B", "B", "A")),
    ),
    Preset(
        "full-blocks", Text("fork: full blocks only, no copy", "分叉：全是满块，不复制"), replace(CHAPTER, n_tokens=12)
    ),
    Preset(
        "blocks-of-two",
        Text("fork: blocks of two", "分叉：每块两个"),
        replace(CHAPTER, n_tokens=5, block_size=2, n_shared=5),
    ),
    Preset("same-prefix", Text("prefix cache: same beginning", "前缀缓存：开头相同"), _CACHE),
    Preset(
        "whole-prompt",
        Text("prefix cache: the whole prompt known", "前缀缓存：整个提示都见过"),
        replace(_CACHE, n_own=0),
    ),
    Preset(
        "other-adapter",
        Text("prefix cache: another adapter", "前缀缓存：另一个适配器"),
        replace(_CACHE, arrival=Arrival.ADAPTER),
    ),
    Preset(
        "other-model",
        Text("prefix cache: another model", "前缀缓存：另一个模型"),
        replace(_CACHE, arrival=Arrival.MODEL),
    ),
    Preset(
        "other-tenant",
        Text("prefix cache: another tenant", "前缀缓存：另一个租户"),
        replace(_CACHE, arrival=Arrival.SALT),
    ),
    Preset(
        "tags",
        Text("prefix cache: adapter X, salt X", "前缀缓存：适配器 X，盐 X"),
        replace(_CACHE, arrival=Arrival.ADAPTER_AS_SALT),
    ),
    Preset(
        "repeated-block",
        Text("prefix cache: a block repeated", "前缀缓存：重复的一块"),
        replace(_CACHE, arrival=Arrival.REPEAT, n_shared=4, n_own=6),
    ),
)


def _row(scenario: Scenario, step: Step) -> Mapping[str, object]:
    """A step as one line of the table: both tables, reference counts, free blocks, the output where there is one."""
    tables = {table.name: listing(table.blocks) for table in step.memory.tables}
    counts = step.memory.ref_counts
    output = step.event.output if isinstance(step.event, Attended) else (None,) * 4
    return {
        "A": tables.get("A", ""),
        "B": tables.get("B", ""),
        "refs": ", ".join(f"{b}:{counts[b]}" for b in HAND_OUT if counts[b]),
        "free": len(step.memory.free),
        **{f"o{i + 1}": x for i, x in enumerate(output)},
    }


LESSON: Lesson[Scenario, Step] = Lesson(
    slug="copy_on_write",
    title=words.TITLE,
    question=words.QUESTION,
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
    narrate=words.narrate,
    draw=draw,
    row=_row,
    right=lambda scenario: replace(scenario, mistake=Mistake.NONE),
    questions=QUESTIONS,
    charts=CHARTS,
    why=notes.WHY,
    how=notes.HOW,
    limits=notes.LIMITS,
    check=notes.CHECK,
    follow_ups=notes.FOLLOW_UPS,
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
