"""What attention has gathered goes through the rest of the layer."""

from __future__ import annotations

from engine.kv_reuse import Finish, Scenario
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_reuse.naming import names
from lessons.kv_reuse.steps.table import row, where_apart


def finish(s: Scenario, step: Finish, wrong: Finish | None) -> Narration:
    if step.layer == s.n_layers - 1:
        title = Told("Out of the top layer", "走出顶层")
        headline = Told(
            "Output projection and feed-forward make {new}’s output, from which the logits come",
            "经过 Wo 和前馈，得到 {new} 用来算 logits 的输出",
        )
    else:
        title = Told("On to layer {above}", "送往第 {above} 层")
        headline = Told(
            "Output projection and feed-forward make {new}’s input to layer {above}",
            "经过 Wo 和前馈，得到 {new} 送往第 {above} 层的输入",
        )
    return Narration(
        id=f"path-{step.layer}/finish",
        title=title.on(above=step.layer + 1),
        headline=headline.on(names(s), above=step.layer + 1),
        why=Told(
            "The o of all {n_heads} heads, side by side and multiplied by [Wo](term:projection), is added to x; then "
            "the feed-forward part is. It is one position’s work, whatever the length of the text.",
            "{n_heads} 个头的 o 并排乘以 [Wo](term:projection) 加到 x 上，再加前馈部分。无论文本多长，都只是一个位"
            "置的工作量。",
        ).on(s.config),
        wrong=where_apart(s, step, wrong, lambda _: Text("the difference goes up with x.", "差别随 x 传到上面。")),
        row=row(layer=step.layer),
    )
