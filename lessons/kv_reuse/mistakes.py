"""The wrong ways: their names, what each does at a step, and why one may be invisible."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from engine.attention import Array
from engine.kv_reuse import (
    AskedNext,
    Cached,
    Finish,
    Look,
    Mended,
    Mistake,
    NextToken,
    Project,
    Replaced,
    Scenario,
    Step,
)
from engine.prompt_edits import ROUNDING
from lessons.kit.format import vector
from lessons.kit.text import Text
from lessons.kv_reuse.steps import trace
from lessons.kv_reuse.titles import name
from lessons.kv_reuse.tokens import delta, letter, old_tokens

MISTAKES: dict[Mistake, Text] = {
    Mistake.NONE: Text("none", "不比较"),
    Mistake.TOP_LAYER: Text("only the top layer cached", "只缓存最顶层"),
    Mistake.LAYER_0: Text("layer 0’s cache for all layers", "所有层共用第 0 层的缓存"),
    Mistake.OLD_Q: Text("old q kept instead of k and v", "保存旧 q，不保存 k、v"),
    Mistake.KEEP_ALL: Text("token replaced, whole cache kept", "token 换了，缓存全部照用"),
    Mistake.EDITED_ONLY: Text("only the replaced token’s cache renewed", "只更新被替换的那一个"),
}

ON_THE_EDIT = (Mistake.KEEP_ALL, Mistake.EDITED_ONLY)
"""The mistakes that come into play only once a token is replaced."""


def parts(right: Step, wrong: Step) -> bool:
    """Whether the wrong way's numbers differ at this step by more than rounding."""
    match right, wrong:
        case Project(), Project():
            return _apart((right.x, wrong.x), (right.q, wrong.q), (right.k, wrong.k), (right.v, wrong.v))
        case Look(), Look():
            return _apart((right.s, wrong.s), (right.p, wrong.p), (right.o, wrong.o))
        case Finish(), Finish():
            return _apart((right.after, wrong.after))
        case Mended(), Mended():
            return _apart((right.k, wrong.k), (right.v, wrong.v))
        case NextToken() | AskedNext(), NextToken() | AskedNext():
            return _apart((right.logits, wrong.logits))
        case _:
            return False


def _apart(*pairs: tuple[Array, Array]) -> bool:
    return any(not np.allclose(a, b, rtol=0, atol=ROUNDING, equal_nan=True) for a, b in pairs)


def beside(scenario: Scenario, step: Step, wrong: Step) -> Text:
    """A paragraph on what the chosen mistake does in this step, or on where it shows."""
    mistake = MISTAKES[scenario.mistake]
    lead = Text(f"**✗ Wrong way** ({mistake.en}): ", f"**✗ 错误做法**（{mistake.zh}）：")
    on_the_edit = scenario.mistake in ON_THE_EDIT
    match step, wrong:
        case Cached(), _:
            return lead + _kept(scenario) + Text(" The figure shows the right way.", "图中画的是正确做法。")
        case NextToken() | AskedNext(), NextToken() | AskedNext() if isinstance(step, AskedNext) == on_the_edit:
            return lead + _verdict(scenario, step, wrong)
        case Mended(), Mended() if on_the_edit:
            return lead + _mended(scenario, wrong)
        case _ if parts(step, wrong):
            return lead + _path(scenario, wrong)
        case _:
            return lead + _elsewhere(scenario, step)


@lru_cache(maxsize=128)
def _shows_at(scenario: Scenario) -> tuple[tuple[str, Text, bool], ...]:
    """Each step's address and title, and whether the mistake shows there."""
    right = replace(scenario, mistake=Mistake.NONE)
    pairs = zip(trace(right), trace(scenario), strict=True)
    return tuple((*name(scenario, step), parts(step, wrong)) for step, wrong in pairs)


def _elsewhere(scenario: Scenario, step: Step) -> Text:
    """At a step whose numbers are the right way's: nothing has shown yet, or where it has."""
    steps = _shows_at(scenario)
    at = [address for address, _, _ in steps].index(name(scenario, step)[0])
    shown = next((title for _, title, apart in steps[:at] if apart), None)
    if isinstance(step, Replaced | Mended | AskedNext) and scenario.mistake not in ON_THE_EDIT:
        here = Text(
            "these last steps start from a whole cache, so nothing differs here",
            "最后这几步用的是完整的缓存，所以这里没有差别",
        )
        if shown is None:
            return here + Text("; nor did it show before.", "；前面也没有出现差别。")
        return here + Text(f"; it shows at step “{shown.en}”.", f"；差别出现在“{shown.zh}”一步。")
    if shown is None:
        return Text("no difference so far.", "到目前为止没有差别。")
    return Text(f"no difference here; it shows at step “{shown.en}”.", f"这一步没有差别；差别出现在“{shown.zh}”一步。")


def _kept(scenario: Scenario) -> Text:
    old, top = old_tokens(scenario), scenario.n_layers - 1
    match scenario.mistake:
        case Mistake.TOP_LAYER:
            return Text(
                f"of {old.en} only layer {top}’s k and v are kept, and every layer is to read them.",
                f"{old.zh} 只留下第 {top} 层的 k 和 v，让每一层都去读它。",
            )
        case Mistake.LAYER_0:
            return Text(
                f"of {old.en} only layer 0’s k and v are kept, as if the cache were one copy of the text.",
                f"{old.zh} 只留下第 0 层的 k 和 v，仿佛缓存就是一份文本。",
            )
        case Mistake.OLD_Q:
            return Text(
                f"the queries of {old.en} are kept, their k and v are not.",
                f"留下的是 {old.zh} 的查询，k 和 v 却没有留下。",
            )
        case _:
            return Text(
                "it is right so far. It goes wrong when a token is replaced, in the last steps.",
                "到这里都对。等到最后几步有 token 被替换时才出错。",
            )


