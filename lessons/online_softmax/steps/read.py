"""A tile arrives."""

from __future__ import annotations

from engine.online_softmax import ReadTile, Scenario
from lessons.kit.format import short
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.online_softmax.mistakes import MISTAKES
from lessons.online_softmax.naming import MOST_SHOWN, names
from lessons.online_softmax.steps.table import already, before_and_after, row, three


def read(s: Scenario, step: ReadTile, wrong: ReadTile | None) -> Narration:
    tile = step.tile
    own, held = wrong or step, three(step.held)
    return Narration(
        id=f"tile-{tile.index + 1}/read",
        title=Text("Read ", "读入 ") + names(s, tile, markdown=False),
        headline=_headline(s, step),
        why=_why(s, step),
        facts=before_and_after(held, held, three(wrong.held) if wrong else None),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: already(step.held, wrong.held)),
        row=row(s, tile, own.held),
    )


def _headline(s: Scenario, step: ReadTile) -> Text:
    tile, n = step.tile, len(step.tile.keys)
    if n > MOST_SHOWN:
        said = Told(
            "Tile {i} of {n_tiles} comes onto the chip: {n:key} and their scores",
            "第 {i} 个分块（共 {n_tiles} 个）到了片上：{n} 个键和它们的分数",
        )
    else:
        said = Told(
            "Tile {i} of {n_tiles} comes onto the chip: {who}, {n|score|scores} {scores}",
            "第 {i} 个分块（共 {n_tiles} 个）到了片上：{who}，分数 {scores}",
        )
    scores = tuple(short(s.scores[key]) for key in tile.keys)
    return said.on(s, i=tile.index + 1, n=n, who=names(s, tile, markdown=True), scores=scores)


def _why(s: Scenario, step: ReadTile) -> Text:
    i = step.tile.index
    before = sum(len(tile.keys) for tile in s.tiles[:i])
    if i == 0:
        return Text(
            "The [kernel](term:kernel), the program on the accelerator, reads a [tile](term:tile) of keys and values "
            "into [fast memory](term:sram) and computes the scores there. It keeps m, the largest score so far; ℓ, the "
            "sum of the weights; and u, the sum of the values times their weights. All three start empty.",
            "[内核](term:kernel)是加速器上的程序：它把一个[分块](term:tile)的键和值读入[快速片上内存](term:sram)，在那"
            "里计算分数。它只保存三样：m，目前最大的分数；ℓ，权重之和；u，值乘权重之和。三者开始时都是空的。",
        )
    if i == 1:
        return Told(
            "The kernel computes the scores of the tile on the chip and writes none of them out. m, ℓ and u stand for "
            "the {n:key} read before; {n|its score is|their scores are} already discarded.",
            "内核在片上计算本分块的分数，一个也不写出。m、ℓ、u 代表此前读过的 {n} 个键，那些键的分数已经丢弃。",
        ).on(n=before)
    return Told("m, ℓ and u stand for the {n:key} read so far.", "m、ℓ、u 代表此前读过的 {n} 个键。").on(n=before)
