"""The rungs that turn numbers into bytes: bytes a number, scales, and V beside K."""

from __future__ import annotations

from engine.kv_size import Multiply, Scenario
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_bytes.naming import model_name, product, short_size
from lessons.kv_bytes.steps.rung import put_in


def itemsize(s: Scenario, step: Multiply, wrong: Multiply | None) -> Narration:
    f, mla = s.format, s.model.is_mla
    why = Told(
        "A number of {bits:short} bits takes {itemsize:byte}: divide bits by 8 before multiplying.",
        "{bits:short} 位的数占 {itemsize:short} 个字节：先把位数除以 8 再乘。",
    )
    if f.rope_itemsize is not None and mla:
        why += Told(
            " The rotated part is kept at {rope_itemsize:byte} a number.",
            "旋转部分仍按每个数 {rope_itemsize:short} 个字节保存。",
        )
    if f.group is None and f.itemsize <= 1:
        why += Text(
            " No scale is counted: one for a whole tensor is too little to matter, one for each small group is not.",
            "这里没计比例因子：整个张量共用一个可以忽略，每小组一个就不能忽略。",
        )
    if mla:
        headline = Told("In bytes: {n}", "换成字节：{n}")
    else:
        headline = Told("In bytes: K alone is {n}", "换成字节：仅 K 就有 {n}")
    return put_in(
        s,
        step,
        wrong,
        title=Text("Bytes", "字节"),
        headline=headline.on(n=short_size(step.rung.product)),
        why=why.on(f),
    )


def scales(s: Scenario, step: Multiply, wrong: Multiply | None) -> Narration:
    [groups, each] = step.rung.parts
    if s.format.group == 1:
        sharing = Told("Every number has a scale", "每个数都有一个比例因子")
    else:
        sharing = Told("Every {group} numbers share a scale", "每 {group} 个数共用一个比例因子")
    return put_in(
        s,
        step,
        wrong,
        title=Text("Scales", "比例因子"),
        headline=Told("Scales add {n}", "比例因子再加 {n}").on(n=short_size(step.added)),
        why=(
            Told(
                "[Quantised](term:quantisation) numbers are stored small and multiplied by a scale when read. ",
                "[量化](term:quantisation)后的数存得小，读出时再乘以比例因子。",
            )
            + sharing
            + Told(
                " of {each:byte}: {groups:scale} in each vector. Scales belong to the cache and are easily forgotten.",
                "，每个比例因子 {each} 字节：每个向量有 {groups} 个。它们也属于缓存，很容易漏掉。",
            )
        ).on(s.format, each=each, groups=groups),
    )


def k_and_v(s: Scenario, step: Multiply, wrong: Multiply | None) -> Narration:
    if s.model.is_mla:
        headline = Told("Nothing more for V: the cache is {n}", "V 不再另占：缓存是 {n}")
        why = Text(
            "K and V both follow from the same latent, so there is no second copy. A factor of 2 here would be wrong.",
            "K 和 V 都由同一个潜在向量得出，没有第二份。在这里乘 2 就错了。",
        )
    else:
        headline = Told("V is as large as K: {n} in all", "V 与 K 一样大：合计 {n}")
        why = _two(s, step)
    return put_in(
        s, step, wrong, title=Text("K and V", "K 和 V"), headline=headline.on(n=short_size(step.rung.product)), why=why
    )


def _two(s: Scenario, step: Multiply) -> Text:
    if s.format.itemsize == 2:
        two = Text(
            " The 2 in front is K and V; the 2 before it was bytes. They are two different twos.",
            "这个 2 是 K 和 V 两份；前面那个 2 是字节数。两者不是一回事。",
        )
    else:
        two = Text(" This 2 counts K and V, not bytes.", "这个 2 数的是 K 和 V，不是字节。")
    each = Told(" in each of {batch} sequences", "、{batch} 条序列").on(s) if s.batch > 1 else ""
    return Told(
        "Scores need keys, the average needs values: both are kept for every token.{two} For {name} at "
        "{seq_len:token}{each} that is {product}.",
        "算分数要用键，求平均要用值：每个 token 两样都存。{two}{name} 在 {seq_len} 个 token{each} 时就是 {product}。",
    ).on(s, two=two, name=model_name(s), each=each, product=product(step.rung))
