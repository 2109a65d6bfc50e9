"""The rungs that count the numbers of a row: KV heads and their size, or one latent."""

from __future__ import annotations

from engine.kv_size import Multiply, Scenario
from engine.models import Model
from lessons.kit.format import whole
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_bytes.naming import times
from lessons.kv_bytes.steps.rung import put_in


def heads(s: Scenario, step: Multiply, wrong: Multiply | None) -> Narration:
    m = s.model
    if m.is_mla:
        return _latent(s, step, wrong)
    if m.sharing == 1:
        headline = Told("{n_kv_heads:KV head}, one for each query head", "{n_kv_heads} 个 KV 头，每个查询头各一个")
        shared = Told("Here no [KV head](term:kv-head) is shared.", "这里没有共用的 [KV 头](term:kv-head)。")
    else:
        headline = Told(
            "{n_kv_heads:KV head}, not the {n_heads} query heads", "{n_kv_heads} 个 KV 头，不是 {n_heads} 个查询头"
        )
        shared = Told(
            "Groups of {sharing} query heads read the same [KV head](term:kv-head).",
            "每 {sharing} 个查询头共读一个 [KV 头](term:kv-head)。",
        )
    once = Text(
        " A query is used once and dropped, so query heads do not enter the cache. This counts K; V comes last.",
        "查询用一次就丢掉，所以查询头数不进入缓存。先数 K，最后再加 V。",
    )
    return put_in(s, step, wrong, title=Text("KV heads", "KV 头"), headline=headline.on(m), why=(shared + once).on(m))


def _latent(s: Scenario, step: Multiply, wrong: Multiply | None) -> Narration:
    if s.model.n_heads == 1:
        headline = Told("One vector serves {n_heads:head}", "一个向量供 {n_heads} 个头使用")
    else:
        headline = Told("One vector serves all {n_heads} heads", "一个向量供全部 {n_heads} 个头使用")
    return put_in(
        s,
        step,
        wrong,
        title=Text("Latent", "潜在向量"),
        headline=headline.on(s.model),
        why=Told(
            "[Multi-head latent attention](term:mla) keeps one short vector for a token; K and V of every head "
            "follow from it. Neither the number of heads, {n_heads}, nor their size enters the cache.",
            "[多头潜在注意力（MLA）](term:mla)只为每个 token 保存一个短向量，各头的 K 和 V 都可由它得出。头数 "
            "{n_heads} 和头维度都不进入缓存。",
        ).on(s.model),
    )


def width(s: Scenario, step: Multiply, wrong: Multiply | None) -> Narration:
    m, n = s.model, whole(step.rung.product)
    if m.is_mla:
        return put_in(
            s,
            step,
            wrong,
            title=Text("Numbers", "数的个数"),
            headline=Told("{mla_rank} + {rope_dim} numbers: {n} in all", "{mla_rank} + {rope_dim} 个数：共 {n} 个").on(
                m, n=n
            ),
            why=Told(
                "The latent has {mla_rank:number}. Beside it stands one key part of {rope_dim:number} that has "
                "been rotated by position and cannot be folded into the latent; it is shared by all heads, too.",
                "潜在向量有 {mla_rank} 个数。旁边还有 {rope_dim} 个数的键：它按位置旋转过，不能并入潜在向量，也由所"
                "有头共用。",
            ).on(m),
        )
    return put_in(
        s,
        step,
        wrong,
        title=Text("Head size", "头维度"),
        headline=Told("{head_dim:number} a head: K holds {n}", "每头 {head_dim} 个数：K 共有 {n} 个数").on(m, n=n),
        why=_of_its_own(m),
    )


def _of_its_own(m: Model) -> Text:
    """Whether hidden size over query heads would give the head size."""
    own = Text(
        "[Head size](term:head-dim) is a number of its own in the model’s configuration.",
        "[头维度](term:head-dim)是模型配置里独立的一个数。",
    )
    if m.hidden is None:
        return own
    if m.guessed_head_dim == m.head_dim:
        return own + Told(
            " Here hidden size ÷ query heads happens to give it ({hidden} ÷ {n_heads} = {head_dim}); in many newer "
            "models it does not.",
            "这里用隐藏维度 ÷ 查询头数恰好得到它（{hidden} ÷ {n_heads} = {head_dim}）；许多新模型并非如此。",
        ).on(m)
    return own + Told(
        " Hidden size ÷ query heads would be {hidden} ÷ {n_heads}, rounded down {guessed_head_dim}: {times} times "
        "the right size.",
        "用隐藏维度 ÷ 查询头数会得到 {hidden} ÷ {n_heads}，取整为 {guessed_head_dim}：是正确值的 {times} 倍。",
    ).on(m, times=times(m.guessed_head_dim, m.head_dim))
