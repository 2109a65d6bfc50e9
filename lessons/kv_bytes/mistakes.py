"""The wrong ways: their names, what each does at the rung where it parts, and why it may not show."""

from __future__ import annotations

from collections.abc import Callable

from engine.kv_ladder import Mistake, applies
from engine.kv_size import Scenario, guessed_head_dim
from lessons.kit.format import count, many
from lessons.kit.text import Text

MISTAKES: dict[Mistake, Text] = {
    Mistake.NONE: Text("none", "不比较"),
    Mistake.FORGOT_V: Text("forgot V", "忘了 V"),
    Mistake.QUERY_HEADS: Text("query heads for KV heads", "把查询头当 KV 头"),
    Mistake.HIDDEN_OVER_HEADS: Text("hidden ÷ heads for head size", "用隐藏维度 ÷ 头数当头维度"),
    Mistake.ONE_LAYER: Text("one layer only", "只算一层"),
    Mistake.ONE_HEAD: Text("one head only", "只算一个头"),
    Mistake.BITS_FOR_BYTES: Text("bits for bytes", "把位当字节"),
    Mistake.GB_FOR_GIB: Text("GiB read as GB", "把 GiB 读作 GB"),
    Mistake.THOUSAND_FOR_1024: Text(f"K read as {count(1000)}", f"把 K 当 {count(1000)}"),
    Mistake.NO_WINDOW: Text("windows ignored", "忽略窗口"),
    Mistake.MLA_AS_GQA: Text("MLA counted like GQA", "把 MLA 当 GQA"),
    Mistake.MLA_TWICE: Text("MLA: latent twice, no rotated part", "MLA：潜在向量算两份，漏旋转部分"),
    Mistake.MLA_NO_ROPE: Text("MLA: forgot the rotated part", "MLA：漏了旋转部分"),
    Mistake.MLA_ROPE_AS_HEAD_DIM: Text("MLA: rotated part as head size", "MLA：把旋转部分当头维度"),
}

_BITS = 8  # a byte


def said(scenario: Scenario) -> Text:
    """What the scenario's mistake does, and what is right."""
    m, t = scenario.model, scenario.seq_len
    kv, heads, dim = m.n_kv_heads or 0, m.n_heads, m.head_dim
    say: dict[Mistake, Callable[[], Text]] = {
        Mistake.FORGOT_V: lambda: Text(
            "stops at K. Attention also averages values, so V is kept as well, as large as K.",
            "算到 K 就停了。注意力还要对值求平均，所以 V 也要保存，与 K 一样大。",
        ),
        Mistake.QUERY_HEADS: lambda: Text(
            f"multiplies by the {many(heads, 'query head')}. A query is used once and dropped; only the "
            f"{many(kv, 'KV head')} {'is' if kv == 1 else 'are'} kept.",
            f"乘了 {heads} 个查询头。查询用一次就丢掉；保存的只有 {kv} 个 KV 头。",
        ),
        Mistake.ONE_HEAD: lambda: Text(
            f"leaves the {many(kv, 'KV head')} out, as if the bytes of a head were those of a layer.",
            f"漏乘了 {kv} 个 KV 头，把一个头的字节当成了一层的字节。",
        ),
        Mistake.HIDDEN_OVER_HEADS: lambda: Text(
            f"guesses the head size as hidden size ÷ query heads = {count(m.hidden or 0)} ÷ {heads}, rounded down to "
            f"{guessed_head_dim(m)}. The head size is a number of its own, here {dim}{_mla_too(scenario).en}.",
            f"用隐藏维度 ÷ 查询头数 = {count(m.hidden or 0)} ÷ {heads} 来猜头维度，取整为 {guessed_head_dim(m)}。"
            f"头维度是独立的一个数，这里是 {dim}{_mla_too(scenario).zh}。",
        ),
        Mistake.ONE_LAYER: lambda: Text(
            f"counts one layer of {m.n_layers}. Each keeps its own K and V, computed from its own input.",
            f"只算了一层（共 {m.n_layers} 层）。每层各自保存由自己的输入算出的 K 和 V。",
        ),
        Mistake.BITS_FOR_BYTES: lambda: Text(
            f"multiplies by bits. A byte has {_BITS} bits, so the result is {_BITS} times the right one.",
            f"乘的是位数。一个字节有 {_BITS} 位，所以结果是正确值的 {_BITS} 倍。",
        ),
        Mistake.GB_FOR_GIB: lambda: Text(
            f"reads the figure in GiB as if it were GB. A GiB is {count(2**30)} B, a GB {count(10**9)} B: the cache "
            "is larger than the reading.",
            f"把以 GiB 计的数字当作 GB。一个 GiB 是 {count(2**30)} B，一个 GB 是 {count(10**9)} B：缓存比读数大。",
        ),
        Mistake.THOUSAND_FOR_1024: lambda: Text(
            f"takes every {count(1024)} tokens for {count(1000)}: {count(t * 1000 // 1024)} instead of {count(t)}.",
            f"把每 {count(1024)} 个 token 当作 {count(1000)} 个：{count(t * 1000 // 1024)} 而不是 {count(t)}。",
        ),
        Mistake.NO_WINDOW: lambda: Text(
            f"lets all layers keep all of {many(t, 'token')}. {many(m.n_local, 'layer')} "
            f"keep{'s' * (m.n_local == 1)} only the last {count(m.window or 0)}.",
            f"让所有层保存全部 {count(t)} 个 token。其中 {m.n_local} 层只保存最近 {count(m.window or 0)} 个。",
        ),
        Mistake.MLA_AS_GQA: lambda: Text(
            f"gives every head, {heads} in all, K and V of {many(dim, 'number')}. MLA keeps one vector for all "
            f"heads: a latent of {m.mla_rank} and a "
            f"rotated part of {m.rope_dim}.",
            f"给 {heads} 个头各配一份 {dim} 个数的 K 和 V。MLA 只为所有头保存一个向量：{m.mla_rank} 个数的潜在向量，"
            f"加 {m.rope_dim} 个数的旋转部分。",
        ),
        Mistake.MLA_ROPE_AS_HEAD_DIM: lambda: Text(
            f"takes the {m.rope_dim} of the rotated part for a head size and gives it to every head, {heads} in all. "
            "Some configuration files invite it: their "
            "field named head_dim holds that number.",
            f"把旋转部分的 {m.rope_dim} 当作头维度，再分给 {heads} 个头。有些配置文件会诱人这么做：名为 head_dim 的字"
            "段里就是这个数。",
        ),
        Mistake.MLA_NO_ROPE: lambda: Text(
            f"keeps the latent of {m.mla_rank} alone. The rotated part of {many(m.rope_dim, 'number')} carries the "
            "position and is kept as well.",
            f"只保存 {m.mla_rank} 个数的潜在向量。带位置信息的 {m.rope_dim} 个数的旋转部分也要保存。",
        ),
        Mistake.MLA_TWICE: lambda: Text(
            f"keeps the latent of {m.mla_rank} once for K and once for V, and drops the rotated part. K and V both "
            "follow from one latent.",
            f"把 {m.mla_rank} 个数的潜在向量为 K、V 各存一份，还漏了旋转部分。其实 K 和 V 都由同一个潜在向量得出。",
        ),
    }
    return say[scenario.mistake]()


