"""The tables of scores and weights: what they take up and what they move."""

from __future__ import annotations

import random
from dataclasses import replace

from engine.attention import score_table_bytes
from engine.three_ledgers import ALL_OFF, CACHE, ITEM, TILES
from engine.three_savings import HEADS, Scenario
from lessons.kit.format import count
from lessons.kit.question import Line, Question, Slip, together
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import BYTE
from lessons.three_savings.form import N_PROMPT, NEW, counted
from lessons.three_savings.presets import CHAPTER
from lessons.three_savings.questions.given import (
    GIVEN,
    NOT_READ_BACK,
    NUMBERS,
    ONE_MORE,
    THOSE_ARE_NUMBERS,
    chosen,
    invent,
)


def _table(t: int) -> int:
    """Bytes of one of a head's two tables in a pass over t tokens."""
    return score_table_bytes(t, t, itemsize=ITEM)


_ONE_TABLE: Slip[Scenario] = Slip(
    "one-table",
    Text("One table", "只算一张"),
    lambda s: _table(s.n_kept),
    Text(
        "That is the table of scores. The weights are another of the same size.", "这是分数表。权重是另一张同样大的表。"
    ),
)
_NUMBERS: Slip[Scenario] = Slip("numbers", NUMBERS, lambda s: 2 * s.n_kept**2, THOSE_ARE_NUMBERS)

TABLES_RESIDENT: Question[Scenario] = Question(
    slug="tables-resident",
    title=Text("The tables of scores", "分数表"),
    prompt=GIVEN
    + Told(
        " No cache, no tiles, {itemsize} bytes a number. How many bytes are the two tables, scores and weights, of "
        "one head in the last pass (full squares, masked places included)?",
        "没有缓存，也不分块，每个数 {itemsize} 字节。最后一遍里，一个头的分数和权重两张表（完整的方阵，含被屏蔽的位"
        "置）共多少字节？",
    ),
    form=counted(N_PROMPT, NEW),
    inputs=chosen(CHAPTER, ALL_OFF),
    invent=invent,
    formula=lambda s: s.off.at_end.scores,
    slips=(
        _ONE_TABLE,
        _NUMBERS,
        together(_ONE_TABLE, _NUMBERS, lambda s: s.n_kept**2),
        Slip(
            "one-longer",
            Text("Counted the last new token", "把最后一个新 token 也算了"),
            lambda s: 2 * _table(s.n_kept + 1),
            ONE_MORE,
        ),
        Slip(
            "prompt-only",
            Text("The prompt’s table", "提示那一遍的表"),
            lambda s: 2 * _table(s.n_prompt),
            Text(
                "That is the first pass. Without a cache the last one runs over everything.",
                "这是第一遍的。没有缓存时，最后一遍要处理全文。",
            ),
        ),
        Slip(
            "one-row",
            Text("One row, as with a cache", "只有一行，像有缓存那样"),
            lambda s: 2 * s.n_kept * ITEM,
            Text(
                "With a cache the last pass has one query, and a row for a table. Here every position is a query "
                "again.",
                "有缓存时最后一遍只有一个查询，表只有一行。这里每个位置又都是查询。",
            ),
            lambda s: chosen(s, CACHE),
        ),
    ),
    working=Told(
        "The last pass has {n_kept} positions: 2 × {n_kept} × {n_kept} × {itemsize} = {off.at_end.scores} bytes.",
        "最后一遍有 {n_kept} 个位置：2 × {n_kept} × {n_kept} × {itemsize} = {off.at_end.scores} 字节。",
    ),
    way=lambda s: chosen(s, ALL_OFF),
    reply=Number(BYTE),
    rows=(
        Line(Text("Positions in the last pass", "最后一遍的位置数"), "{n_prompt} + {n_new} − 1", "{n_kept}"),
        Line(Text("Numbers in one table", "一张表里的数"), "{n_kept} × {n_kept}", lambda s: count(s.n_kept**2)),
        Line(
            Text("Both tables", "两张表"),
            lambda s: f"2 × {count(s.n_kept**2)} × {s.itemsize}",
            lambda s: BYTE.after(count(s.off.at_end.scores)),
        ),
    ),
)


def _both_ways(s: Scenario) -> int:
    """Bytes that one head's tables move: two, each out and back."""
    return s.off.per_head.moved_tables


def _invent_prompt(rng: random.Random) -> Scenario:
    return replace(invent(rng), n_new=1, choice=TILES)


_WRITTEN_ONLY: Slip[Scenario] = Slip(
    "written-only",
    NOT_READ_BACK,
    lambda s: 2 * _table(s.n_prompt),
    Text("Both tables are read back as well, each once.", "两张表都还要各读回一次。"),
)
_MOVED_NUMBERS: Slip[Scenario] = Slip("numbers", NUMBERS, lambda s: 4 * s.n_prompt**2, THOSE_ARE_NUMBERS)

TABLES_MOVED: Question[Scenario] = Question(
    slug="tables-moved",
    title=Text("What tiles do not move", "分块不搬的东西"),
    prompt=Told(
        "A prompt of {n_prompt:token}, one pass, {itemsize} bytes a number. Without tiles a head writes its two "
        "tables, scores and weights, to slow memory as full squares and reads each back. "
        "How many bytes is that traffic of one head?",
        "提示 {n_prompt} 个 token，一遍，每个数 {itemsize} 字节。不分块时，一个头要把分数和权重两张表按完整的方阵各写"
        "进慢速显存再读回。一个头的这部分搬运是多少字节？",
    ),
    form=counted(N_PROMPT),
    inputs=replace(chosen(CHAPTER, TILES), n_new=1),
    invent=_invent_prompt,
    formula=_both_ways,
    slips=(
        _WRITTEN_ONLY,
        Slip(
            "once",
            Text("One table, one way", "一张表、单程"),
            lambda s: _table(s.n_prompt),
            Text("That is one table crossing once. Two tables cross twice each.", "这是一张表过一次。两张表各过两次。"),
        ),
        _MOVED_NUMBERS,
        together(_WRITTEN_ONLY, _MOVED_NUMBERS, lambda s: 2 * s.n_prompt**2),
        Slip(
            "visible",
            Text("Visible pairs only", "只算可见的配对"),
            lambda s: 4 * ITEM * s.prompt_pairs,
            Text("The mask hides scores, but the table is moved whole.", "掩码只是隐藏分数，表仍是整张搬运。"),
        ),
        Slip(
            "all-heads",
            Text("All heads", "算了所有的头"),
            lambda s: HEADS * _both_ways(s),
            Text("That is all heads of all layers. The question is about one.", "这是所有层所有头的。问的是一个头。"),
        ),
    ),
    working=Told(
        "4 × {n_prompt} × {n_prompt} × {itemsize} = {off.per_head.moved_tables} bytes; with tiles 0.",
        "4 × {n_prompt} × {n_prompt} × {itemsize} = {off.per_head.moved_tables} 字节；分块后为 0。",
    ),
    way=lambda s: chosen(s, TILES),
    reply=Number(BYTE),
    rows=(
        Line(
            Text("One table", "一张表"),
            "{n_prompt} × {n_prompt} × {itemsize}",
            lambda s: BYTE.after(count(_table(s.n_prompt))),
        ),
        Line(
            Text("Trips of both tables", "两张表的趟数"),
            Text("each written and read back: 2 × 2", "各写一次、读回一次：2 × 2"),
            str(2 * 2),
        ),
        Line(
            Text("Together", "合计"),
            lambda s: f"4 × {count(_table(s.n_prompt))}",
            lambda s: BYTE.after(count(_both_ways(s))),
        ),
    ),
)
