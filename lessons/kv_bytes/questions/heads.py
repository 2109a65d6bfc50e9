"""Find the error: the bytes of one head taken for those of a layer, and a cache without its groups."""

from __future__ import annotations

from engine.kv_size import Scenario
from engine.models import MODELS
from lessons.kit.finding import Correction, Finding, Sound, Wrong
from lessons.kit.format import gib
from lessons.kit.question import Line, Question
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_bytes.questions.drawn import (
    CACHE,
    IN_GIB,
    figures,
    itself,
    of_all_heads,
    of_kv_heads,
    without_hidden,
)
from lessons.kv_bytes.questions.finding import ASKED, drawn, finding_form, unshared_takes, whole_takes


def _single(s: Scenario) -> int:
    """Bytes of the cache with one KV head."""
    return of_kv_heads(s, 1).cache_bytes


# --- audit 1.14 to 1.17: the bytes of one head taken for those of a layer


def _head(s: Scenario) -> int:
    """K and V of one KV head, one token, one layer."""
    return 2 * s.vector_bytes


def _in_a_layer(n_bytes: int) -> Text:
    return Told("One layer keeps {n:B} of one token.", "一层为一个 token 保存 {n:B}。").on(n=n_bytes)


def _in_a_head(n_bytes: int) -> Text:
    return Told("One KV head of one layer keeps {n:B} of one token.", "一层的一个 KV 头为一个 token 保存 {n:B}。").on(
        n=n_bytes
    )


def _in_all(n_bytes: int) -> Text:
    return Told("All layers together keep {n:B} of one token.", "所有层一共为一个 token 保存 {n:B}。").on(n=n_bytes)


