"""Per step linear, whole generation still quadratic."""

from __future__ import annotations

from engine.decode_cost import Growth, Mistake, Scenario
from lessons.decode_cost.mistakes import MISTAKES, UNCHANGED
from lessons.decode_cost.naming import sum_of
from lessons.decode_cost.steps.table import Line, facts, row
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.format import count
from lessons.kit.lesson import Narration
from lessons.kit.text import Text, same
from lessons.kit.told import Told


def growth(s: Scenario, step: Growth, wrong: Growth | None) -> Narration:
    return Narration(
        id="growth",
        title=Text("Growth", "增长"),
        headline=Text("Per step linear, whole generation still quadratic", "每一步是线性的，整段生成仍是平方级"),
        why=Told(
            "A step at length n scores n pairs: a straight line. All steps together score n(n + 1)/2, here {sum} = "
            "{doubled.whole.at_n}: the area under it. Double the length and one step takes × "
            "{doubled.step.factor:fixed1}, the whole × {doubled.whole.factor:fixed1}. Without a cache the whole "
            "takes × {doubled.whole_plain.factor:fixed1}. A cache takes one power off each: the step falls from "
            "quadratic to linear, the whole from cubic to quadratic.",
            "长度为 n 的一步有 n 对：一条直线。所有步合起来有 n(n + 1)/2 对，这里是 {sum} = {doubled.whole.at_n}："
            "直线下的面积。长度加倍，一步变成 × {doubled.step.factor:fixed1}，整段变成 × "
            "{doubled.whole.factor:fixed1}；没有缓存时整段变成 × {doubled.whole_plain.factor:fixed1}。缓存让两者各"
            "降一次幂：一步从平方级到线性，整段从立方级到平方级。",
        ).on(step, sum=sum_of(1, s.n_positions)),
        facts=facts(("", Text("pairs, with a cache", "配对，有缓存")), _lines, step, wrong),
        ask=_doubled(s, step) if s.n_positions >= 3 else None,
        wrong=MISTAKES.beside(s, wrong, lambda wrong: _concluded(s, step, wrong)),
        row=row(cached=(wrong or step).whole),
    )


def _lines(way: Growth) -> tuple[Line, ...]:
    return (
        (Text("last step", "最后一步"), count(way.step.pairs)),
        (Text("whole generation", "整段生成"), count(way.whole.pairs)),
    )


def _concluded(s: Scenario, step: Growth, wrong: Growth) -> Text:
    if (step.step, step.whole) == (wrong.step, wrong.whole):
        return UNCHANGED
    said = Told(
        "the last step counts {step.pairs}, the whole {whole.pairs}.",
        "最后一步算 {step.pairs} 对，整段 {whole.pairs} 对。",
    ).on(wrong)
    match s.mistake:
        case Mistake.OWN_KEY | Mistake.ROWS_AS_PAIRS:
            return said + Text(" So it concludes “linear”, and is wrong.", "于是得出“线性”的结论，这是错的。")
        case Mistake.NO_APPEND:
            return said + Text(
                " Every step costs the same, because it reads no more than the prompt.",
                "每一步都一样贵，因为它读的始终只有提示。",
            )
        case _:
            return said


def _doubled(s: Scenario, step: Growth) -> Ask | None:
    """How the whole grows, as one of four options."""
    return asking(
        Told(
            "With a cache, {n} positions become {twice}. The pairs of the **whole** generation become about …",
            "有缓存时，{n} 个位置变成 {twice} 个。**整段**生成的配对数大约变成……",
        ).on(n=s.n_positions, twice=2 * s.n_positions),
        3,
        (
            Guess(
                1,
                Text(
                    "Old pairs are not scored again, but new queries meet old keys: new pairs.",
                    "旧的配对不会重算，但新的查询会遇到旧的键：那是新的配对。",
                ),
            ),
            Guess(
                2,
                Told(
                    "That is one step: × {doubled.step.factor:fixed1}. Twice as many steps, up to twice as long, "
                    "make × {doubled.whole.factor:fixed1}.",
                    "这是一步：× {doubled.step.factor:fixed1}。步数加倍，每步又最多加倍，就是 × "
                    "{doubled.whole.factor:fixed1}。",
                ).on(step),
            ),
            Guess(
                4,
                Told(
                    "That is nearer to the whole without a cache, × {doubled.whole_plain.factor:fixed1}. With one "
                    "it is × {doubled.whole.factor:fixed1}.",
                    "这更接近没有缓存的整段，× {doubled.whole_plain.factor:fixed1}。有缓存时是 × "
                    "{doubled.whole.factor:fixed1}。",
                ).on(step),
            ),
        ),
        options=(Text("as many as before", "不变"), same("× 2"), same("× 4"), same("× 8")),
    )
