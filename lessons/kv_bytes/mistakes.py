"""The wrong ways that this lesson runs: what each does at the rung where it parts, and why it may not show."""

from __future__ import annotations

from engine.kv_ladder import Mistake
from engine.kv_size import GB, GIB, Scenario
from lessons.kit.format import count
from lessons.kit.mistake import Mistakes, Wrong
from lessons.kit.text import Text
from lessons.kit.told import Told, Words, say

_BITS = 8  # a byte

_ALIKE = Text("what it gets wrong is the same number here.", "它弄错的地方在这里恰好是同一个数。")
_NO_HEADS = Text(
    "MLA keeps no K and V by heads: one latent serves all heads, and K and V alike.",
    "MLA 不按头保存 K 和 V：一个潜在向量供所有头使用，K 和 V 共用。",
)
_NO_LATENT = Text(
    "this model has no latent: it keeps K and V of its KV heads.", "该模型没有潜在向量：它保存各 KV 头的 K 和 V。"
)


def _by_kind(heads: Words[Scenario], latent: Words[Scenario]) -> Words[Scenario]:
    """Words on a model with KV heads, and on one with a latent."""
    return lambda s: say(latent if s.model.is_mla else heads, s)


def _guess_is_right(s: Scenario) -> Text:
    if s.model.hidden is None:
        return Text("the hidden size of this model is not given here.", "这里没有给出该模型的隐藏维度。")
    return Told(
        "here the guess happens to be right: {model.hidden} ÷ {model.n_heads} = {model.head_dim}. Try Qwen3 or Gemma.",
        "这里碰巧猜对了：{model.hidden} ÷ {model.n_heads} = {model.head_dim}。请试试 Qwen3 或 Gemma。",
    ).on(s)


def _windows_keep_all(s: Scenario) -> Text:
    if not s.model.n_local:
        return Text("no layer of this model has a window.", "该模型没有带窗口的层。")
    if s.seq_len == s.model.window:
        return Told(
            "the windows of {model.window:token} are just full: only the next token makes a difference.",
            "{model.window} 个 token 的窗口刚好装满：再来一个 token 才有差别。",
        ).on(s)
    return Told(
        "the windows of {model.window:token} are not full yet.", "{model.window} 个 token 的窗口还没有装满。"
    ).on(s)


_GUESSED = Told(
    "guesses the head size as hidden size ÷ query heads = {model.hidden} ÷ {model.n_heads}, rounded down to "
    "{model.guessed_head_dim}. The head size is a number of its own, here {model.head_dim}",
    "用隐藏维度 ÷ 查询头数 = {model.hidden} ÷ {model.n_heads} 来猜头维度，取整为 {model.guessed_head_dim}。头维度是"
    "独立的一个数，这里是 {model.head_dim}",
)