def _mla_too(scenario: Scenario) -> Text:
    if not scenario.model.is_mla:
        return Text("", "")
    return Text(
        "; and with MLA no head has a K and V of its own in the cache", "；而且 MLA 的缓存里根本没有各头自己的 K 和 V"
    )


def why_invisible(scenario: Scenario) -> Text:
    """Why the chosen mistake makes no difference on these inputs."""
    m, mistake = scenario.model, scenario.mistake
    if not applies(mistake, m):
        if mistake is Mistake.HIDDEN_OVER_HEADS:
            return Text("the hidden size of this model is not given here.", "这里没有给出该模型的隐藏维度。")
        if m.is_mla:
            return Text(
                "MLA keeps no K and V by heads: one latent serves all heads, and K and V alike.",
                "MLA 不按头保存 K 和 V：一个潜在向量供所有头使用，K 和 V 共用。",
            )
        return Text(
            "this model has no latent: it keeps K and V of its KV heads.",
            "该模型没有潜在向量：它保存各 KV 头的 K 和 V。",
        )
    match mistake:
        case Mistake.QUERY_HEADS:
            return Text(
                f"this model has as many KV heads as query heads, {m.n_heads}.",
                f"该模型的 KV 头与查询头一样多，都是 {m.n_heads}。",
            )
        case Mistake.ONE_HEAD:
            return Text("there is only one KV head.", "本来就只有一个 KV 头。")
        case Mistake.HIDDEN_OVER_HEADS:
            return Text(
                f"here the guess happens to be right: {count(m.hidden or 0)} ÷ {m.n_heads} = {m.head_dim}. Try Qwen3 "
                "or Gemma.",
                f"这里碰巧猜对了：{count(m.hidden or 0)} ÷ {m.n_heads} = {m.head_dim}。请试试 Qwen3 或 Gemma。",
            )
        case Mistake.ONE_LAYER:
            return Text("there is only one layer.", "本来就只有一层。")
        case Mistake.NO_WINDOW if not m.n_local:
            return Text("no layer of this model has a window.", "该模型没有带窗口的层。")
        case Mistake.NO_WINDOW if scenario.seq_len == m.window:
            return Text(
                f"the windows of {many(m.window, 'token')} are just full: only the next token makes a difference.",
                f"{count(m.window)} 个 token 的窗口刚好装满：再来一个 token 才有差别。",
            )
        case Mistake.NO_WINDOW:
            return Text(
                f"the windows of {count(m.window or 0)} tokens are not full yet.",
                f"{count(m.window or 0)} 个 token 的窗口还没有装满。",
            )
        case Mistake.THOUSAND_FOR_1024:
            return Text(
                "the windows are full either way, or the sequence is too short.", "两种算法窗口都已装满，或者序列太短。"
            )
    return Text("what it gets wrong is the same number here.", "它弄错的地方在这里恰好是同一个数。")
