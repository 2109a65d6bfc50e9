"""A layer makes the new token's q, k and v, and appends k and v to what was kept."""

from __future__ import annotations

from engine.kv_reuse import Mistake, Project, Scenario
from lessons.kit.ask import Ask
from lessons.kit.lesson import Facts, Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_reuse.naming import names
from lessons.kv_reuse.steps.table import KEPT, counting, in_layer, row, where_apart


def project(s: Scenario, step: Project, wrong: Project | None) -> Narration:
    n_old = str(step.proof.n_old)
    return Narration(
        id=f"path-{step.layer}/project",
        title=Told("q, k, v in layer {layer}", "第 {layer} 层的 q、k、v").on(step),
        headline=Told(
            "Layer {layer} computes one q, one k and one v: {new}’s",
            "第 {layer} 层只算 {new} 自己的一个 q、一个 k、一个 v",
        ).on(names(s), step),
        why=Told(
            "The {n_old:old row} of this layer {n_old|lies|lie} in the cache, ⚓; one row is new. No other layer’s "
            "rows would do: each layer has its own weights and its own inputs.",
            "本层的 {n_old} 个旧行在缓存里（⚓），新的只有一行。别层的行不能代替：每一层有自己的权重和自己的输入。",
        ).on(step.proof),
        facts=Facts(
            (in_layer(step.layer), Text("new", "新算"), KEPT),
            (("q", "1", "0"), ("k", "1", n_old), ("v", "1", n_old)),
            frozenset({1, 2}),
        ),
        ask=_how_many(s) if step.layer == 0 else None,
        wrong=where_apart(s, step, wrong, lambda wrong: _took(s, wrong)),
        row=row(layer=step.layer, computed=1, kept=(wrong or step).n_kept),
    )


def _took(s: Scenario, wrong: Project) -> Text:
    if s.mistake is Mistake.OLD_Q:
        return Told(
            "there is no row to append to. {new}’s k and v stand alone.",
            "前面没有可接的行，只剩 {new} 自己的 k 和 v。",
        ).on(names(s))
    source = s.n_layers - 1 if s.mistake is Mistake.TOP_LAYER else 0
    if source == wrong.layer:
        return Text(
            "the old rows are this layer’s own, but the input already differs.", "旧行确是本层的，但输入已经不同了。"
        )
    return Told(
        "the hatched old rows are layer {source}’s, made by layer {source}’s weights from layer {source}’s input. "
        "Layer {layer} reads them as its own.",
        "画斜线的旧行属于第 {source} 层，由第 {source} 层的权重和第 {source} 层的输入算出。第 {layer} 层却当成自己"
        "的来读。",
    ).on(wrong, source=source)


def _how_many(s: Scenario) -> Ask | None:
    n = s.n_positions
    return counting(
        Told(
            "{new} goes through layer 0. How many rows of q, k and v are computed there, together?",
            "{new} 走过第 0 层。这一层一共要算几行 q、k、v？",
        ),
        3,
        (
            3 * n,
            Told(
                "That computes all {n_positions} tokens again. The old k and v are in the cache, and the old q are "
                "not needed.",
                "这是把 {n_positions} 个 token 全部重算。旧的 k、v 在缓存里，旧的 q 用不着。",
            ),
        ),
        (
            2 * n + 1,
            Told(
                "That computes k and v of all {n_positions} tokens again. The old ones are in the cache.",
                "这是把 {n_positions} 个 token 的 k、v 全部重算。旧的在缓存里。",
            ),
        ),
        (2, Told("{new} asks as well: it needs a q of its own.", "{new} 自己也要提问：它需要自己的 q。")),
        (
            1,
            Told(
                "{new} needs a q to ask with, and a k and a v for itself and for those to come.",
                "{new} 要用 q 去问，还要有 k 和 v，供自己和以后的 token 用。",
            ),
        ),
        on=(names(s), s),
    )