MISTAKES: Mistakes[Scenario] = Mistakes(
    Mistake.NONE,
    {
        Mistake.FORGOT_V: Wrong(
            title=Text("forgot V", "忘了 V"),
            said=Text(
                "stops at K. Attention also averages values, so V is kept as well, as large as K.",
                "算到 K 就停了。注意力还要对值求平均，所以 V 也要保存，与 K 一样大。",
            ),
            invisible=_NO_HEADS,
        ),
        Mistake.QUERY_HEADS: Wrong(
            title=Text("query heads for KV heads", "把查询头当 KV 头"),
            said=Told(
                "multiplies by the {model.n_heads:query head}. A query is used once and dropped; only the "
                "{model.n_kv_heads:KV head} {model.n_kv_heads|is|are} kept.",
                "乘了 {model.n_heads} 个查询头。查询用一次就丢掉；保存的只有 {model.n_kv_heads} 个 KV 头。",
            ),
            invisible=_by_kind(
                Told(
                    "this model has as many KV heads as query heads, {model.n_heads}.",
                    "该模型的 KV 头与查询头一样多，都是 {model.n_heads}。",
                ),
                _NO_HEADS,
            ),
        ),
        Mistake.HIDDEN_OVER_HEADS: Wrong(
            title=Text("hidden ÷ heads for head size", "用隐藏维度 ÷ 头数当头维度"),
            said=_by_kind(
                _GUESSED + Text(".", "。"),
                _GUESSED
                + Text(
                    "; and with MLA no head has a K and V of its own in the cache.",
                    "；而且 MLA 的缓存里根本没有各头自己的 K 和 V。",
                ),
            ),
            invisible=_guess_is_right,
        ),
        Mistake.ONE_LAYER: Wrong(
            title=Text("one layer only", "只算一层"),
            said=Told(
                "counts one layer of {model.n_layers}. Each keeps its own K and V, computed from its own input.",
                "只算了一层（共 {model.n_layers} 层）。每层各自保存由自己的输入算出的 K 和 V。",
            ),
            invisible=Text("there is only one layer.", "本来就只有一层。"),
        ),
        Mistake.ONE_HEAD: Wrong(
            title=Text("one head only", "只算一个头"),
            said=Told(
                "leaves the {model.n_kv_heads:KV head} out, as if the bytes of a head were those of a layer.",
                "漏乘了 {model.n_kv_heads} 个 KV 头，把一个头的字节当成了一层的字节。",
            ),
            invisible=_by_kind(Text("there is only one KV head.", "本来就只有一个 KV 头。"), _NO_HEADS),
        ),
        Mistake.BITS_FOR_BYTES: Wrong(
            title=Text("bits for bytes", "把位当字节"),
            said=Text(
                f"multiplies by bits. A byte has {_BITS} bits, so the result is {_BITS} times the right one.",
                f"乘的是位数。一个字节有 {_BITS} 位，所以结果是正确值的 {_BITS} 倍。",
            ),
            invisible=_ALIKE,
        ),
        Mistake.GB_FOR_GIB: Wrong(
            title=Text("GiB read as GB", "把 GiB 读作 GB"),
            said=Text(
                f"reads the figure in GiB as if it were GB. A GiB is {count(GIB)} B, a GB {count(GB)} B: the cache "
                "is larger than the reading.",
                f"把以 GiB 计的数字当作 GB。一个 GiB 是 {count(GIB)} B，一个 GB 是 {count(GB)} B：缓存比读数大。",
            ),
            invisible=_ALIKE,
        ),
        Mistake.THOUSAND_FOR_1024: Wrong(
            title=Text(f"K read as {count(1000)}", f"把 K 当 {count(1000)}"),
            said=Told(
                f"takes every {count(1024)} tokens for {count(1000)}: {{counted_tokens}} instead of {{seq_len}}.",
                f"把每 {count(1024)} 个 token 当作 {count(1000)} 个：{{counted_tokens}} 而不是 {{seq_len}}。",
            ),
            invisible=Text(
                "the windows are full either way, or the sequence is too short.", "两种算法窗口都已装满，或者序列太短。"
            ),
        ),
        Mistake.NO_WINDOW: Wrong(
            title=Text("windows ignored", "忽略窗口"),
            said=Told(
                "lets all layers keep all of {seq_len:token}. {model.n_local:layer} keep{model.n_local|s|} only "
                "the last {model.window}.",
                "让所有层保存全部 {seq_len} 个 token。其中 {model.n_local} 层只保存最近 {model.window} 个。",
            ),
            invisible=_windows_keep_all,
        ),
        Mistake.MLA_AS_GQA: Wrong(
            title=Text("MLA counted like GQA", "把 MLA 当 GQA"),
            said=Told(
                "gives every head, {model.n_heads} in all, K and V of {model.head_dim:number}. MLA keeps one "
                "vector for all heads: a latent of {model.mla_rank} and a rotated part of {model.rope_dim}.",
                "给 {model.n_heads} 个头各配一份 {model.head_dim} 个数的 K 和 V。MLA 只为所有头保存一个向量："
                "{model.mla_rank} 个数的潜在向量，加 {model.rope_dim} 个数的旋转部分。",
            ),
            invisible=_by_kind(_NO_LATENT, _ALIKE),
        ),
        Mistake.MLA_TWICE: Wrong(
            title=Text("MLA: latent twice, no rotated part", "MLA：潜在向量算两份，漏旋转部分"),
            said=Told(
                "keeps the latent of {model.mla_rank} once for K and once for V, and drops the rotated part. K and "
                "V both follow from one latent.",
                "把 {model.mla_rank} 个数的潜在向量为 K、V 各存一份，还漏了旋转部分。其实 K 和 V 都由同一个潜在向量"
                "得出。",
            ),
            invisible=_by_kind(_NO_LATENT, _ALIKE),
        ),
        Mistake.MLA_NO_ROPE: Wrong(
            title=Text("MLA: forgot the rotated part", "MLA：漏了旋转部分"),
            said=Told(
                "keeps the latent of {model.mla_rank} alone. The rotated part of {model.rope_dim:number} carries "
                "the position and is kept as well.",
                "只保存 {model.mla_rank} 个数的潜在向量。带位置信息的 {model.rope_dim} 个数的旋转部分也要保存。",
            ),
            invisible=_by_kind(_NO_LATENT, _ALIKE),
        ),
        Mistake.MLA_ROPE_AS_HEAD_DIM: Wrong(
            title=Text("MLA: rotated part as head size", "MLA：把旋转部分当头维度"),
            said=Told(
                "takes the {model.rope_dim} of the rotated part for a head size and gives it to every head, "
                "{model.n_heads} in all. Some configuration files invite it: their field named head_dim holds that "
                "number.",
                "把旋转部分的 {model.rope_dim} 当作头维度，再分给 {model.n_heads} 个头。有些配置文件会诱人这么做："
                "名为 head_dim 的字段里就是这个数。",
            ),
            invisible=_by_kind(_NO_LATENT, _ALIKE),
        ),
    },
    unseen=Text("**invisible on these inputs**, because ", "**在这组输入上看不出来**，因为"),
)
