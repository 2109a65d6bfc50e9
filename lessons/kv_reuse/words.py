"""What each step says, both languages side by side. Numbers come from the step."""

from __future__ import annotations

import numpy as np

from engine.kv_reuse import (
    Appended,
    AskedNext,
    Cached,
    Conclusion,
    Finish,
    Look,
    Mended,
    NextLayer,
    NextToken,
    Project,
    Replaced,
    SameInputs,
    SameOutputs,
    SameView,
    Scenario,
    Step,
)
from engine.prompt_edits import ROUNDING
from lessons.kit.lesson import Narration
from lessons.kit.text import Text, paragraphs, same
from lessons.kv_reuse.asks import ask
from lessons.kv_reuse.facts import facts
from lessons.kv_reuse.mistakes import beside
from lessons.kv_reuse.reasons import explain
from lessons.kv_reuse.titles import name
from lessons.kv_reuse.tokens import delta, holds, letter, old_tokens

TITLE = Text("Why old K and V can be kept", "旧的 K 和 V 为什么可以留着")
QUESTION = Text(
    "Which computations really do not change when a token is appended?",
    "追加一个 token 时，哪些计算真的不会变？",
)
EMPTY = same("")


def narrate(scenario: Scenario, step: Step, wrong: Step | None) -> Narration:
    """One step in words, with a paragraph on the wrong way where a mistake is chosen."""
    more = beside(scenario, step, wrong) if wrong is not None else EMPTY
    id_, title = name(scenario, step)
    return Narration(
        id_,
        title,
        headline(scenario, step),
        paragraphs(explain(scenario, step), more),
        facts(scenario, step, wrong),
        ask(scenario, step),
    )


