"""Why each step is so, both languages side by side. Numbers come from the step."""

from __future__ import annotations

import numpy as np

from engine.attention import Array
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
    Proof,
    Replaced,
    SameInputs,
    SameOutputs,
    SameView,
    Scenario,
    Step,
)
from engine.prompt_edits import ROUNDING, Sight
from lessons.kit.format import fixed
from lessons.kit.text import Text, same
from lessons.kv_reuse.tokens import delta, holds, letter

EMPTY = same("")


def explain(scenario: Scenario, step: Step) -> Text:
    """Why it happened, in a few sentences of Markdown."""
    new = letter(scenario.appended)
    c = scenario.config
    match step:
        case Cached():
            per_token = 2 * c.n_layers * c.n_kv_heads * c.head_dim
            return Text(
                "A [KV cache](term:kv-cache) is one pair of tables for **each layer**, a row a token: here 2 × "
                f"{c.n_layers} layer{'s' * (c.n_layers > 1)} × {c.n_kv_heads} KV heads × "
                f"{c.head_dim} numbers = {per_token} a token. A [query](term:query) is used once, for its own "
                "token’s output.",
                "[KV 缓存](term:kv-cache)是**每一层**各有一对表，每个 token 一行：这里每个 token 有 2 × "
                f"{c.n_layers} 层 × {c.n_kv_heads} 个 KV 头 × "
                f"{c.head_dim} 个数 = {per_token} 个数。[查询](term:query)只为自己那个 token 的输出用一次。",
            )
        case Appended(proof=proof):
            n = proof.n_old
            return Text(
                f"The model runs twice: over {n} token{'s' * (n > 1)}, and over {n + 1}. From layer 0 on, each cell "
                "of the two runs is compared: |Δ| is the largest "
                "difference of its numbers. Nothing is assumed.",
                f"模型运行两遍：一遍 {n} 个 token，一遍 {n + 1} 个。从第 0 层起逐层比较两遍的每一格：|Δ| 是格内各数差"
                "的最大值。不预设任何结论。",
            )
        case SameInputs(proof=proof):
            x = float(max(proof.x[0].max(), proof.k[0].max(), proof.v[0].max()))
            return Text(
                "Token and position are the same, so x is the same. [k](term:key) and [v](term:value) are made from "
                f"one position’s x alone. Largest |Δ|: {delta(x)}{_rounding(x).en}.",
                "token 和位置没变，x 就没变。[k](term:key) 和 [v](term:value) 只由本位置的 x 算出。最大 |Δ|："
                f"{delta(x)}{_rounding(x).zh}。",
            )
        case SameView(proof=proof):
            return _view(scenario, proof)
        case SameOutputs(proof=proof):
            y = float(proof.x[1].max())
            if holds(y):
                return Text(
                    "Same query, same keys, same values, same [mask](term:mask): the same weighted sum. Output "
                    "[projection](term:projection), feed-forward and normalisation work position by position. "
                    f"Largest |Δ|: {delta(y)}{_rounding(y).en}.",
                    "查询、键、值、[掩码](term:mask)都相同，加权和就相同。输出[投影](term:projection)、前馈和归一化"
                    f"逐位置进行。最大 |Δ|：{delta(y)}{_rounding(y).zh}。",
                )
            return Text(
                f"One more [key](term:key) takes its share of the weights. Largest |Δ|: {delta(y)}, no rounding. The "
                "argument stops here.",
                f"多一个[键](term:key)就多分走一份权重。最大 |Δ|：{delta(y)}，这不是舍入。论证到此中断。",
            )
        case NextLayer(proof=proof, layer=layer):
            return _next_layer(proof, layer)
        case Conclusion(proof=proof):
            return _therefore(scenario, proof)
        case Project(layer=layer):
            n = len(scenario.tokens)
            return Text(
                f"The {n} old row{'s' * (n > 1)} of this layer {'lie' if n > 1 else 'lies'} in the cache, ⚓; one "
                "row is new. No other layer’s rows would do: each layer has its own weights and its own inputs.",
                f"本层的 {n} 个旧行在缓存里（⚓），新的只有一行。别层的行不能代替：每一层有自己的权重和自己的输入。",
            )
        case Look(p=p, s=s):
            seen = int(np.isfinite(s).sum())
            top = int(np.argmax(p))
            most = letter(scenario.longer[top])
            return Text(
                f"{seen} [score{'s' * (seen > 1)}](term:score), softmax, and the weighted sum of {seen} "
                f"[value{'s' * (seen > 1)}](term:value). Most [weight](term:attention-weight), "
                f"{fixed(float(p[top]), 3)}, goes to {most} at position {top}. The old queries take no part.",
                f"{seen} 个[分数](term:score)，softmax，再对 {seen} 个[值](term:value)加权求和。[权重"
                f"](term:attention-weight)最大的是位置 {top} 的 {most}：{fixed(float(p[top]), 3)}。旧的查询没有参与。",
            )
        case Finish():
            return Text(
                f"The o of all {c.n_heads} heads, side by side and multiplied by [Wo](term:projection), is added to "
                "x; then the feed-forward part is. It is one position’s work, whatever the length of the text.",
                f"{c.n_heads} 个头的 o 并排乘以 [Wo](term:projection) 加到 x 上，再加前馈部分。无论文本多长，都只是一"
                "个位置的工作量。",
            )
        case NextToken(logits=logits, error=error):
            return _logits(scenario, logits, error)
        case Replaced():
            return _replaced(scenario, step)
        case Mended():
            return _mended(scenario)
        case AskedNext(error=error):
            if error <= ROUNDING:
                return Text(
                    "A cached row is valid as long as everything it was computed from is the same: tokens, "
                    "positions, weights, and what could be seen. Its age does not matter.",
                    "缓存的一行由 token、位置、权重和可见集合算出。这些都没变，它就有效；变了一样，它就作废。存了多久"
                    "并不重要。",
                )
            return Text(
                "In a model that looks forward, appending changes old rows, even in a cache that was right a moment "
                f"ago. {new} was no exception.",
                f"在能向后看的模型里，追加就会改动旧行，哪怕缓存刚刚还是对的。{new} 也不例外。",
            )


