"""The same model with other numbers of KV heads."""

from __future__ import annotations

from engine.kv_size import HeadCounts, Layout, Scenario
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_bytes.mistakes import MISTAKES
from lessons.kv_bytes.naming import short_size, times
from lessons.kv_bytes.steps.table import VALUE, Line, facts, row, unseen


def head_counts(s: Scenario, step: HeadCounts, wrong: HeadCounts | None) -> Narration:
    m, other = s.model, step.other
    if other is None:
        headline = Told("One head is all there is", "只有一个头，没有别的选择")
    elif m.is_mla:
        headline = Told(
            "Written out for every head it would be {size}, {times} times as much",
            "若为每个头展开，就是 {size}，是现在的 {times} 倍",
        )
    else:
        headline = Told("With {heads:KV head} it would be {size}", "若有 {heads} 个 KV 头，就是 {size}")
    if m.is_mla:
        why = Told(
            "Some programs write K ({head_dim} + {rope_dim} numbers) and V ({head_dim}) out for every head, "
            "{n_heads} in all, and cache those. That is right as well, but it gives up what the latent saves.",
            "有的程序为 {n_heads} 个头分别展开 K（{head_dim} + {rope_dim} 个数）和 V（{head_dim} 个数）再缓存。这样"
            "也对，但放弃了潜在向量省下的一切。",
        )
    else:
        why = Told(
            "Only the number of KV heads enters, so sharing them makes the cache smaller in proportion: MHA keeps "
            "one for each query head, GQA one for a group, MQA one in all. It is a choice made in training; a "
            "finished model needs more training to change it. And this is the cache, not the model’s whole memory.",
            "进入乘积的只有 KV 头数，所以共用几个头，缓存就按比例缩小：MHA 每个查询头一个，GQA 每组一个，MQA 总共一"
            "个。这是训练时的选择，训练好的模型要再训练才能改。另外这只是缓存，不是模型的全部显存。",
        )

    def spoilt(wrong: HeadCounts) -> Text:
        return unseen(s, step, wrong) or Told("its own total is {size}.", "它自己的总量是 {size}。").on(
            size=short_size(wrong.total)
        )

    bytes_of = other or step.own
    return Narration(
        id="head-counts",
        title=Text("Other heads", "换头数"),
        headline=headline.on(other, size=short_size(bytes_of.total), times=times(bytes_of.total, step.own.total)),
        why=why.on(m),
        facts=facts(VALUE, _lines(step.layouts), None if wrong is None else _lines(wrong.layouts)),
        ask=_unshared(s, step) if m.sharing > 1 and not m.is_mla else None,
        wrong=MISTAKES.beside(s, wrong, spoilt),
        row=row((wrong or step).total),
    )


def _lines(layouts: tuple[Layout, ...]) -> list[Line]:
    latent, heads = Told("latent", "潜在向量"), Told("{heads:KV head}", "{heads} 个 KV 头")
    return [((latent if x.heads is None else heads).on(x), short_size(x.total)) for x in layouts]


def _unshared(s: Scenario, step: HeadCounts) -> Ask | None:
    m = s.model
    unshared = next(layout.total for layout in step.layouts if layout.heads == m.n_heads)
    more = times(unshared, step.total)

    def guess(value: float, said: Told) -> Guess:
        return Guess(value, said.on(m, times=more))

    return asking(
        Told(
            "If each of the {n_heads} query heads had a KV head of its own, how many times as large would the "
            "cache be?",
            "若 {n_heads} 个查询头各有自己的 KV 头，缓存会是现在的几倍？",
        ).on(m),
        unshared / step.total,
        (
            guess(
                m.n_heads,
                Told(
                    "That is against a single KV head; the cache has {n_kv_heads} already: {n_heads} ÷ {n_kv_heads}.",
                    "这是与只有一个 KV 头相比；缓存里已经有 {n_kv_heads} 个：{n_heads} ÷ {n_kv_heads}。",
                ),
            ),
            guess(
                m.n_kv_heads or 0,
                Told(
                    "That is how many KV heads there are now; there would be {n_heads}, {times} times as many.",
                    "这是现在的 KV 头数；那时会有 {n_heads} 个，是 {times} 倍。",
                ),
            ),
            guess(
                1,
                Told(
                    "Query heads do not enter the cache, but KV heads do, and there would be more of them.",
                    "查询头不进入缓存，但 KV 头进入，而且会变多。",
                ),
            ),
        ),
        shown=more,
    )
