"""The newest token of A attends to all of A through the table."""

from __future__ import annotations

from engine.paged import Mistake, last_block_fill
from engine.paged_lookup import FIRST
from engine.paged_output import Attended, Scenario
from lessons.block_table.mistakes import MISTAKES
from lessons.block_table.steps.table import Line, row
from lessons.block_table.trace import trace
from lessons.kit.format import fixed, vector
from lessons.kit.lesson import Facts, Narration
from lessons.kit.phrases import bracketed
from lessons.kit.text import Text
from lessons.kit.told import Told

ROUNDING = 1e-9


def attended(s: Scenario, step: Attended, wrong: Attended | None) -> Narration:
    table = step.memory.table(FIRST)
    if step.again:
        id_, title = "attend-again", Text("Same output?", "输出还一样？")
        headline = Told(
            "A has {n} tokens now and B lies between them; A’s output is still that of rows side by side",
            "A 现在有 {n} 个 token，中间还夹着 B；A 的输出仍与连续存放时一样",
        )
        why = Told(
            "Appending moved no old token, and B writes only where its own table leads. Through {table} the newest "
            "[query](term:query) finds positions 0 to {last} in order; the largest difference from contiguous rows is "
            "{error}.",
            "追加没有搬动任何旧 token，B 也只写它自己的表指到的地方。最新的[查询](term:query)经 {table} 依次找到位"
            "置 0 到 {last}；与连续存放相比，最大差是 {error}。",
        )
    else:
        id_, title = "attend", Text("Attend", "算注意力")
        headline = Told(
            "Read through the table, the {n:token} give the same output as side by side",
            "经块表读这 {n} 个 token，输出与连续存放时一样",
        )
        why = Told(
            "The newest [query](term:query) walks the table {table}: the same keys and values, in the same order, "
            "so the same sum. Largest difference: {error}, computed. A paged kernel looks up each block inside its "
            "loop and needs no contiguous copy.",
            "最新的[查询](term:query)沿块表 {table} 走一遍：同样的键和值、同样的顺序，所以和也相同。最大差："
            "{error}，是算出来的。分页内核在循环里逐块查表，不必先拼出一份连续的副本。",
        )
    own = wrong or step
    return Narration(
        id=id_,
        title=title,
        headline=headline.on(n=table.length),
        why=why.on(table=bracketed(table.blocks), last=table.length - 1, error=_error(step.error)),
        facts=_facts(step, wrong),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: _spoilt(s, wrong)),
        row=row(own, slots=own.slots, output=own.output),
    )


def _facts(step: Attended, wrong: Attended | None) -> Facts:
    lines: list[Line] = [
        (Text("rows read", "读的行数"), str(len(step.slots))),
        (Text("through the table", "经块表"), vector(step.output)),
        (Text("side by side", "连续存放"), vector(step.plain)),
        (Text("largest |difference|", "最大差"), _error(step.error)),
    ]
    if wrong is None:
        return Facts(("", "o"), tuple(lines), frozenset({3}))
    lines += [
        (Text("wrong way: rows read", "错误做法：读的行数"), str(len(wrong.slots))),
        (Text("wrong way: output", "错误做法：输出"), vector(wrong.output)),
        (Text("off by", "偏差"), _error(wrong.error)),
    ]
    spoilt = {5, 6} if differs(wrong) else set()
    other_rows = {4} if len(wrong.slots) != len(step.slots) else set()
    return Facts(("", "o"), tuple(lines), frozenset({3}), frozenset(spoilt | other_rows))


def _error(error: float) -> str:
    return fixed(error) if error else "0"


def differs(wrong: Attended) -> bool:
    """Whether the output is off by more than rounding."""
    return wrong.error > ROUNDING


def _spoilt(s: Scenario, wrong: Attended) -> Text:
    done = _read_wrongly(s, wrong)
    if differs(wrong):
        return done + Told(
            "Output ({output:vector}), off by {error}. Nothing warned.",
            "输出（{output:vector}），偏差 {error}。没有任何报错。",
        ).on(wrong)
    if seen_anywhere(s):
        return done + Text("The output is not spoilt at this step.", "这一步的输出没有受影响。")
    return done + MISTAKES.invisible(s)


def _read_wrongly(s: Scenario, wrong: Attended) -> Text:
    table, size = wrong.memory.table(FIRST), s.block_size
    match s.mistake:
        case Mistake.LOGICAL_AS_PHYSICAL:
            return Told(
                "it reads slots {first} to {last} in a row, whoever owns them. ",
                "它把槽位 {first} 到 {last} 挨个读下来，不管属于谁。",
            ).on(first=wrong.slots[0], last=wrong.slots[-1])
        case Mistake.FILL_MODULO:
            before = (len(table.blocks) - 1) * size
            rest = last_block_fill(table.length, size, Mistake.FILL_MODULO)
            return Told(
                r"it counts ${before} + {n} \bmod {size} = {rows}$ rows. ",
                r"它数出 ${before} + {n} \bmod {size} = {rows}$ 行。",
            ).on(before=before, n=table.length, size=size, rows=before + rest)
        case _:
            return Told(
                "its loop starts at position −1, one too early. A checked lookup refuses that; table[−1] is the "
                "last entry, {entry}, so slot {slot} is read first. ",
                "它的循环从位置 −1 开始，早了一个。有检查的查表会拒绝；而 table[−1] 是最后一项 {entry}，于是先读了槽位 "
                "{slot}。",
            ).on(entry=table.blocks[-1], slot=wrong.slots[0])


def seen_anywhere(s: Scenario) -> bool:
    """Whether the mistake spoils an output at some step."""
    return any(differs(step) for step in trace(s) if isinstance(step, Attended))
