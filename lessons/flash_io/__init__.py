"""Tiles and traffic (doc 001, the tiled kernel): attention walked tile by tile, every byte counted at the door."""

from __future__ import annotations

from engine.flash_io import Scenario, Stop
from lessons.flash_io import prose
from lessons.flash_io.charts import CHARTS
from lessons.flash_io.form import FORM
from lessons.flash_io.mistakes import MISTAKES
from lessons.flash_io.presets import PRESETS, SMALL
from lessons.flash_io.questions import QUESTIONS
from lessons.flash_io.scene import draw
from lessons.flash_io.steps import narrate
from lessons.flash_io.trace import trace
from lessons.kit.lesson import Ledger, Lesson
from lessons.kit.sources import Source
from lessons.kit.text import Text

LESSON: Lesson[Scenario, Stop] = Lesson(
    slug="flash_io",
    title=prose.TITLE,
    question=prose.QUESTION,
    place=Text("Doc 001 · FlashAttention", "文档 001 · FlashAttention"),
    minutes=15,
    ledger=Ledger(
        work=Text("unchanged; backward: more", "不变；反向更多"),
        moved=Text("no table crosses", "没有表过门"),
        resident=Text("no T × T tables", "没有 T × T 的表"),
        saves="moved",
    ),
    form=FORM,
    scenario=SMALL,
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
            Text("Doc 001, the tiled kernel", "文档 001，分块内核"),
            Text("blocks of Q, K and V, what goes to slow memory", "Q、K、V 的分块，哪些写进慢速显存"),
            "computed",
        ),
        Source(
            Text("FlashAttention (Dao and others, 2022)", "FlashAttention（Dao 等，2022）"),
            Text(
                "keys outside, backward by recomputation, traffic T²d²/M, the table of figure 2",
                "键在外层、反向靠重算、搬运量 T²d²/M、图 2 的表",
            ),
            "secondary",
        ),
        Source(
            Text("FlashAttention-2 (Dao, 2023) and the repository", "FlashAttention-2（Dao，2023）与代码仓库"),
            Text("queries outside, log-sum-exp, the versions since", "查询在外层、log-sum-exp、此后各版本"),
            "read",
        ),
    ),
)
