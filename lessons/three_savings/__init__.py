"""Three savings (chapter 07, its main warning): one prompt in eight ways, three ledgers, one output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine.three_ledgers import ALL_ON, Switches
from engine.three_savings import Baseline, Mistake, Outcome, Scenario, Step, Together, Turn, Yours, tokens, trace
from lessons.kit.lesson import Ledger, Lesson, Preset
from lessons.kit.sources import Source
from lessons.kit.text import Text
from lessons.three_savings import matter, words
from lessons.three_savings.charts import CHARTS
from lessons.three_savings.form import FORM
from lessons.three_savings.questions import CHAPTER, QUESTIONS
from lessons.three_savings.scene import draw
from lessons.three_savings.ways import named

PRESETS = (
    Preset(
        "chapter",
        Text("10 + 5 tokens; yours: cache + tiles", "10 + 5 个 token；你的选择：缓存 + 分块"),
        CHAPTER,
    ),
    Preset(
        "paging-alone",
        Text("yours: paging alone", "你的选择：只开分页"),
        replace(CHAPTER, choice=Switches(paging=True)),
    ),
    Preset(
        "short-reserve",
        Text("24 tokens, nothing set aside in vain; yours: cache", "24 个 token，预留刚好够；你的选择：缓存"),
        Scenario(tokens(24), 6, 8, 8, 29, Switches(cache=True)),
    ),
    Preset(
        "one-new",
        Text(
            "one new token: the cache saves nothing yet; yours: all on", "只有一个新 token：缓存还没省；你的选择：全开"
        ),
        replace(CHAPTER, n_new=1, choice=ALL_ON),
    ),
)


def _row(scenario: Scenario, step: Step) -> Mapping[str, object]:
    """A step as one line of the table: the way it turns to, and its counts; empty where it shows no single way."""
    match step:
        case Baseline(now=now) | Turn(now=now) | Together(now=now) | Yours(now=now):
            return _counts(now)
        case _:
            return dict.fromkeys(_counts(None))


def _counts(way: Outcome | None) -> dict[str, object]:
    led = way.ledgers if way is not None else None
    return {
        "way": None if way is None else named(way.switches).en,
        "rows": led and led.rows,
        "pairs": led and led.pairs,
        "moved q k v o": led and led.moved_vectors,
        "moved tables": led and led.moved_tables,
        "resident K V": led and led.resident.kv,
        "resident unused": led and led.resident.unused,
        "resident tables": led and led.resident.scores,
        "block table": led and led.resident.block_table,
        "picks": None if way is None else " ".join(map(str, way.picks)),
        "max |Δ logit|": None if way is None else way.error,
    }


LESSON: Lesson[Scenario, Step] = Lesson(
    slug="three_savings",
    title=matter.TITLE,
    question=matter.QUESTION,
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
