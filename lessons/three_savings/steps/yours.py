"""The reader's own choice of switches, beside all off."""

from __future__ import annotations

from engine.three_ledgers import ALL_OFF, Switches
from engine.three_savings import Scenario, Yours
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.three_savings.mistakes import MISTAKES
from lessons.three_savings.naming import named
from lessons.three_savings.steps.table import TOTALS, facts, made_true, row


def yours(s: Scenario, step: Yours, wrong: Yours | None) -> Narration:
    return Narration(
        id="yours",
        title=Text("Your choice", "你的选择"),
        headline=Told("Your choice: {way}, beside all off", "你的选择：{way}，与全关并列").on(
            way=named(step.now.switches)
        ),
        why=Text("Set the three switches under *Change the numbers*. ", "在“修改数字”里设置三个开关。")
        + _why(step.now.switches),
        facts=facts(TOTALS, step.before, step.now, wrong.now if wrong else None),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: made_true(s, step.now, wrong.now)),
        row=row((wrong or step).now),
    )


def _why(on: Switches) -> Text:
    if on != on.effective:
        return Text(
            "Paging is on, but nothing is kept that could be paged: it changes no ledger until the cache is on too.",
            "分页开着，但没有保留任何可分页的东西：缓存不开，它不改变任何一本账。",
        )
    if on == ALL_OFF:
        return Text("All are off now: both bars are the same way.", "现在全关：两条柱是同一种做法。")
    return Text(
        "Whatever you choose, the output strip at the bottom stays: the switches change what it costs, not what it "
        "says.",
        "无论怎样选，最下面的输出都不变：开关改变的是代价，不是内容。",
    )
