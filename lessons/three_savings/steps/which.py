"""Which is which: the three turns once more."""

from __future__ import annotations

from engine.three_savings import Scenario, Which
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told, say
from lessons.three_savings.mistakes import MISTAKES
from lessons.three_savings.naming import OWN, ratio
from lessons.three_savings.steps.table import row


def which(s: Scenario, step: Which, wrong: Which | None) -> Narration:
    own = {turn.name: ratio(OWN[turn.name], turn.before, turn.now) for turn in step.turns}
    return Narration(
        id="which",
        title=Text("Which is which", "各省什么"),
        headline=Text(
            "The cache saves work, tiles save moving, paging saves room", "缓存省计算，分块省搬运，分页省空间"
        ),
        why=Told(
            "The cache keeps old work (pairs {cache}) and pays in bytes resident. Tiles reorganise one attention "
            "(bytes moved {tiles}) and do the same work. Paging places what the cache keeps (bytes resident "
            "{paging}) and touches neither work nor traffic. Outside the outlined diagonal stand consequences and "
            "prices. Ask of any claim “it saves”: in which ledger?",
            "缓存留住旧的计算（配对 {cache}），用驻留字节付账。分块重新安排一次注意力（搬运 {tiles}），计算照旧。分"
            "页安置缓存留下的东西（驻留 {paging}），既不动计算也不动搬运。描边的对角线之外，是连带的结果和代价。凡"
            "听到“它省”，先问：省在哪一本账上？",
        ).on(**own),
        wrong=MISTAKES.beside(s, wrong, lambda _: say(MISTAKES.of(s).said, s)),
        row=row(None),
    )
