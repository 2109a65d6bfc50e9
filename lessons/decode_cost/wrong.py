"""What a wrong way does in a step, and why it cannot be seen where it cannot."""

from __future__ import annotations

from engine.decode_cost import Convention, Growth, Mistake, Passes, Price, Same, Scenario, Start, Step, Totals
from lessons.kit.format import count, fixed, size
from lessons.kit.text import Text

MISTAKES: dict[Mistake, Text] = {
    Mistake.NONE: Text("none", "不比较"),
    Mistake.ROWS_AS_PAIRS: Text("rows reported as attention operations", "把行数当作注意力操作数"),
    Mistake.NEWEST_QUERY: Text("without a cache, only the newest query counted", "没有缓存时只数最新的查询"),
    Mistake.OWN_KEY: Text("with a cache, one pair a step", "有缓存时每步只算一对"),
    Mistake.FULL_SQUARE: Text("masked pairs counted too", "把被屏蔽的配对也算上"),
    Mistake.NO_APPEND: Text("new K and V never appended", "新的 K、V 从不追加"),
}

_WHAT: dict[Mistake, Text] = {
    Mistake.ROWS_AS_PAIRS: Text(
        "each row is put down as one operation, however many keys its query meets.",
        "不管一行的查询遇到多少键，都只记一次操作。",
    ),
    Mistake.NEWEST_QUERY: Text(
        "only the last row’s pairs are counted without a cache, though every row above it was scored again. That is "
        "the work of the cached "
        "decoder, so the difference is lost.",
        "没有缓存时只数最后一行的配对，可它上面的每一行都又算了一遍。这其实是有缓存时的工作量，差别就不见了。",
    ),
    Mistake.OWN_KEY: Text(
        "a cached step is taken for one pair. It runs one row, but that row’s query reads every old key.",
        "把有缓存的一步当成一对。它确实只算一行，但这一行的查询要读每一个旧键。",
    ),
    Mistake.FULL_SQUARE: Text(
        "the whole square is counted. A causal query never meets later keys: the pairs above the diagonal are masked.",
        "数的是整个方阵。因果查询从不遇到后面的键：对角线以上的配对被屏蔽了。",
    ),
    Mistake.NO_APPEND: Text(
        "the cache still ends with the prompt. The newest token sees the prompt and itself, at the wrong position, "
        "and no token in between.",
        "缓存仍停在提示的末尾。最新的 token 只看到提示和自己，位置也错了，中间的 token 一个也看不到。",
    ),
}


def wrong_way(scenario: Scenario, step: Step, wrong: Step) -> Text:
    """What the chosen mistake does in this step."""
    name = MISTAKES[scenario.mistake]
    lead = Text(f"**✗ Wrong way** ({name.en}): ", f"**✗ 错误做法**（{name.zh}）：")
    match step, wrong:
        case Start(), _:
            return lead + Text("runs beside the right one from the next step on.", "从下一步起与正确做法并排。")
        case Passes(), Passes():
            return lead + _passes(scenario, step, wrong)
        case Same(), Same():
            return lead + _same(scenario, step, wrong)
        case Totals(plain=a, cached=b), Totals(plain=c, cached=d):
            if (a, b) == (c, d):
                return lead + _invisible(scenario)
            return (
                lead
                + Text(
                    f"reports {count(c.pairs)} against {count(d.pairs)} pairs; they are {count(a.pairs)} against "
                    f"{count(b.pairs)}.",
                    f"报告的配对是 {count(c.pairs)} 比 {count(d.pairs)}；其实是 {count(a.pairs)} 比 {count(b.pairs)}。",
                )
                + _verdict(scenario, wrong)
            )
        case Convention(), Convention() if step != wrong:
            return lead + Text(
                f"{count(wrong.prefill.pairs)} pair{'s' * (wrong.prefill.pairs != 1)} for the prompt and "
                f"{count(wrong.decode.pairs)} for decoding.",
                f"提示 {count(wrong.prefill.pairs)} 对，解码 {count(wrong.decode.pairs)} 对。",
            )
        case Growth(), Growth() if (step.step, step.whole) != (wrong.step, wrong.whole):
            return (
                lead
                + Text(
                    f"the last step counts {count(wrong.step.pairs)}, the whole {count(wrong.whole.pairs)}.",
                    f"最后一步算 {count(wrong.step.pairs)} 对，整段 {count(wrong.whole.pairs)} 对。",
                )
                + _growth(scenario)
            )
        case Price(), Price() if step != wrong:
            return lead + Text(
                f"nothing is added, so only {size(wrong.resident_last)} stay. It looks cheaper because it forgets.",
                f"什么也没加进去，所以只驻留 {size(wrong.resident_last)}。看上去更省，是因为它在遗忘。",
            )
        case _:
            return lead + Text("no difference in this step.", "这一步没有差别。")


