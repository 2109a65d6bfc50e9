"""The wrong ways that this lesson runs."""

from __future__ import annotations

from engine.kv_reuse import Mended, Mistake, Scenario
from lessons.kit.mistake import Mistakes, Wrong
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_reuse.naming import names
from lessons.kv_reuse.trace import trace

_UNSEEN = Text(
    "nobody who is asked can see what differs. Widen the window or move the edit.",
    "被询问的 token 看不到有差别的地方。请放宽窗口或移动编辑位置。",
)


def _one_layer(s: Scenario) -> Text:
    if s.n_layers > 1:
        return _UNSEEN
    return Text(
        "there is one layer, and a layer’s k and v depend on its own position’s input alone. Take two layers.",
        "这里只有一层，而一层的 k、v 只取决于本位置的输入。请改成两层。",
    )


def _by_itself(s: Scenario) -> Text:
    if s.longer != s.edited:
        return _UNSEEN
    return Text("the token is replaced by itself.", "这个 token 被换成了它自己。")


def _nothing_behind(s: Scenario) -> Text:
    if s.longer == s.edited:
        return _by_itself(s)
    if s.first_to_recompute < s.last:
        return _one_layer(s)
    return Text(
        "nothing stands behind the replaced token. Replace an earlier one.",
        "被替换的 token 后面什么也没有。请换一个靠前的位置。",
    )


def _one_renewed(s: Scenario) -> Text:
    if s.first_to_recompute == s.last:
        return Told(
            "position {edit_at} is the last one, so renewing it alone renews all that must be renewed.",
            "位置 {edit_at} 就是最后一个，只更新它已经足够。",
        ).on(s)
    (mended,) = (step for step in trace(s) if isinstance(step, Mended))
    return Told(
        "position {edit_at} is renewed in every layer; the others from position {first_to_recompute} to {last} still "
        "remember {was}, by up to {off:delta}.",
        "位置 {edit_at} 在每一层都更新了；从位置 {first_to_recompute} 到 {last} 的其余各处仍记着 {was}，相差可达 "
        "{off:delta}。",
    ).on(names(s), s, off=float(max(mended.k.max(), mended.v.max())))


MISTAKES: Mistakes[Scenario] = Mistakes(
    Mistake.NONE,
    {
        Mistake.TOP_LAYER: Wrong(
            title=Text("only the top layer cached", "只缓存最顶层"),
            said=lambda s: Told(
                "of {old} only layer {top}’s k and v are kept, and every layer is to read them.",
                "{old} 只留下第 {top} 层的 k 和 v，让每一层都去读它。",
            ).on(names(s), top=s.n_layers - 1),
            invisible=_one_layer,
        ),
        Mistake.LAYER_0: Wrong(
            title=Text("layer 0’s cache for all layers", "所有层共用第 0 层的缓存"),
            said=lambda s: Told(
                "of {old} only layer 0’s k and v are kept, as if the cache were one copy of the text.",
                "{old} 只留下第 0 层的 k 和 v，仿佛缓存就是一份文本。",
            ).on(names(s)),
            invisible=_one_layer,
        ),
        Mistake.OLD_Q: Wrong(
            title=Text("old q kept instead of k and v", "保存旧 q，不保存 k、v"),
            said=lambda s: Told(
                "the queries of {old} are kept, their k and v are not.", "留下的是 {old} 的查询，k 和 v 却没有留下。"
            ).on(names(s)),
            invisible=_UNSEEN,
        ),
        Mistake.KEEP_ALL: Wrong(
            title=Text("token replaced, whole cache kept", "token 换了，缓存全部照用"),
            said=lambda s: Told(
                "nothing is computed again: {was}’s k and v at position {edit_at} and all later ones stay.",
                "什么也不重算：位置 {edit_at} 上 {was} 的 k、v 和后面所有的都留着。",
            ).on(names(s), s),
            invisible=_by_itself,
        ),
        Mistake.EDITED_ONLY: Wrong(
            title=Text("only the replaced token’s cache renewed", "只更新被替换的那一个"),
            said=_one_renewed,
            invisible=_nothing_behind,
        ),
    },
    unseen=Text("**invisible on these inputs**, because ", "**在这组输入上看不出来**，因为"),
)
