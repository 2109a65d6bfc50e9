"""The wrong ways that this lesson runs: five ways to write the kernel, and one to count."""

from __future__ import annotations

from engine.flash_io import Mistake, Scenario
from lessons.kit.mistake import Mistakes, Wrong
from lessons.kit.text import Text
from lessons.kit.told import Told, Words, say

_BACKWARD = Text(
    "the backward pass is only shown the right way. Choose the forward pass.",
    "反向传播只演示正确做法。请选择前向。",
)


def _forward(words: Words[Scenario]) -> Words[Scenario]:
    """The reason of a forward pass; in the backward pass no mistake is run."""
    return lambda s: _BACKWARD if s.backward else say(words, s)


def _top_left(s: Scenario) -> Text:
    if not s.causal:
        return Text("nothing is masked. Switch the causal mask on.", "这里没有掩码。请打开因果掩码。")
    return Told(
        "there are as many queries as keys, {n_q}, so both alignments are the same. Try 4 queries and 6 keys.",
        "查询与键一样多，都是 {n_q} 个，两种对齐没有区别。换成 4 个查询、6 个键试试。",
    ).on(s)


def _unmasked(s: Scenario) -> Text:
    if not s.causal:
        return Text("nothing is masked. Switch the causal mask on.", "这里没有掩码。请打开因果掩码。")
    return Text(
        "the mask cuts through no tile that is computed. Try larger tiles.",
        "被计算的分块里没有一块被掩码切开。把分块放大试试。",
    )


MISTAKES: Mistakes[Scenario] = Mistakes(
    Mistake.NONE,
    {
        Mistake.COUNT_ONCE: Wrong(
            title=Text("K and V counted once", "K、V 只算一次"),
            said=Text(
                "a tile of K and V is counted the first time only. The loop reads it again for every tile of queries "
                "that needs it.",
                "K、V 的一个分块只在第一次读取时计数。循环会为每个需要它的查询分块再读一次。",
            ),
            invisible=_forward(
                Text(
                    "no tile of K and V is read a second time. Add queries, or make the query tile smaller.",
                    "没有哪个 K、V 分块被读第二次。增加查询，或缩小查询分块。",
                )
            ),
        ),
        Mistake.UNMASKED: Wrong(
            title=Text("the diagonal tile is not masked", "对角线上的分块不加掩码"),
            said=Text(
                "a tile that the mask cuts through is treated as if all of it were visible, so queries see keys that "
                "come later.",
                "把被掩码切开的分块当成完全可见，查询就看到了更晚的键。",
            ),
            invisible=_forward(_unmasked),
        ),
        Mistake.TOP_LEFT: Wrong(
            title=Text("the mask starts at the top left", "掩码从左上角对齐"),
            said=Told(
                "query i is allowed keys 0 to i. With {n_q} queries after {n_k} keys the last query must see every "
                "key, so the mask is aligned at the bottom right.",
                "让查询 i 只看键 0 到 i。{n_q} 个查询、{n_k} 个键时，最后一个查询应当看到所有键，所以掩码要从右下角"
                "对齐。",
            ),
            invisible=_forward(_top_left),
        ),
        Mistake.KEPT_STATE: Wrong(
            title=Text("m, ℓ and u not reset", "m、ℓ、u 没有清零"),
            said=Text(
                "the next tile of queries starts with the m, ℓ and u that the last one left on the chip.",
                "下一个查询分块沿用上一个分块留在片上的 m、ℓ 和 u。",
            ),
            invisible=_forward(
                Text(
                    "there is only one tile of queries, so nothing is left over. Make the query tile smaller.",
                    "只有一个查询分块，没有上一块留下的东西。缩小查询分块试试。",
                )
            ),
        ),
        Mistake.SCALED_TWICE: Wrong(
            title=Text("1/√d applied twice", "1/√d 乘了两次"),
            said=Told(
                "Q is scaled in advance and the scores are scaled again, so they are divided by {d} instead of √{d}.",
                "先缩放了 Q，又缩放了分数，于是除以了 {d} 而不是 √{d}。",
            ),
            invisible=_forward(Told("with d = {d} the factor 1/√d is 1.", "d = {d} 时，1/√d 就是 1。")),
        ),
        Mistake.UNSCALED: Wrong(
            title=Text("1/√d forgotten", "忘了 1/√d"),
            said=Told(
                "the scores are not divided by √{d}, so the weights are too sharp.",
                "分数没有除以 √{d}，权重就过于集中。",
            ),
            invisible=_forward(Told("with d = {d} the factor 1/√d is 1.", "d = {d} 时，1/√d 就是 1。")),
        ),
    },
)