_LAYER: Finding[Scenario] = Finding(
    (
        Sound(
            "doubted-head",
            Text("Doubted the bytes of one head", "怀疑了一个头的字节数"),
            lambda s: _in_a_head(_head(s)),
            (
                lambda s: _in_a_head(_head(s) // 2),
                lambda s: _in_a_head(_head(s) * 2),
                lambda s: _in_a_head(s.layer_bytes),
            ),
            Told(
                "This one is right: K and V of {model.head_dim:number}, two bytes each.",
                "这条是对的：K 和 V 各 {model.head_dim} 个数，每个数两字节。",
            ),
        ),
        Wrong(
            lambda s: _in_a_layer(_head(s)),
            lambda s: _in_a_layer(s.layer_bytes),
            (
                Correction(
                    "query-heads",
                    Text("Query heads for KV heads", "把查询头当 KV 头"),
                    lambda s: _in_a_layer(_head(s) * s.model.n_heads),
                    Told(
                        "The claim is indeed wrong. But a layer keeps {model.n_kv_heads:KV head}, not "
                        "{model.n_heads:query head}.",
                        "这条确实错了。但一层保存的是 {model.n_kv_heads} 个 KV 头，不是 {model.n_heads} 个查询头。",
                    ),
                ),
                Correction(
                    "forgot-v",
                    Text("Forgot V", "忘了 V"),
                    lambda s: _in_a_layer(s.layer_bytes // 2),
                    lambda s: Told(
                        "The claim is indeed wrong. But {half:B} is K of all KV heads alone; V is as large.",
                        "这条确实错了。但 {half:B} 只是所有 KV 头的 K；V 与它一样大。",
                    ).on(half=s.layer_bytes // 2),
                ),
            ),
        ),
        Sound(
            "doubted-token",
            Text("Doubted the bytes of one token", "怀疑了一个 token 的字节数"),
            lambda s: _in_all(s.token_bytes),
            (
                lambda s: _in_all(_head(s) * s.model.n_layers),
                lambda s: _in_all(s.layer_bytes),
                lambda s: _in_all(s.token_bytes // 2),
            ),
            Told(
                "This one is right: {model.n_layers:layer} times {layer_bytes:B}.",
                "这条是对的：{model.n_layers} 层乘 {layer_bytes:B}。",
            ),
        ),
        Sound(
            "doubted-total",
            Text("Doubted the bytes of the sequence", "怀疑了整条序列的字节数"),
            lambda s: whole_takes(s.cache_bytes),
            (
                lambda s: whole_takes(s.cache_bytes // (s.model.n_kv_heads or 1)),
                lambda s: whole_takes(s.cache_bytes // 2),
                lambda s: whole_takes(of_all_heads(s)),
            ),
            Told(
                "This one is right: {seq_len:token} times {token_bytes:B}.",
                "这条是对的：{seq_len} 个 token 乘 {token_bytes:B}。",
            ),
        ),
    ),
    figures,
)

LAYER: Question[Scenario] = Question(
    slug="find-layer",
    title=Text("Find the error: heads, layers, tokens", "找错：头、层、token"),
    prompt=ASKED,
    form=finding_form(_LAYER),
    inputs=without_hidden(Scenario(MODELS["Llama-3-8B"])),
    invent=drawn(_LAYER),
    formula=_LAYER.answer,
    slips=_LAYER.slips,
    working=lambda s: Told(
        "{head:B} is K and V of one KV head. A layer has {model.n_kv_heads} of them: {layer_bytes:B}. All layers "
        "and the whole sequence were counted with that.",
        "{head:B} 是一个 KV 头的 K 和 V。一层有 {model.n_kv_heads} 个：{layer_bytes:B}。所有层和整条序列正是按这个"
        "数算的。",
    ).on(s, head=_head(s)),
    way=itself,
    reply=_LAYER.reply,
    rows=(*CACHE, IN_GIB),
)


# --- audit 1.21: the same model without groups


def _shared(n: int) -> Text:
    if n == 1:
        return Told("Each KV head serves {n:query head}.", "每个 KV 头供 {n} 个查询头使用。").on(n=n)
    return Told("{n} query heads share one KV head.", "每 {n} 个查询头共用一个 KV 头。").on(n=n)


def _with_one(n_bytes: int) -> Text:
    return Told("With a single KV head it would be {n:size}.", "若只有一个 KV 头，就是 {n:size}。").on(n=n_bytes)


_GROUPS: Finding[Scenario] = Finding(
    (
        Sound(
            "doubted-group",
            Text("Doubted the groups", "怀疑了分组"),
            lambda s: _shared(s.model.sharing),
            (
                lambda s: _shared(s.model.n_kv_heads or 1),
                lambda s: _shared(s.model.n_heads),
                lambda s: _shared(2 * s.model.sharing),
            ),
            Told(
                "This one is right: {model.n_heads} ÷ {model.n_kv_heads} = {model.sharing}.",
                "这条是对的：{model.n_heads} ÷ {model.n_kv_heads} = {model.sharing}。",
            ),
        ),
        Sound(
            "doubted-total",
            Text("Doubted the bytes of the cache", "怀疑了缓存的字节数"),
            lambda s: whole_takes(s.cache_bytes),
            (
                lambda s: whole_takes(s.cache_bytes // 2),
                lambda s: whole_takes(of_all_heads(s)),
                lambda s: whole_takes(s.cache_bytes * 8),
            ),
            Told(
                "This one is right: {cache_bytes:B}, with {model.n_kv_heads:KV head}.",
                "这条是对的：{model.n_kv_heads} 个 KV 头，共 {cache_bytes:B}。",
            ),
        ),
        Sound(
            "doubted-mqa",
            Text("Doubted the cache with one KV head", "怀疑了只有一个 KV 头时的缓存"),
            lambda s: _with_one(_single(s)),
            (
                lambda s: _with_one(_single(s) * 2),
                lambda s: _with_one(s.cache_bytes // s.model.n_heads),
                lambda s: _with_one(s.cache_bytes),
            ),
            Told(
                "This one is right: it takes 1/{model.n_kv_heads} of what it takes now.",
                "这条是对的：是现在的 1/{model.n_kv_heads}。",
            ),
        ),
        Wrong(
            lambda s: unshared_takes(s.cache_bytes * (s.model.n_kv_heads or 1)),
            lambda s: unshared_takes(of_all_heads(s)),
            (
                Correction(
                    "times-heads",
                    Text("Multiplied by all query heads", "乘了全部查询头"),
                    lambda s: unshared_takes(s.cache_bytes * s.model.n_heads),
                    Told(
                        "The cache already has {model.n_kv_heads:KV head}; {model.n_heads} are {model.sharing} "
                        "times as many, not {model.n_heads} times.",
                        "缓存里已经有 {model.n_kv_heads} 个 KV 头；{model.n_heads} 个是它的 {model.sharing} 倍，不"
                        "是 {model.n_heads} 倍。",
                    ),
                ),
                Correction(
                    "no-change",
                    Text("Left the cache as it is", "缓存没有变"),
                    lambda s: unshared_takes(s.cache_bytes),
                    Told(
                        "The cache grows with the KV heads, and there would be {model.n_heads} of them instead of "
                        "{model.n_kv_heads}.",
                        "缓存随 KV 头数增长，而 KV 头会有 {model.n_heads} 个，不再是 {model.n_kv_heads} 个。",
                    ),
                ),
            ),
        ),
    ),
    figures,
)

GROUPS: Question[Scenario] = Question(
    slug="find-groups",
    title=Text("Find the error: without the groups", "找错：如果不分组"),
    prompt=ASKED,
    form=finding_form(_GROUPS),
    inputs=without_hidden(Scenario(MODELS["Qwen2.5-7B"])),
    invent=drawn(_GROUPS),
    formula=_GROUPS.answer,
    slips=_GROUPS.slips,
    working=lambda s: Told(
        "{model.n_heads} KV heads instead of {model.n_kv_heads} are {model.sharing} times as many: {model.sharing} "
        "× {cache_bytes:GiB} = {all:GiB}.",
        "KV 头有 {model.n_heads} 个而不是 {model.n_kv_heads} 个，是 {model.sharing} 倍：{model.sharing} × "
        "{cache_bytes:GiB} = {all:GiB}。",
    ).on(s, all=of_all_heads(s)),
    way=itself,
    reply=_GROUPS.reply,
    rows=(
        *CACHE,
        IN_GIB,
        Line(
            Text("Query heads that share a KV head", "共用一个 KV 头的查询头"),
            "{model.n_heads} ÷ {model.n_kv_heads}",
            "{model.sharing}",
        ),
        Line(
            Text("With a KV head for each", "每个查询头各一个"),
            "{model.sharing} × {cache_bytes:GiB}",
            lambda s: gib(of_all_heads(s)),
        ),
    ),
)
