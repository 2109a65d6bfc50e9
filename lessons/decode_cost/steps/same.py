"""Both choose the same tokens."""

from __future__ import annotations

from engine.decode_cost import Mistake, Same, Scenario
from engine.generation import CONFIG
from lessons.decode_cost.mistakes import MISTAKES
from lessons.decode_cost.steps.table import Line, facts, row
from lessons.kit.format import count, delta
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told


def same_tokens(s: Scenario, step: Same, wrong: Same | None) -> Narration:
    if step.error == 0:
        headline = Told("Both choose the same tokens from the same logits", "两者的 logits 相同，选出的 token 也相同")
    else:
        headline = Told(
            "Both choose the same tokens; their logits differ by at most {error}",
            "两者选出同样的 token；logits 最多相差 {error}",
        )
    return Narration(
        id="same",
        title=Text("Same tokens", "同样的 token"),
        headline=headline.on(step),
        why=Told(
            "Old states depend only on themselves and on earlier tokens, so what was kept is what would be "
            "computed again. Sums of another shape may [round](term:rounding) differently, so compare logits with "
            "a tolerance and tokens exactly. Compared here: {n} passes, {vocab_size} logits each.",
            "旧状态只依赖自己和更早的 token，所以留下来的正是本要重算的东西。形状不同的求和[舍入](term:rounding)可"
            "能不同，因此 logits 用容差比较，token 要完全一致。这里比较了 {n} 步，每步 {vocab_size} 个 logits。",
        ).on(CONFIG, n=len(step.errors)),
        facts=facts(("", Text("with a cache", "有缓存")), _lines, step, wrong, frozenset({2})),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: _parted(s, step, wrong)),
        row=row(error=(wrong or step).error),
    )


def _lines(way: Same) -> tuple[Line, ...]:
    alike = sum(a == b for a, b in zip(way.tokens, way.tokens_plain, strict=True))
    return (
        (Text("passes compared", "比较的步数"), count(len(way.errors))),
        (Text("tokens alike", "相同的 token"), count(alike)),
        (Text("largest |difference|", "最大差"), delta(way.error)),
    )


def _parted(s: Scenario, step: Same, wrong: Same) -> Text:
    if s.mistake is not Mistake.NO_APPEND:
        return Text("it counts wrongly, but decodes rightly: the same tokens.", "它只是数错了，解码没错：token 相同。")
    if wrong.errors == step.errors:
        return MISTAKES.invisible(s)
    first = next(i for i, (a, b) in enumerate(zip(step.errors, wrong.errors, strict=True), 1) if a != b)
    said = Told(
        "its logits part from new token {first} on, in the end by up to {error}.",
        "从第 {first} 个新 token 起 logits 就不同了，最多相差 {error}。",
    ).on(wrong, first=first)
    if wrong.tokens == step.tokens:
        said += Text(" The tokens happen to agree: compare logits, too.", "token 恰好相同：所以 logits 也要比较。")
    return said