def _rounding(x: float) -> Text:
    """What a figure is: to the last bit, or the rounding of another order of summation."""
    if x == 0:
        return Text(", the same to the last bit", "，逐位相同")
    if x <= ROUNDING:
        return Text(
            ", rounding: a batch of another shape sums in another order", "，这是舍入：批的形状不同，求和次序就不同"
        )
    return EMPTY


def _view(scenario: Scenario, proof: Proof) -> Text:
    new = letter(scenario.appended)
    if not proof.same_view:
        n = sum(bool(row[-1]) for row in proof.seen[:-1])
        return Text(
            f"The [mask](term:mask) of this model lets {n} of {proof.n_old} old queries see {new}. What went into "
            "their outputs is no longer what it was.",
            f"这个模型的[掩码](term:mask)让 {proof.n_old} 个旧查询中的 {n} 个看见 {new}。算出它们输出的东西已不同于之"
            "前。",
        )
    rules = {
        Sight.CAUSAL: Text(
            "The [causal mask](term:mask) shows each query itself and what stands before it.",
            "[因果掩码](term:mask)只让每个查询看到自己和前面的。",
        ),
        Sight.WINDOW: Text(
            f"The [mask](term:mask) shows each query itself and the {scenario.window - 1} before it.",
            f"[掩码](term:mask)只让每个查询看到自己和前面 {scenario.window - 1} 个。",
        ),
        Sight.PREFIX: Text(
            f"The first {scenario.prefix} tokens see each other; behind them the [mask](term:mask) is causal.",
            f"前 {scenario.prefix} 个 token 互相可见；之后的[掩码](term:mask)是因果的。",
        ),
        Sight.BOTH_WAYS: Text("The [mask](term:mask) hides nothing.", "[掩码](term:mask)什么也不屏蔽。"),
    }
    return rules[scenario.sight] + Text(
        f" {new} gets a row of its own, and a column that no old query may look into.",
        f"{new} 多出自己的一行，以及一列，但没有哪个旧查询能看那一列。",
    )


def _next_layer(proof: Proof, layer: int) -> Text:
    kv = float(max(proof.k[layer].max(), proof.v[layer].max()))
    if proof.holds(layer):
        return Text(
            f"Layer {layer - 1}’s outputs are layer {layer}’s inputs. Same inputs, same view: same k and v, same "
            f"outputs. Largest |Δ| of k and v: {delta(kv)}{_rounding(kv).en}.",
            f"第 {layer - 1} 层的输出就是第 {layer} 层的输入。输入相同、可见集合相同：k、v 相同，输出相同。k、v 的最"
            f"大 |Δ|：{delta(kv)}{_rounding(kv).zh}。",
        )
    return Text(
        f"Layer {layer - 1}’s outputs have changed, and layer {layer} makes its k and v from them. Largest |Δ| of k "
        f"and v: {delta(kv)}.",
        f"第 {layer - 1} 层的输出变了，而第 {layer} 层的 k、v 由它们算出。k、v 的最大 |Δ|：{delta(kv)}。",
    )


