"""Tiles are turned on: the tables never reach slow memory."""

from __future__ import annotations

from engine.three_ledgers import tables_share
from engine.three_savings import Scenario, Turn
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.three_savings.mistakes import MISTAKES
from lessons.three_savings.naming import turned
from lessons.three_savings.steps.table import HEAD, PASS, TABLES, VECTORS, facts, made_true, row

WIDE, LONG = 128, 32_768  # numbers a head and keys of the chapter’s long context, Q026


def tiles(s: Scenario, step: Turn, wrong: Turn | None) -> Narration:
    before, now = step.before.ledgers, step.now.ledgers
    return Narration(
        id="tiles",
        title=Text("Tiles on", "打开分块"),
        headline=Told(
            "Tiles: what is moved {turned} bytes; the work stays as it was", "分块：搬运{turned} 字节；计算不变"
        ).on(turned=turned("moved", step.before, step.now)),
        why=Told(
            "The same {now.pairs} pairs, {tile_size} positions a [tile](term:tile): the tables never reach slow "
            "memory, so {before.moved_tables} bytes are not moved and {before.resident.scores} bytes not resident. "
            "The price is inside the same ledger: K and V are read again for every tile of queries, "
            "{before.moved_vectors} → {now.moved_vectors}. A single new query has one row of scores: with {wide} "
            "numbers a head and {long} keys its tables are {share:fixed1} % of what moves, so there tiles save "
            "little.",
            "还是那 {now.pairs} 个配对，每个[分块](term:tile) {tile_size} 个位置：表从不进入慢速显存，所以少搬 "
            "{before.moved_tables} 字节，少驻留 {before.resident.scores} 字节。代价就在同一本账里：每个查询分块都要"
            "把 K、V 重读一遍，{before.moved_vectors} → {now.moved_vectors}。单个新查询只有一行分数：每头 {wide} 个"
            "数、{long} 个键时，表只占搬运的 {share:fixed1} %，所以分块在那里省得很少。",
        ).on(s, before=before, now=now, wide=WIDE, long=LONG, share=tables_share(LONG, WIDE)),
        facts=facts((HEAD, VECTORS, TABLES, PASS), step.before, step.now, wrong.now if wrong else None),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: made_true(s, step.now, wrong.now)),
        row=row((wrong or step).now),
    )
