"""All eight ways in one table."""

from __future__ import annotations

import math

from engine.three_savings import Eight, Scenario
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.three_savings.mistakes import MISTAKES
from lessons.three_savings.naming import written
from lessons.three_savings.steps.table import row


def eight(s: Scenario, step: Eight, wrong: Eight | None) -> Narration:
    def changed(wrong: Eight) -> Text:
        n = sum(not way.same_output for way in wrong.ways)
        if n == 0:
            return MISTAKES.invisible(s)
        return Told(
            "the output changes in {n} of {all} ways: a saving that changes the output is another model.",
            "{all} 种做法中有 {n} 种的输出变了：会改变输出的“节约”等于换了模型。",
        ).on(n=n, all=len(wrong.ways))

    return Narration(
        id="eight",
        title=Text("All eight ways", "八种做法"),
        headline=Told(
            "Eight ways, one output: they differ by at most {error}", "八种做法，一个输出：相差最多 {error}"
        ).on(error=written(max(way.error for way in step.ways))),
        why=Text(
            "Run on the same tokens; paging without a cache is one and the same run as without paging, for there "
            "is nothing to page. The column of |Δ logit| is the largest difference of a logit from all off: only "
            "[rounding](term:rounding). Read down a column: work changes with the cache alone; paging changes "
            "bytes resident alone, and only where there is a cache to page.",
            "都在同样的 token 上跑；没有缓存时，开不开分页是同一次运行，因为没有东西可分页。|Δ logit| 一列是与全"
            "关相比 logits 的最大差：只有[舍入](term:rounding)误差。竖着看每一列："
            "计算只随缓存变；分页只改变驻留，而且只有打开缓存时才起作用。",
        ),
        ask=_where(step),
        wrong=MISTAKES.beside(s, wrong, changed),
        row=row(None),
    )


def _where(step: Eight) -> Ask | None:
    n, all_ = sum(way.same_output for way in step.ways), len(step.ways)
    said = Told(
        "Each of the three keeps every token and every number: {n} of {all} agree to rounding.",
        "三者都保留每个 token、每个数：{all} 种里有 {n} 种只差舍入。",
    ).on(n=n, all=all_)
    return asking(
        Text(
            "Three switches make eight ways, run on the same tokens. Where do their logits differ by more than "
            "rounding?",
            "三个开关共有八种做法，处理同样的 token。在哪些情况下，logits 相差会超过舍入误差？",
        ),
        4.0 if n == all_ else math.nan,
        tuple(Guess(float(i), said) for i in (1, 2, 3)),
        options=(
            Text("wherever the cache is on", "只要打开缓存"),
            Text("wherever tiles are on", "只要打开分块"),
            Text("wherever paging is on", "只要打开分页"),
            Text("nowhere", "都不会"),
        ),
    )
