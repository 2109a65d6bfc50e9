"""The first step says what the problem is, the last what was saved, in which ledger, at what price."""

from __future__ import annotations

from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.new.running_total.engine import Done, Scenario, Start
from lessons.new.running_total.mistakes import MISTAKES


def start(s: Scenario, step: Start, wrong: Start | None) -> Narration:
    return Narration(
        id="start",
        title=Text("The numbers", "这些数"),
        headline=Told("{n:number} {n|waits|wait} to be added", "{n} 个数等着相加").on(n=len(step.numbers)),
        why=Text(
            "Adding them anew for every question would be wasted work, so a total is kept.",
            "每次都从头相加是白费计算，所以保存一个总和。",
        ),
        wrong=MISTAKES.beside(s, wrong, lambda _: None),
        row={"number": None, "total": 0},
    )


def done(s: Scenario, step: Done, wrong: Done | None) -> Narration:
    def did(wrong: Done) -> Text | None:
        if wrong.total == step.total:
            return None
        return Told("it ends at {total} instead of {right}.", "它最后得到 {total}，应当是 {right}。").on(
            wrong, right=step.total
        )

    return Narration(
        id="done",
        title=Text("Done", "完成"),
        headline=Told("After {n:number} the total is {total}", "{n} 个数之后，总和是 {total}").on(step),
        why=Text(
            "**Work** was saved: one addition for each number. The price is one number that must be kept.",
            "省下的是**计算**：每个数只加一次。代价是要多保存一个数。",
        ),
        wrong=MISTAKES.beside(s, wrong, did),
        row={"number": None, "total": (wrong or step).total},
    )