def _therefore(scenario: Scenario, proof: Proof) -> Text:
    if proof.holds_everywhere:
        return Text(
            "Same inputs and same visible set ⇒ same outputs ⇒ same k and v one layer up; and so on to the top. It "
            "took fixed weights, fixed positions and a mask "
            "that never shows an old query anything new. So only the new token needs work, and it needs only its own "
            "q.",
            "输入相同、可见集合相同 ⇒ 输出相同 ⇒ 上一层的 k、v 相同；如此直到顶层。前提是权重固定、位置固定，并且掩码"
            "从不让旧查询看到新东西。"
            "所以只有新 token 需要计算，而它只需要自己的 q。",
        )
    kept = sum(proof.holds(layer) for layer in range(scenario.n_layers))
    return Text(
        f"The step “same visible set” fails, and with it the rest: only {kept} of {scenario.n_layers} layers "
        f"keep{'s' * (kept == 1)} {'its' if kept == 1 else 'their'} k and v. The next steps use the old cache all "
        "the same, to show what it costs.",
        f"“可见集合相同”这一步不成立，后面也就不成立：{scenario.n_layers} 层里只有 {kept} 层的 k、v 不变。接下来的步"
        "骤仍用旧缓存，看看代价有多大。",
    )


def _logits(scenario: Scenario, logits: Array, error: float) -> Text:
    best = letter(int(logits.argmax()))
    n = len(scenario.longer)
    if error <= ROUNDING:
        return Text(
            f"One position went through the model instead of {n}. The most likely next token is {best}. Equal means "
            f"equal up to [rounding](term:rounding): here {delta(error)}.",
            f"只有一个位置走完了模型，而不是 {n} 个。最可能的下一个 token 是 {best}。相同是指除[舍入"
            f"](term:rounding)外相同：这里差 {delta(error)}。",
        )
    return Text(
        "The step of the proof that failed shows up here. No [rounding](term:rounding) is as large as "
        f"{delta(error)}: this model may not keep its k and v.",
        f"证明中不成立的那一步在这里显形。[舍入](term:rounding)不会大到 {delta(error)}：这个模型不能照用旧的 k 和 v。",
    )


def _replaced(scenario: Scenario, step: Replaced) -> Text:
    was, at, last = letter(scenario.longer[scenario.edit_at]), scenario.edit_at, len(scenario.longer) - 1
    if scenario.longer == scenario.edited:
        return Text("Same token, same position: every row still holds.", "token 相同、位置相同：每一行仍然有效。")
    survivors = int((step.k[0] <= ROUNDING).sum())
    base = Text(
        f"Marked ≠: rows that were computed from {was}. In layer 0, {survivors} of {last + 1} rows still hold, even "
        f"those behind position {at}: in that layer k and v come from one token and its position alone.",
        f"标 ≠ 的是由 {was} 算出的行。第 0 层 {last + 1} 行中有 {survivors} 行仍有效，位置 {at} 之后的也在内：这一层"
        "的 k、v 只取决于一个 token 和它的位置。",
    )
    if scenario.n_layers == 1:
        return base
    lost = int((np.maximum(step.k, step.v)[1] > ROUNDING).sum())
    return base + Text(
        f" In layer 1, {lost} row{'s have' if lost != 1 else ' has'} changed: their inputs had looked at {was}.",
        f"第 1 层则有 {lost} 行变了：它们的输入看过 {was}。",
    )


def _mended(scenario: Scenario) -> Text:
    first, at = scenario.first_to_recompute, scenario.edit_at
    if first < at:
        return Text(
            "Tokens before the edit had looked forward at it, so the reusable prefix ends before them.",
            "编辑位置之前的 token 曾向后看到它，所以可复用的前缀在它们之前就结束了。",
        )
    return Text(
        "A prompt’s cache can be kept up to the first token that differs. What counts are the tokens that the model "
        "reads, not the characters that we see: "
        "a changed system prompt, template or tool list moves that point nearer to the beginning.",
        "提示的缓存可以用到第一个不同的 token 为止。算数的是模型实际读到的 token，不是人眼看到的字符：改了系统提示、"
        "模板或工具列表，这个点就会往前移。",
    )
