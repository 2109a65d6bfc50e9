"""Find the error: claims as they stand in texts about the cache, one of them wrong the way those texts are."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from engine.kv_formats import BF16
from engine.kv_ladder import Mistake
from engine.kv_size import GB, GIB, Scenario, cache_bytes, one_more
from engine.models import MODELS
from lessons.kit.controls import BadInput
from lessons.kit.finding import Correction, Finding, Sound, Wrong
from lessons.kit.form import Form
from lessons.kit.format import count, many, size
from lessons.kit.question import Question, Row
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_bytes.form import TOKENS, plain_form
from lessons.kv_bytes.quantities import bytes_, gb, gib
from lessons.kv_bytes.questions.drawn import (
    GROUPED,
    cache_rows,
    figures,
    given,
    in_gib,
    invented,
    of_query_heads,
    sequences,
    token_rows,
    with_,
)

WHICH = Text(
    "One of these claims is wrong. Which one, and what should it say?", "下面有一条说法是错的。是哪一条，应当怎么说？"
)


def _drawn(finding: Finding[Scenario]) -> Callable[[random.Random], Scenario]:
    """Inventions on which every sentence says something else."""

    def invent(rng: random.Random) -> Scenario:
        while True:
            base = invented(rng)
            s = replace(base, format=BF16, batch=1, model=replace(base.model, hidden=None))
            if finding.told_apart(s):
                return s

    return invent


def _form(finding: Finding[Scenario]) -> Form[Scenario]:
    inner = plain_form(*GROUPED, TOKENS)

    def build(values: Mapping[str, Any]) -> Scenario:
        s = inner.made(values, None)  # type: ignore[arg-type]
        if not finding.told_apart(s):
            raise BadInput(
                Text(
                    "With these numbers two of the sentences say the same thing; change the heads.",
                    "用这些数，有两句话说的是一回事；请改动头数。",
                )
            )
        return s

    return Form(inner.controls, build, inner.values)


def _asked(s: Scenario) -> Text:
    """The model's numbers, the length, and what is asked."""
    return given(s) + Text(f"{sequences(s).en}. ", f"{sequences(s).zh}。") + WHICH


def _group(s: Scenario) -> int:
    return s.model.n_heads // (s.model.n_kv_heads or 1)


def _with_heads(s: Scenario, n: int) -> int:
    """Bytes with so many KV heads."""
    return cache_bytes(replace(s, model=replace(s.model, n_heads=n, n_kv_heads=n)))


# --- audit 1.14 to 1.17: the bytes of one head taken for those of a layer


def _head(s: Scenario) -> int:
    """K and V of one KV head, one token, one layer."""
    return s.format.token_layer_bytes(replace(s.model, n_kv_heads=1))


def _layer(s: Scenario) -> int:
    return s.format.token_layer_bytes(s.model)


def _in_a_layer(n_bytes: int) -> Text:
    return Text(f"One layer keeps {bytes_(n_bytes)} of one token.", f"一层为一个 token 保存 {bytes_(n_bytes)}。")


def _in_a_head(n_bytes: int) -> Text:
    return Text(
        f"One KV head of one layer keeps {bytes_(n_bytes)} of one token.",
        f"一层的一个 KV 头为一个 token 保存 {bytes_(n_bytes)}。",
    )


def _in_all(n_bytes: int) -> Text:
    return Text(
        f"All layers together keep {bytes_(n_bytes)} of one token.", f"所有层一共为一个 token 保存 {bytes_(n_bytes)}。"
    )


def _whole(n_bytes: int) -> Text:
    return Text(f"The whole sequence takes {gib(n_bytes)}.", f"整条序列占 {gib(n_bytes)}。")


