"""What the generation comes to: unit by unit, and by which passes are counted."""

from __future__ import annotations

from engine.decode_cost import Convention, Mistake, Scenario, Totals
from lessons.decode_cost.mistakes import MISTAKES, UNCHANGED
from lessons.decode_cost.naming import sum_of
from lessons.decode_cost.steps.table import FOUR, Line, facts, four, row
from lessons.kit.format import count
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told


def totals(s: Scenario, step: Totals, wrong: Totals | None) -> Narration:
    why = Told(
        "A row is all projections and the FFN of one position; a pair is one score. “Operations” alone names neither.",
        "一行是一个位置的全部投影和 FFN；一对是一个分数。只说“操作”，两者都没有说清。",
    )
    if s.n_prompt == 1 and s.n_new > 1:
        why += Told(
            " “{plain.rows} against {cached.rows}” is right for rows. For attention pairs it is {plain.pairs} "
            "against {cached.pairs}: the number {plain.rows} is now on the *cached* side. Counting masked pairs "
            "too would give {squares}, which no causal pass needs.",
            "“{plain.rows} 比 {cached.rows}”用于行是对的。按注意力配对算则是 {plain.pairs} 比 {cached.pairs}：这时 "
            "{plain.rows} 落在**有缓存**的一边。若把被屏蔽的配对也算上会得到 {squares}，因果前向并不需要它们。",
        )
    else:
        why += Told(
            " Without a cache the rows are {sum} = {plain.rows}, the pairs one triangle for each pass. With one "
            "they are {cached.rows:row} and a single triangle of {cached.pairs}: every pair scored exactly once.",
            "没有缓存时行数是 {sum} = {plain.rows}，每步再算一整个三角形的配对。有缓存时是 {cached.rows} 行和唯一一"
            "个三角形 {cached.pairs} 对：每一对恰好算一次。",
        )

    own = wrong or step
    return Narration(
        id="totals",
        title=Text("Unit by unit", "按单位分开"),
        headline=Told(
            "Rows: {plain.rows} against {cached.rows}. Pairs: {plain.pairs} against {cached.pairs}",
            "没有缓存 {plain.rows} 行、{plain.pairs} 对；有缓存 {cached.rows} 行、{cached.pairs} 对",
        ).on(step),
        why=why.on(step, s, sum=sum_of(s.n_prompt, s.n_positions)),
        facts=facts(
            ("", Text("whole generation", "整段生成")),
            lambda way: tuple(zip(FOUR, four(way.plain, way.cached), strict=True)),
            step,
            wrong,
        ),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: _reported(s, step, wrong)),
        row=row(own.plain, own.cached),
    )


def _reported(s: Scenario, step: Totals, wrong: Totals) -> Text:
    if wrong == step:
        return MISTAKES.invisible(s)
    said = Told(
        "reports {plain.pairs} against {cached.pairs} pairs; they are {right.plain.pairs} against "
        "{right.cached.pairs}.",
        "报告的配对是 {plain.pairs} 比 {cached.pairs}；其实是 {right.plain.pairs} 比 {right.cached.pairs}。",
    ).on(wrong, right=step)
    match s.mistake:
        case Mistake.ROWS_AS_PAIRS:
            return said + Text(
                " The numbers are right, for rows. Their unit is not: in pairs both sides are larger, and the "
                "cached side is not linear.",
                "这两个数对行来说是对的，单位却错了：按配对算两边都更大，而且有缓存的一边并不是线性的。",
            )
        case Mistake.NEWEST_QUERY if wrong.plain.pairs == wrong.cached.pairs:
            return said + Text(
                " Both come out alike: such a comparison shows no difference at all.",
                "两边算出来一样：这样的比较看不出任何差别。",
            )
        case Mistake.NEWEST_QUERY:
            return said + Text(" The cache now looks *dearer* than none.", "缓存反而显得比没有缓存**更贵**。")
        case _:
            return said


def convention(s: Scenario, step: Convention, wrong: Convention | None) -> Narration:
    def miscounted(wrong: Convention) -> Text:
        if wrong == step:
            return UNCHANGED
        return Told(
            "{prefill.pairs:pair} for the prompt and {decode.pairs} for decoding.",
            "提示 {prefill.pairs} 对，解码 {decode.pairs} 对。",
        ).on(wrong)

    own = wrong or step
    return Narration(
        id="passes",
        title=Text("Which passes count", "算哪几步"),
        headline=Told(
            "{n_new:new token} take {passes} or {n_new} decode passes: say which",
            "{n_new} 个新 token 要 {passes} 步或 {n_new} 步解码：请说明是哪一种",
        ).on(s, passes=s.n_new - 1),
        why=Told(
            "The prompt’s pass gives the first new token, so {passes} [decode](term:decode) passes are left: (M − "
            "1)P + M(M − 1)/2 = {decode.pairs} pairs for P = {n_prompt} and M = {n_new}. If the last new token is "
            "run as well, so that the cache is ready for what follows, there is one pass more: MP + M(M + 1)/2 = "
            "{every.pairs}. Both are in use.",
            "提示的那次前向已给出第一个新 token，所以还剩 {passes} 步[解码](term:decode)：P = {n_prompt}、M = "
            "{n_new} 时 (M − 1)P + M(M − 1)/2 = {decode.pairs} 对。若把最后一个新 token 也送过模型，让缓存为后文备"
            "好，就再多一步：MP + M(M + 1)/2 = {every.pairs} 对。两种算法都有人用。",
        ).on(step, s, passes=s.n_new - 1),
        facts=facts(("", Text("pairs", "配对")), _by_passes, step, wrong),
        wrong=MISTAKES.beside(s, wrong, miscounted),
        row=row(cached=own.prefill + own.decode),
    )


def _by_passes(way: Convention) -> tuple[Line, ...]:
    return (
        (Text("prompt", "提示"), count(way.prefill.pairs)),
        (Text("first token from the prompt", "第一个 token 来自提示"), count(way.decode.pairs)),
        (Text("every new token run", "每个新 token 都送入"), count(way.every.pairs)),
    )
