"""The induction: layer 0's inputs, its outputs, and then every layer above in one go."""

from __future__ import annotations

from engine.kv_reuse import NextLayer, SameInputs, SameOutputs, Scenario
from engine.prompt_edits import holds
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_reuse.naming import names
from lessons.kv_reuse.steps.table import compared, rounding, row_of


def same_inputs(s: Scenario, step: SameInputs) -> Narration:
    off = max(step.moved.x, step.moved.kv)
    return Narration(
        id="layer-0/inputs",
        title=Text("Same inputs", "输入相同"),
        headline=Told(
            "Layer 0 gets the same inputs for {old}, so their k and v are the same",
            "第 0 层收到的 {old} 的输入相同，所以它们的 k 和 v 相同",
        ).on(names(s)),
        why=Told(
            "Token and position are the same, so x is the same. [k](term:key) and [v](term:value) are made from one "
            "position’s x alone. Largest |Δ|: {off:delta}{rounding}.",
            "token 和位置没变，x 就没变。[k](term:key) 和 [v](term:value) 只由本位置的 x 算出。最大 |Δ|："
            "{off:delta}{rounding}。",
        ).on(off=off, rounding=rounding(off)),
        facts=compared(step, outputs=False),
        row=row_of(step),
    )


def same_outputs(step: SameOutputs) -> Narration:
    if holds(step.moved.y):
        title = Text("Same outputs", "输出相同")
        headline = Text(
            "Nothing that they could see has changed, so neither have their outputs",
            "能看见的都没有变，所以输出也没有变",
        )
        why = Told(
            "Same query, same keys, same values, same [mask](term:mask): the same weighted sum. Output "
            "[projection](term:projection), feed-forward and normalisation work position by position. Largest |Δ|: "
            "{y:delta}{rounding}.",
            "查询、键、值、[掩码](term:mask)都相同，加权和就相同。输出[投影](term:projection)、前馈和归一化逐位置进"
            "行。最大 |Δ|：{y:delta}{rounding}。",
        )
    else:
        title = Text("Other outputs", "输出变了")
        headline = Text("They see more than before, so their outputs have changed", "看见的比之前多，所以输出变了")
        why = Told(
            "One more [key](term:key) takes its share of the weights. Largest |Δ|: {y:delta}, no rounding. The "
            "argument stops here.",
            "多一个[键](term:key)就多分走一份权重。最大 |Δ|：{y:delta}，这不是舍入。论证到此中断。",
        )
    return Narration(
        id="layer-0/outputs",
        title=title,
        headline=headline,
        why=why.on(step.moved, rounding=rounding(step.moved.y)),
        facts=compared(step, outputs=True),
        row=row_of(step),
    )


def next_layer(step: NextLayer) -> Narration:
    if holds(step.moved.kv):
        headline = Told(
            "Layer {layer} starts from the same inputs, and the same argument holds",
            "第 {layer} 层的输入相同，同样的论证再走一遍",
        )
        why = Told(
            "Layer {below}’s outputs are layer {layer}’s inputs. Same inputs, same view: same k and v, same outputs. "
            "Largest |Δ| of k and v: {kv:delta}{rounding}.",
            "第 {below} 层的输出就是第 {layer} 层的输入。输入相同、可见集合相同：k、v 相同，输出相同。k、v 的最大 "
            "|Δ|：{kv:delta}{rounding}。",
        )
    else:
        headline = Told(
            "Layer {layer} starts from other inputs: its old k and v no longer hold",
            "第 {layer} 层的输入已经不同：旧的 k 和 v 失效",
        )
        why = Told(
            "Layer {below}’s outputs have changed, and layer {layer} makes its k and v from them. Largest |Δ| of k "
            "and v: {kv:delta}.",
            "第 {below} 层的输出变了，而第 {layer} 层的 k、v 由它们算出。k、v 的最大 |Δ|：{kv:delta}。",
        )
    return Narration(
        id=f"layer-{step.layer}/proof",
        title=Told("Layer {layer}", "第 {layer} 层").on(step),
        headline=headline.on(step),
        why=why.on(step, step.moved, below=step.layer - 1, rounding=rounding(step.moved.kv)),
        facts=compared(step, outputs=True),
        row=row_of(step),
    )