_LAYER: Finding[Scenario] = Finding(
    (
        Sound(
            "doubted-head",
            Text("Doubted the bytes of one head", "怀疑了一个头的字节数"),
            lambda s: _in_a_head(_head(s)),
            (lambda s: _in_a_head(_head(s) // 2), lambda s: _in_a_head(_head(s) * 2), lambda s: _in_a_head(_layer(s))),
            Told(
                "This one is right: K and V of {model.head_dim:number}, two bytes each.",
                "这条是对的：K 和 V 各 {model.head_dim} 个数，每个数两字节。",
            ),
        ),
        Wrong(
            lambda s: _in_a_layer(_head(s)),
            lambda s: _in_a_layer(_layer(s)),
            (
                Correction(
                    "query-heads",
                    Text("Query heads for KV heads", "把查询头当 KV 头"),
                    lambda s: _in_a_layer(_head(s) * s.model.n_heads),
                    lambda s: Text(
                        f"The claim is indeed wrong. But a layer keeps {many(s.model.n_kv_heads or 0, 'KV head')}, "
                        f"not {many(s.model.n_heads, 'query head')}.",
                        f"这条确实错了。但一层保存的是 {s.model.n_kv_heads} 个 KV 头，不是 {s.model.n_heads} 个查询"
                        "头。",
                    ),
                ),
                Correction(
                    "forgot-v",
                    Text("Forgot V", "忘了 V"),
                    lambda s: _in_a_layer(_layer(s) // 2),
                    lambda s: Text(
                        f"The claim is indeed wrong. But {bytes_(_layer(s) // 2)} is K of all KV heads alone; V is "
                        "as large.",
                        f"这条确实错了。但 {bytes_(_layer(s) // 2)} 只是所有 KV 头的 K；V 与它一样大。",
                    ),
                ),
            ),
        ),
        Sound(
            "doubted-token",
            Text("Doubted the bytes of one token", "怀疑了一个 token 的字节数"),
            lambda s: _in_all(one_more(s)[0]),
            (
                lambda s: _in_all(_head(s) * s.model.n_layers),
                lambda s: _in_all(_layer(s)),
                lambda s: _in_all(one_more(s)[0] // 2),
            ),
            lambda s: Text(
                f"This one is right: {many(s.model.n_layers, 'layer')} times {bytes_(_layer(s))}.",
                f"这条是对的：{s.model.n_layers} 层乘 {bytes_(_layer(s))}。",
            ),
        ),
        Sound(
            "doubted-total",
            Text("Doubted the bytes of the sequence", "怀疑了整条序列的字节数"),
            lambda s: _whole(cache_bytes(s)),
            (
                lambda s: _whole(cache_bytes(s) // (s.model.n_kv_heads or 1)),
                lambda s: _whole(cache_bytes(s) // 2),
                lambda s: _whole(cache_bytes(with_(s, Mistake.QUERY_HEADS))),
            ),
            lambda s: Text(
                f"This one is right: {many(s.seq_len, 'token')} times {bytes_(one_more(s)[0])}.",
                f"这条是对的：{count(s.seq_len)} 个 token 乘 {bytes_(one_more(s)[0])}。",
            ),
        ),
    ),
    figures,
)

LAYER: Question[Scenario] = Question(
    slug="find-layer",
    title=Text("Find the error: heads, layers, tokens", "找错：头、层、token"),
    prompt=_asked,
    form=_form(_LAYER),
    inputs=Scenario(replace(MODELS["Llama-3-8B"], hidden=None)),
    invent=_drawn(_LAYER),
    formula=_LAYER.answer,
    slips=_LAYER.slips,
    working=lambda s: Text(
        f"{bytes_(_head(s))} is K and V of one KV head. A layer has {s.model.n_kv_heads} of them: "
        f"{bytes_(_layer(s))}. All layers and the whole sequence were counted with that.",
        f"{bytes_(_head(s))} 是一个 KV 头的 K 和 V。一层有 {s.model.n_kv_heads} 个：{bytes_(_layer(s))}。所有层和整条"
        "序列正是按这个数算的。",
    ),
    way=lambda s: s,
    reply=_LAYER.reply,
    rows=lambda s: (*cache_rows(s), in_gib(cache_bytes(s))),
)


# --- audit 1.20: a cache of 40 GiB on a device of 40 GB


def _free(s: Scenario) -> int:
    """Bytes of as many GB as the cache has GiB, to six figures."""
    return round(float(f"{cache_bytes(s) / GIB:.6g}") * GB)


def _short_by(s: Scenario) -> int:
    return cache_bytes(s) - _free(s)


def _holds(s: Scenario) -> Text:
    return Text(
        f"A device with {gb(_free(s))} free just holds the cache.", f"空闲 {gb(_free(s))} 的设备刚好放得下这个缓存。"
    )


def _lacks(s: Scenario, n_bytes: int) -> Text:
    return Text(
        f"A device with {gb(_free(s))} free lacks {gb(n_bytes)}.", f"空闲 {gb(_free(s))} 的设备还差 {gb(n_bytes)}。"
    )


def _spares(s: Scenario, n_bytes: int) -> Text:
    return Text(
        f"A device with {gb(_free(s))} free holds it with {gb(n_bytes)} to spare.",
        f"空闲 {gb(_free(s))} 的设备放得下，还剩 {gb(n_bytes)}。",
    )


def _each(n_bytes: int) -> Text:
    return Text(f"One token takes {size(n_bytes)}.", f"一个 token 占 {size(n_bytes)}。")


def _mha(n_bytes: int) -> Text:
    return Text(
        f"With a KV head for every query head it would be {gib(n_bytes)}.",
        f"若每个查询头各有一个 KV 头，就是 {gib(n_bytes)}。",
    )


_FIT: Finding[Scenario] = Finding(
    (
        Sound(
            "doubted-token",
            Text("Doubted the bytes of one token", "怀疑了一个 token 的字节数"),
            lambda s: _each(one_more(s)[0]),
            (
                lambda s: _each(one_more(s)[0] // 2),
                lambda s: _each(one_more(s)[0] * _group(s)),
                lambda s: _each(_layer(s)),
            ),
            Told(
                "This one is right: 2 × {model.n_layers} × {model.n_kv_heads} × {model.head_dim} × 2 bytes.",
                "这条是对的：2 × {model.n_layers} × {model.n_kv_heads} × {model.head_dim} × 2 字节。",
            ),
        ),
        Sound(
            "doubted-total",
            Text("Doubted the bytes of the sequence", "怀疑了整条序列的字节数"),
            lambda s: _whole(cache_bytes(s)),
            (
                lambda s: _whole(cache_bytes(s) // 2),
                lambda s: _whole(cache_bytes(s) * GIB // GB),
                lambda s: _whole(cache_bytes(s) * GB // GIB),
            ),
            lambda s: Text(
                f"This one is right: {bytes_(cache_bytes(s))} ÷ 2³⁰.", f"这条是对的：{bytes_(cache_bytes(s))} ÷ 2³⁰。"
            ),
        ),
        Sound(
            "doubted-mha",
            Text("Doubted the effect of grouping", "怀疑了分组的作用"),
            lambda s: _mha(_with_heads(s, s.model.n_heads)),
            (
                lambda s: _mha(_with_heads(s, s.model.n_heads) * 2),
                lambda s: _mha(cache_bytes(s) * 2),
                lambda s: _mha(cache_bytes(s)),
            ),
            lambda s: Text(
                f"This one is right: {_group(s)} query heads share a KV head, so it would be {_group(s)} times "
                f"{gib(cache_bytes(s))}.",
                f"这条是对的：每 {_group(s)} 个查询头共用一个 KV 头，所以是 {gib(cache_bytes(s))} 的 {_group(s)} 倍。",
            ),
        ),
        Wrong(
            _holds,
            lambda s: _lacks(s, _short_by(s)),
            (
                Correction(
                    "other-way",
                    Text("Converted the other way round", "换算方向反了"),
                    lambda s: _spares(s, _free(s) - cache_bytes(s) * GB // GIB * GB // GIB),
                    lambda s: Text(
                        f"A GiB is more than a GB: {gib(cache_bytes(s))} are {gb(cache_bytes(s))}.",
                        f"GiB 比 GB 大：{gib(cache_bytes(s))} 就是 {gb(cache_bytes(s))}。",
                    ),
                ),
                Correction(
                    "forgot-v",
                    Text("Counted K alone", "只算了 K"),
                    lambda s: _spares(s, _free(s) - cache_bytes(s) // 2),
                    lambda s: Text(
                        f"That is room beside K alone. K and V take {gb(cache_bytes(s))}.",
                        f"这是只放 K 时的余量。K 和 V 共占 {gb(cache_bytes(s))}。",
                    ),
                ),
            ),
        ),
    ),
    figures,
)


FIT: Question[Scenario] = Question(
    slug="find-fit",
    title=Text("Find the error: does it fit?", "找错：放得下吗？"),
    prompt=_asked,
    form=_form(_FIT),
    inputs=Scenario(replace(MODELS["Llama-3-70B"], hidden=None), 131_072),
    invent=_drawn(_FIT),
    formula=_FIT.answer,
    slips=_FIT.slips,
    working=lambda s: Text(
        f"{gib(cache_bytes(s))} are {gb(cache_bytes(s))}, and {gb(cache_bytes(s))} − {gb(_free(s))} = "
        f"{gb(_short_by(s))}.",
        f"{gib(cache_bytes(s))} 就是 {gb(cache_bytes(s))}，而 {gb(cache_bytes(s))} − {gb(_free(s))} = "
        f"{gb(_short_by(s))}。",
    ),
    way=lambda s: s,
    reply=_FIT.reply,
    rows=lambda s: (
        *token_rows(s),
        Row(Text("The sequence", "整条序列"), f"{count(s.seq_len)} × {bytes_(one_more(s)[0])}", bytes_(cache_bytes(s))),
        in_gib(cache_bytes(s)),
        Row(
            Text("In GB, as the device is sold", "换成设备所用的 GB"),
            f"{bytes_(cache_bytes(s))} ÷ 10⁹",
            gb(cache_bytes(s)),
        ),
        Row(Text("More than is free", "超出空闲的部分"), f"{gb(cache_bytes(s))} − {gb(_free(s))}", gb(_short_by(s))),
    ),
)


# --- audit 1.21: the same model without groups


_GROUPS: Finding[Scenario] = Finding(
    (
        Sound(
            "doubted-group",
            Text("Doubted the groups", "怀疑了分组"),
            lambda s: _shared(_group(s)),
            (
                lambda s: _shared(s.model.n_kv_heads or 1),
                lambda s: _shared(s.model.n_heads),
                lambda s: _shared(2 * _group(s)),
            ),
            lambda s: Text(
                f"This one is right: {s.model.n_heads} ÷ {s.model.n_kv_heads} = {_group(s)}.",
                f"这条是对的：{s.model.n_heads} ÷ {s.model.n_kv_heads} = {_group(s)}。",
            ),
        ),
        Sound(
            "doubted-total",
            Text("Doubted the bytes of the cache", "怀疑了缓存的字节数"),
            lambda s: _whole(cache_bytes(s)),
            (
                lambda s: _whole(cache_bytes(s) // 2),
                lambda s: _whole(cache_bytes(with_(s, Mistake.QUERY_HEADS))),
                lambda s: _whole(cache_bytes(s) * 8),
            ),
            lambda s: Text(
                f"This one is right: {bytes_(cache_bytes(s))}, with {many(s.model.n_kv_heads or 0, 'KV head')}.",
                f"这条是对的：{s.model.n_kv_heads} 个 KV 头，共 {bytes_(cache_bytes(s))}。",
            ),
        ),
        Sound(
            "doubted-mqa",
            Text("Doubted the cache with one KV head", "怀疑了只有一个 KV 头时的缓存"),
            lambda s: _single(_with_heads(s, 1)),
            (
                lambda s: _single(_with_heads(s, 2)),
                lambda s: _single(cache_bytes(s) // s.model.n_heads),
                lambda s: _single(cache_bytes(s)),
            ),
            Told(
                "This one is right: it takes 1/{model.n_kv_heads} of what it takes now.",
                "这条是对的：是现在的 1/{model.n_kv_heads}。",
            ),
        ),
        Wrong(
            lambda s: _mha(cache_bytes(s) * (s.model.n_kv_heads or 1)),
            lambda s: _mha(_with_heads(s, s.model.n_heads)),
            (
                Correction(
                    "times-heads",
                    Text("Multiplied by all query heads", "乘了全部查询头"),
                    lambda s: _mha(cache_bytes(s) * s.model.n_heads),
                    lambda s: Text(
                        f"The cache already has {many(s.model.n_kv_heads or 0, 'KV head')}; {s.model.n_heads} are "
                        f"{_group(s)} times as many, not {s.model.n_heads} times.",
                        f"缓存里已经有 {s.model.n_kv_heads} 个 KV 头；{s.model.n_heads} 个是它的 {_group(s)} 倍，不是"
                        f" {s.model.n_heads} 倍。",
                    ),
                ),
                Correction(
                    "no-change",
                    Text("Left the cache as it is", "缓存没有变"),
                    lambda s: _mha(cache_bytes(s)),
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


def _shared(n: int) -> Text:
    if n == 1:
        return Text(f"Each KV head serves {many(n, 'query head')}.", f"每个 KV 头供 {n} 个查询头使用。")
    return Text(f"{n} query heads share one KV head.", f"每 {n} 个查询头共用一个 KV 头。")


def _single(n_bytes: int) -> Text:
    return Text(f"With a single KV head it would be {size(n_bytes)}.", f"若只有一个 KV 头，就是 {size(n_bytes)}。")


GROUPS: Question[Scenario] = Question(
    slug="find-groups",
    title=Text("Find the error: without the groups", "找错：如果不分组"),
    prompt=_asked,
    form=_form(_GROUPS),
    inputs=Scenario(replace(MODELS["Qwen2.5-7B"], hidden=None)),
    invent=_drawn(_GROUPS),
    formula=_GROUPS.answer,
    slips=_GROUPS.slips,
    working=lambda s: Text(
        f"{s.model.n_heads} KV heads instead of {s.model.n_kv_heads} are {_group(s)} times as many: {_group(s)} × "
        f"{gib(cache_bytes(s))} = {gib(cache_bytes(of_query_heads(s)))}.",
        f"KV 头有 {s.model.n_heads} 个而不是 {s.model.n_kv_heads} 个，是 {_group(s)} 倍：{_group(s)} × "
        f"{gib(cache_bytes(s))} = {gib(cache_bytes(of_query_heads(s)))}。",
    ),
    way=lambda s: s,
    reply=_GROUPS.reply,
    rows=lambda s: (
        *cache_rows(s),
        in_gib(cache_bytes(s)),
        Row(
            Text("Query heads that share a KV head", "共用一个 KV 头的查询头"),
            f"{s.model.n_heads} ÷ {s.model.n_kv_heads}",
            str(_group(s)),
        ),
        Row(
            Text("With a KV head for each", "每个查询头各一个"),
            f"{_group(s)} × {gib(cache_bytes(s))}",
            gib(cache_bytes(of_query_heads(s))),
        ),
    ),
)
