"""The newest token of A attends to all of A through the table."""

from __future__ import annotations

from engine.paged import Mistake
from engine.paged_lookup import FIRST, SECOND
from engine.paged_output import Attended, Scenario
from lessons.block_table.mistakes import MISTAKES
from lessons.block_table.naming import differs
from lessons.block_table.steps.table import Line, row
from lessons.block_table.trace import trace
from lessons.kit.claims import alike
from lessons.kit.format import delta, vector
from lessons.kit.lesson import Facts, Narration
from lessons.kit.phrases import bracketed, run
from lessons.kit.text import Text
from lessons.kit.told import Told


def attended(s: Scenario, step: Attended, wrong: Attended | None) -> Narration:
    table = step.memory.table(FIRST)
    if step.again:
        id_, title = "attend-again", Text("Same output?", "输出还一样？")
        headline = Told(
            "A has {n:token} now, and its output is still the same as with contiguous rows",
            "A 现有 {n} 个 token，输出仍与连续存放时相同",
        )
        why = _since(s, step) + Told(
            "Through {table} the newest query finds {n|position|positions} {positions} in order. The largest "
            "difference from contiguous rows is {error}.",
            "最新的查询经 {table} 依次找到位置 {positions}；与连续存放相比，最大差是 {error}。",
        )
    else:
        id_, title = "attend", Text("Attend", "算注意力")
        headline = Told(
            "Read through the table, {n:token} {n|gives|give} the same output as in contiguous memory",
            "经块表读 {n} 个 token，输出与连续存放时相同",
        )
        why = Told(
            "The newest [query](term:query) reads the keys and values of {n|position|positions} {positions} in the "
            "order of the table, the blue slots: the same numbers in the same order give the same sum. The largest "
            "difference is {error}. A paged [kernel](term:kernel) looks up each block inside its loop and makes no "
            "contiguous copy.",
            "最新的[查询](term:query)按块表的次序读位置 {positions} 的键和值（蓝色槽位）：同样的数、同样的次序，和也相"
            "同。最大差是 {error}。分页[内核](term:kernel)在循环里逐块查表，不必先拼成连续的副本。",
        )
    own, n = wrong or step, table.length
    return Narration(
        id=id_,
        title=title,
        headline=headline.on(n=n),
        why=why.on(table=bracketed(table.blocks), n=n, positions=run(0, n), error=delta(step.error)),
        facts=_facts(step, wrong),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: _spoilt(s, step, wrong)),
        row=row(own, slots=own.slots, output=own.output),
        claims=tuple(alike(x, y) for x, y in zip(step.output, step.plain, strict=True)),
    )


def _since(s: Scenario, step: Attended) -> Text:
    """What has happened in the pool since A attended first, and why it does not matter."""
    b = step.memory.table(SECOND).length
    match s.n_appended > 0, b > 0:
        case True, True:
            return Text(
                "Appending moved no older token, and B wrote only into its own blocks. ",
                "追加没有搬动旧 token，B 也只写自己的块。",
            )
        case True, False:
            return Text("Appending moved no older token, and B wrote nothing. ", "追加没有搬动旧 token，B 什么也没写。")
        case False, True:
            return Text("Nothing was appended, and B wrote only into its own blocks. ", "没有追加，B 也只写自己的块。")
        case _:
            return Text("Nothing was appended, and B wrote nothing. ", "没有追加，B 也什么都没写。")


def _facts(step: Attended, wrong: Attended | None) -> Facts:
    lines: list[Line] = [
        (Text("rows read", "读的行数"), str(len(step.slots))),
        (Text("through the table", "经块表"), vector(step.output)),
        (Text("contiguous rows", "连续存放"), vector(step.plain)),
        (Text("largest difference", "最大差"), delta(step.error)),
    ]
    if wrong is None:
        return Facts(("", "o"), tuple(lines), frozenset({3}))
    lines += [
        (Text("wrong way: rows read", "错误做法：读的行数"), str(len(wrong.slots))),
        (Text("wrong way: output", "错误做法：输出"), vector(wrong.output)),
        (Text("off by", "偏差"), delta(wrong.error)),
    ]
    spoilt = {5, 6} if differs(wrong) else set()
    other_rows = {4} if len(wrong.slots) != len(step.slots) else set()
    return Facts(("", "o"), tuple(lines), frozenset({3}), frozenset(spoilt | other_rows))


def _spoilt(s: Scenario, step: Attended, wrong: Attended) -> Text:
    done = _read_wrongly(s, step, wrong)
    if differs(wrong):
        return done + Told(
            "The output is ({output:vector}), off by {error}, and no error was raised.",
            "输出是（{output:vector}），偏差 {error}，没有任何报错。",
        ).on(wrong)
    if seen_anywhere(s):
        return done + Text("The output is not spoilt at this step.", "这一步的输出没有受影响。")
    return done + MISTAKES.invisible(s)


def _read_wrongly(s: Scenario, step: Attended, wrong: Attended) -> Text:
    table, size, n = wrong.memory.table(FIRST), s.block_size, len(wrong.slots)
    match s.mistake:
        case Mistake.LOGICAL_AS_PHYSICAL:
            return Told(
                "the program reads {n|slot|slots} {slots}, whoever owns {n|it|them}. ",
                "程序读槽位 {slots}，不管属于谁。",
            ).on(n=n, slots=run(wrong.slots[0], n))
        case Mistake.FILL_MODULO:
            before = (len(table.blocks) - 1) * size
            counted = Told(
                r"the program counts ${before} + ({length} \bmod {size}) = {n}$ of {right:row}. ",
                r"程序数出 ${before} + ({length} \bmod {size}) = {n}$ 行，应为 {right} 行。",
            )
            return counted.on(before=before, length=table.length, size=size, n=n, right=len(step.slots))
        case _:
            return Told(
                "the loop starts at position −1. In Python table[−1] is the last entry, {entry}, so slot {slot} is "
                "read first. ",
                "循环从位置 −1 开始。Python 的 table[−1] 是最后一项 {entry}，于是先读了槽位 {slot}。",
            ).on(entry=table.blocks[-1], slot=wrong.slots[0])


def seen_anywhere(s: Scenario) -> bool:
    """Whether the mistake spoils an output at some step."""
    return any(differs(step) for step in trace(s) if isinstance(step, Attended))