def _path(scenario: Scenario, wrong: Step) -> Text:
    new = letter(scenario.appended)
    match scenario.mistake, wrong:
        case Mistake.OLD_Q, Project():
            return Text(
                f"there is no row to append to. {new}’s k and v stand alone.",
                f"前面没有可接的行，只剩 {new} 自己的 k 和 v。",
            )
        case Mistake.OLD_Q, Look():
            return Text(
                f"a stored q was a question; it hands nothing over. {new} sees itself alone, with weight "
                f"{vector(wrong.p[-1:].tolist())}.",
                f"存下的 q 是提过的问题，交不出任何内容。{new} 只看见自己，权重 {vector(wrong.p[-1:].tolist())}。",
            )
        case _, Project(layer=layer):
            source = scenario.n_layers - 1 if scenario.mistake is Mistake.TOP_LAYER else 0
            if source != layer:
                return Text(
                    f"the hatched old rows are layer {source}’s, made by layer {source}’s weights from layer "
                    f"{source}’s input. Layer {layer} reads them as its own.",
                    f"画斜线的旧行属于第 {source} 层，由第 {source} 层的权重和第 {source} 层的输入算出。第 {layer} 层"
                    "却当成自己的来读。",
                )
            return Text(
                "the old rows are this layer’s own, but the input already differs.",
                "旧行确是本层的，但输入已经不同了。",
            )
        case _, Look():
            return Text(
                "other keys, other scores, other values: another output.",
                "键不同，分数就不同，值也不同，输出随之改变。",
            )
        case _:
            return Text("the difference goes up with x.", "差别随 x 传到上面。")


def _mended(scenario: Scenario, wrong: Mended) -> Text:
    at, last = scenario.edit_at, len(scenario.longer) - 1
    if scenario.mistake is Mistake.KEEP_ALL:
        return Text(
            f"nothing is computed again: {letter(scenario.longer[at])}’s k and v at position {at} and all later ones "
            "stay.",
            f"什么也不重算：位置 {at} 上 {letter(scenario.longer[at])} 的 k、v 和后面所有的都留着。",
        )
    first = scenario.first_to_recompute
    if first == at == last:
        return Text(
            f"position {at} is the last one, so renewing it alone renews all that must be renewed.",
            f"位置 {at} 就是最后一个，只更新它已经足够。",
        )
    return Text(
        f"position {at} is renewed in every layer; the others from position {first} to {last} still remember "
        f"{letter(scenario.longer[at])}, by up to {delta(max(wrong.k.max(), wrong.v.max()))}.",
        f"位置 {at} 在每一层都更新了；从位置 {first} 到 {last} 的其余各处仍记着 {letter(scenario.longer[at])}，相差可"
        f"达 {delta(max(wrong.k.max(), wrong.v.max()))}。",
    )


def _verdict(scenario: Scenario, right: NextToken | AskedNext, wrong: NextToken | AskedNext) -> Text:
    if not parts(right, wrong):
        return Text("**invisible on these inputs**, because ", "**在这组输入上看不出来**，因为") + why_invisible(
            scenario
        )
    off = float(np.abs(wrong.logits - right.logits).max())
    if scenario.mistake is Mistake.EDITED_ONLY:
        *_, stale = trace(replace(scenario, mistake=Mistake.KEEP_ALL))
        assert isinstance(stale, AskedNext)
        smaller = off < stale.error
        return Text(
            f"its logits are off by {delta(off)}, where keeping the whole old cache gives {delta(stale.error)}. "
            f"{'Smaller, and still' if smaller else 'No smaller, and just as'} wrong: it is no rounding. "
            "Every row behind the edit that looked at the old token remembers it.",
            f"它的 logits 偏差 {delta(off)}，而照用整个旧缓存时偏差 {delta(stale.error)}。"
            f"{'虽然小些，但仍是错的' if smaller else '并不更小，同样是错的'}：这不是舍入。"
            "编辑之后凡是看过旧 token 的行，都还记着它。",
        )
    return Text(
        f"its logits are off by {delta(off)}, and nothing warned.", f"它的 logits 偏差 {delta(off)}，而且没有任何报错。"
    )


def why_invisible(scenario: Scenario) -> Text:
    """Why the chosen mistake makes no difference to the logits on these inputs."""
    at, n = scenario.edit_at, len(scenario.longer)
    if scenario.mistake in ON_THE_EDIT and scenario.longer == scenario.edited:
        return Text("the token is replaced by itself.", "这个 token 被换成了它自己。")
    if scenario.mistake is Mistake.EDITED_ONLY and scenario.first_to_recompute == at == n - 1:
        return Text(
            "nothing stands behind the replaced token. Replace an earlier one.",
            "被替换的 token 后面什么也没有。请换一个靠前的位置。",
        )
    if scenario.n_layers == 1 and scenario.mistake not in (Mistake.OLD_Q, Mistake.KEEP_ALL):
        return Text(
            "there is one layer, and a layer’s k and v depend on its own position’s input alone. Take two layers.",
            "这里只有一层，而一层的 k、v 只取决于本位置的输入。请改成两层。",
        )
    return Text(
        "nobody who is asked can see what differs. Widen the window or move the edit.",
        "被询问的 token 看不到有差别的地方。请放宽窗口或移动编辑位置。",
    )
