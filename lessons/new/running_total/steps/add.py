"""One number is added."""

# TODO: headline: what happened, with its number. why: cause before effect, where to look. Both languages side by side.

from __future__ import annotations

from lessons.kit.ask import Ask, asking
from lessons.kit.claims import alike
from lessons.kit.format import count
from lessons.kit.lesson import Facts, Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.new.running_total.engine import Add, Mistake, Scenario
from lessons.new.running_total.mistakes import MISTAKES


def add(s: Scenario, step: Add, wrong: Add | None) -> Narration:
    def did(wrong: Add) -> Text | None:
        if wrong.total == step.total:
            return None
        return Told("it holds {total} instead of {right}.", "它得到 {total}，应当是 {right}。").on(
            wrong, right=step.total
        )

    return Narration(
        id=f"add{step.i}",
        title=Told("Add {number}", "加 {number}").on(step),
        headline=Told("{number} is added, and the total becomes {total}", "加上 {number}，总和成为 {total}").on(step),
        why=Told(
            "The total was {before}. The outlined cell is the number that is added now.",
            "之前的总和是 {before}。描边的格子是现在加上的数。",
        ).on(step),
        facts=_facts(step, wrong),
        ask=_what_now(s, step) if step.i == 1 else None,
        wrong=MISTAKES.beside(s, wrong, did),
        row={"number": step.number, "total": (wrong or step).total},
        claims=(alike(step.before + step.number, step.total),),
    )


def _facts(step: Add, wrong: Add | None) -> Facts:
    """The total before and after; a last column for the wrong way where there is one."""
    head = ("", Text("before", "之前"), Text("after", "之后"))
    line = (Text("total", "总和"), count(step.before), count(step.total))
    changed = frozenset({0} if step.total != step.before else ())
    if wrong is None:
        return Facts(head, (line,), changed)
    spoilt = frozenset({0} if wrong.total != step.total else ())
    return Facts((*head, Text("wrong way", "错误做法")), ((*line, count(wrong.total)),), changed, spoilt)


def _what_now(s: Scenario, step: Add) -> Ask | None:
    return asking(
        Told("The total is {before}. What is it after {number}?", "总和是 {before}。加上 {number} 之后是多少？").on(
            step
        ),
        float(step.total),
        (MISTAKES.guess(Mistake.OVERWRITES, float(step.number), s),),
        relative=0,
        absolute=0,
        shown=count(step.total),
    )
