"""All three on, beside all off."""

from __future__ import annotations

from engine.three_savings import Scenario, Together
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.three_savings.mistakes import MISTAKES
from lessons.three_savings.naming import LEDGERS, ratio
from lessons.three_savings.steps.table import TOTALS, facts, made_true, row


def together(s: Scenario, step: Together, wrong: Together | None) -> Narration:
    before, now = step.before.ledgers, step.now.ledgers
    if not step.now.same_output:
        headline = Text("All on: three switches at once", "全开：三个开关并用")
    elif all(now.amount(ledger) < before.amount(ledger) for ledger in LEDGERS):
        headline = Text("All on: three savings at once, the same output", "全开：三种节约并存，输出相同")
    else:
        headline = Text(
            "All on: the same output, but not every ledger is smaller", "全开：输出相同，但并非每本账都变小"
        )
    return Narration(
        id="together",
        title=Text("All on", "全开"),
        headline=headline,
        why=Told(
            "Work {work}, bytes moved {moved}, bytes resident {resident}. The three do not get in each other’s "
            "way: the cache decides *whether* old rows are computed again, tiles *how* one attention is computed, "
            "paging *where* the kept rows lie.",
            "计算 {work}，搬运 {moved}，驻留 {resident}。三者互不妨碍：缓存决定旧的行**是否**重算，分块决定一次注意"
            "力**怎样**算，分页决定留下的行**放在哪里**。",
        ).on(
            work=ratio("work", step.before, step.now),
            moved=ratio("moved", step.before, step.now),
            resident=ratio("resident", step.before, step.now),
        ),
        facts=facts(TOTALS, step.before, step.now, wrong.now if wrong else None),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: made_true(s, step.now, wrong.now)),
        row=row((wrong or step).now),
    )