def headline(scenario: Scenario, step: Step) -> Text:
    """What happened, in one sentence."""
    who, new = old_tokens(scenario), letter(scenario.appended)
    match step:
        case Cached():
            return Text(
                f"{_capital(who.en)}: every layer’s k and v are kept, q is not",
                f"{who.zh}：每一层的 k 和 v 留下，q 不留",
            )
        case Appended():
            return Text(
                f"{new} arrives. Does anything computed for {who.en} change?",
                f"{new} 来了。为 {who.zh} 算过的东西会变吗？",
            )
        case SameInputs(proof=proof):
            return Text(
                f"Layer 0 gets the same inputs for {who.en}, so their k and v are the same",
                f"第 0 层收到的 {who.zh} 的输入相同，所以它们的 k 和 v 相同",
            )
        case SameView(proof=proof):
            if proof.same_view:
                return Text(
                    f"{_capital(who.en)} may see exactly what they saw before", f"{who.zh} 能看见的与之前完全一样"
                )
            return Text(
                f"{_capital(who.en)} now see{'s' * (proof.n_old == 1)} {new} as well", f"{who.zh} 现在还能看见 {new}"
            )
        case SameOutputs(proof=proof):
            if holds(proof.x[1].max()):
                return Text(
                    "Nothing that they could see has changed, so neither have their outputs",
                    "能看见的都没有变，所以输出也没有变",
                )
            return Text("They see more than before, so their outputs have changed", "看见的比之前多，所以输出变了")
        case NextLayer(layer=layer, proof=proof):
            if proof.holds(layer):
                return Text(
                    f"Layer {layer} starts from the same inputs, and the same argument holds",
                    f"第 {layer} 层的输入相同，同样的论证再走一遍",
                )
            return Text(
                f"Layer {layer} starts from other inputs: its old k and v no longer hold",
                f"第 {layer} 层的输入已经不同：旧的 k 和 v 失效",
            )
        case Conclusion(proof=proof):
            if proof.holds_everywhere:
                return Text(
                    f"In every layer the k and v of {who.en} stay as they are",
                    f"在每一层，{who.zh} 的 k 和 v 都保持不变",
                )
            return Text(
                f"In this model appending {new} changes old k and v", f"在这个模型里，追加 {new} 会改变旧的 k 和 v"
            )
        case Project(layer=layer):
            return Text(
                f"Layer {layer} computes one q, one k and one v: {new}’s",
                f"第 {layer} 层只算 {new} 自己的一个 q、一个 k、一个 v",
            )
        case Look(layer=layer, s=s):
            old, cached = int(np.isfinite(s[:-1]).sum()), len(s) - 1
            if old == cached:
                return Text(
                    f"{new}’s q meets every cached k of layer {layer}, and its own",
                    f"{new} 的 q 与第 {layer} 层缓存的每个 k 以及自己的 k 相乘",
                )
            return Text(
                f"{new}’s q meets {old} of {cached} cached k of layer {layer}, and its own",
                f"{new} 的 q 与第 {layer} 层缓存的 {cached} 个 k 中的 {old} 个以及自己的 k 相乘",
            )
        case Finish(layer=layer):
            up = (
                Text("the logits", "logits")
                if layer == scenario.n_layers - 1
                else Text(f"layer {layer + 1}", f"第 {layer + 1} 层")
            )
            return Text(
                f"Output projection and feed-forward make {new}’s input to {up.en}"
                if up.zh != "logits"
                else f"Output projection and feed-forward make {new}’s output, from which the logits come",
                f"经过 Wo 和前馈，得到 {new} 送往{up.zh}的输入"
                if up.zh != "logits"
                else f"经过 Wo 和前馈，得到 {new} 用来算 logits 的输出",
            )
        case NextToken(error=error):
            if error <= ROUNDING:
                return Text(
                    f"The logits behind {new} are those of a full run, to within {delta(error)}",
                    f"{new} 之后的 logits 与全部重算相同，相差不超过 {delta(error)}",
                )
            return Text(
                f"The cache gives other logits than a full run: off by {delta(error)}",
                f"用缓存得到的 logits 与全部重算不同：相差 {delta(error)}",
            )
        case Replaced():
            return _replaced_headline(scenario, step)
        case Mended():
            return _mended_headline(scenario)
        case AskedNext(error=error):
            asked = letter(scenario.asked)
            if error <= ROUNDING:
                return Text(
                    f"{asked} gets the answer of a full run, to within {delta(error)}",
                    f"{asked} 得到的结果与全部重算相同，相差不超过 {delta(error)}",
                )
            return Text(
                f"Appending {asked} changes old k and v again: off by {delta(error)}",
                f"追加 {asked} 又改变了旧的 k 和 v：相差 {delta(error)}",
            )


def _replaced_headline(scenario: Scenario, step: Replaced) -> Text:
    was, now, at = letter(scenario.longer[scenario.edit_at]), letter(scenario.edit_to), scenario.edit_at
    if scenario.longer == scenario.edited:
        return Text(
            f"{was} is replaced by itself at position {at}: nothing changes",
            f"位置 {at} 的 {was} 换成它自己：什么也没变",
        )
    return Text(
        f"{was} becomes {now} at position {at}: what depends on it no longer holds",
        f"位置 {at} 的 {was} 换成 {now}：依赖它的都失效了",
    )


def _mended_headline(scenario: Scenario) -> Text:
    first, last = scenario.first_to_recompute, len(scenario.longer) - 1
    if first == 0:
        return Text(
            f"Nothing can be kept: positions 0 to {last} are computed again", f"什么也不能留：位置 0 到 {last} 全部重算"
        )
    if first == last:
        return Text(f"{_keep(first).en}; position {last} is computed again", f"{_keep(first).zh}；位置 {last} 重算")
    return Text(
        f"{_keep(first).en}; positions {first} to {last} are computed again",
        f"{_keep(first).zh}；位置 {first} 到 {last} 重算",
    )


def _keep(first: int) -> Text:
    if first == 1:
        return Text("Position 0 is kept", "位置 0 留用")
    return Text(f"Positions 0 to {first - 1} are kept", f"位置 0 到 {first - 1} 留用")


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