def _passes(scenario: Scenario, step: Passes, wrong: Passes) -> Text:
    a, b = step.plain.after.pairs, step.cached.after.pairs
    c, d = wrong.plain.after.pairs, wrong.cached.after.pairs
    parted = step.tokens is not None and step.tokens != wrong.tokens
    if (a, b) == (c, d) and not parted:
        return Text("no difference so far.", "到目前为止没有差别。")
    said = _WHAT[scenario.mistake]
    if (a, b) != (c, d):
        said += Text(
            f" So far {count(c)} pair{'s' * (c != 1)} without a cache and {count(d)} with one, instead of {count(a)} "
            f"and {count(b)}.",
            f"到目前为止：没有缓存 {count(c)} 对，有缓存 {count(d)} 对，而应是 {count(a)} 和 {count(b)}。",
        )
    if parted and step.tokens and wrong.tokens:
        said += Text(
            f" It chooses token {wrong.tokens[-1]}, not {step.tokens[-1]}.",
            f"它选出的 token 是 {wrong.tokens[-1]}，而不是 {step.tokens[-1]}。",
        )
    return said


def _same(scenario: Scenario, step: Same, wrong: Same) -> Text:
    if scenario.mistake is not Mistake.NO_APPEND:
        return Text("it counts wrongly, but decodes rightly: the same tokens.", "它只是数错了，解码没错：token 相同。")
    if wrong.errors == step.errors:
        return _invisible(scenario)
    first = next(i for i, (a, b) in enumerate(zip(step.errors, wrong.errors, strict=True)) if a != b)
    said = Text(
        f"its logits part from new token {first + 1} on, in the end by up to {fixed(max(wrong.errors))}.",
        f"从第 {first + 1} 个新 token 起 logits 就不同了，最多相差 {fixed(max(wrong.errors))}。",
    )
    if wrong.tokens == step.tokens:
        return said + Text(
            " The tokens happen to agree: compare logits, too.", "token 恰好相同：所以 logits 也要比较。"
        )
    return said


def _verdict(scenario: Scenario, wrong: Totals) -> Text:
    match scenario.mistake:
        case Mistake.ROWS_AS_PAIRS:
            return Text(
                " The numbers are right, for rows. Their unit is not: in pairs both sides are larger, and the cached "
                "side is not linear.",
                "这两个数对行来说是对的，单位却错了：按配对算两边都更大，而且有缓存的一边并不是线性的。",
            )
        case Mistake.NEWEST_QUERY if wrong.plain.pairs == wrong.cached.pairs:
            return Text(
                " Both come out alike: such a comparison shows no difference at all.",
                "两边算出来一样：这样的比较看不出任何差别。",
            )
        case Mistake.NEWEST_QUERY:
            return Text(" The cache now looks *dearer* than none.", "缓存反而显得比没有缓存**更贵**。")
        case _:
            return Text("", "")


def _growth(scenario: Scenario) -> Text:
    match scenario.mistake:
        case Mistake.OWN_KEY | Mistake.ROWS_AS_PAIRS:
            return Text(" So it concludes “linear”, and is wrong.", "于是得出“线性”的结论，这是错的。")
        case Mistake.NO_APPEND:
            return Text(
                " Every step costs the same, because it reads no more than the prompt.",
                "每一步都一样贵，因为它读的始终只有提示。",
            )
        case _:
            return Text("", "")


def _invisible(scenario: Scenario) -> Text:
    """Why the chosen mistake makes no difference on these inputs."""
    lead = Text("**invisible in this generation**, because ", "**在这段生成里看不出来**，因为")
    match scenario.mistake:
        case Mistake.ROWS_AS_PAIRS | Mistake.FULL_SQUARE | Mistake.NEWEST_QUERY if scenario.n_positions == 1:
            return lead + Text(
                "a single position has one row, one key and one pair.", "只有一个位置时，行、键、配对都只有一个。"
            )
        case Mistake.OWN_KEY:
            return lead + Text(
                "there is no decode pass: the prompt gives the only token.", "没有解码步：唯一的 token 由提示给出。"
            )
        case Mistake.NO_APPEND:
            return lead + Text(
                "what is not appended is first missed in the second decode pass, and there is none. Decode more "
                "tokens.",
                "没有追加的内容要到第二个解码步才会缺，而这里没有那一步。请多解码几个 token。",
            )
        case _:
            return lead + Text("the two counts agree here.", "两种数法在这里一致。")
