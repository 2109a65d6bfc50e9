"""A tile arrives."""

from __future__ import annotations

from engine.online_softmax import ReadTile, Scenario
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.online_softmax.mistakes import MISTAKES
from lessons.online_softmax.naming import names
from lessons.online_softmax.steps.table import before_and_after, holds, row, three


def read(s: Scenario, step: ReadTile, wrong: ReadTile | None) -> Narration:
    tile, n = step.tile, len(step.tile.keys)
    if tile.index == 0:
        why = Told(
            "A [tile](term:tile) of {n:key} is brought into [fast memory](term:sram): scores and values. Nothing "
            "is held yet: m = −∞, ℓ = 0, u = 0.",
            "把 {n} 个键的[分块](term:tile)（分数和值）搬进[快速片上内存](term:sram)。手中还什么都没有：m = −∞，ℓ "
            "= 0，u = 0。",
        ).on(n=n)
    else:
        why = Text(
            "What is held stands for all keys read so far. A new key has no weight until its score has been "
            "compared with the maximum.",
            "手中的三个量代表此前读过的所有键。新来的键要先与最大值比较，才谈得上权重。",
        )
    own, held = wrong or step, three(step.held)
    return Narration(
        id=f"tile-{tile.index + 1}/read",
        title=Text("Read ", "读入 ") + names(s, tile, markdown=False),
        headline=Told("{who} {n|arrives|arrive}; nothing held has changed yet", "{who} 到来；已有累计暂时不变").on(
            who=names(s, tile, markdown=True), n=n
        ),
        why=why,
        facts=before_and_after(held, held, three(wrong.held) if wrong else None),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: holds(step.held, wrong.held)),
        row=row(s, tile, own.held),
    )
