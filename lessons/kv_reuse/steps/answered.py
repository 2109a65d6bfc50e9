"""What the cache answers: the logits behind the new token, and behind the one asked after the edit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.kv_reuse import AskedNext, Mistake, NextToken, Scenario, apart
from engine.prompt_edits import holds
from lessons.kit.format import delta
from lessons.kit.lesson import Facts, Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_reuse.mistakes import MISTAKES
from lessons.kv_reuse.naming import letter, names
from lessons.kv_reuse.steps.table import row
from lessons.kv_reuse.trace import trace


def next_token(s: Scenario, step: NextToken, wrong: NextToken | None) -> Narration:
    if holds(step.error):
        headline = Told(
            "The logits behind {new} are those of a full run, to within {error:delta}",
            "{new} 之后的 logits 与全部重算相同，相差不超过 {error:delta}",
        )
        why = Told(
            "One position went through the model instead of {n_positions}. The most likely next token is {best}. "
            "Equal means equal up to [rounding](term:rounding): here {error:delta}.",
            "只有一个位置走完了模型，而不是 {n_positions} 个。最可能的下一个 token 是 {best}。相同是指除[舍入"
            "](term:rounding)外相同：这里差 {error:delta}。",
        )
    else:
        headline = Told(
            "The cache gives other logits than a full run: off by {error:delta}",
            "用缓存得到的 logits 与全部重算不同：相差 {error:delta}",
        )
        why = Told(
            "The step of the proof that failed shows up here. No [rounding](term:rounding) is as large as "
            "{error:delta}: this model may not keep its k and v.",
            "证明中不成立的那一步在这里显形。[舍入](term:rounding)不会大到 {error:delta}：这个模型不能照用旧的 k 和"
            " v。",
        )
    concerned = None if s.mistake.on_the_edit else wrong
    return Narration(
        id="logits",
        title=Text("Logits", "得到 logits"),
        headline=headline.on(names(s), step),
        why=why.on(step, s, best=letter(int(step.logits.argmax()))),
        facts=_facts(step, concerned),
        wrong=MISTAKES.beside(s, concerned, lambda wrong: _verdict(s, step, wrong)),
        row=row(off=(wrong or step).error),
    )


def asked_next(s: Scenario, step: AskedNext, wrong: AskedNext | None) -> Narration:
    if holds(step.error):
        headline = Told(
            "{asked} gets the answer of a full run, to within {error:delta}",
            "{asked} 得到的结果与全部重算相同，相差不超过 {error:delta}",
        )
        why = Told(
            "A cached row is valid as long as everything it was computed from is the same: tokens, positions, "
            "weights, and what could be seen. Its age does not matter.",
            "缓存的一行由 token、位置、权重和可见集合算出。这些都没变，它就有效；变了一样，它就作废。存了多久并不重"
            "要。",
        )
    else:
        headline = Told(
            "Appending {asked} changes old k and v again: off by {error:delta}",
            "追加 {asked} 又改变了旧的 k 和 v：相差 {error:delta}",
        )
        why = Told(
            "In a model that looks forward, appending changes old rows, even in a cache that was right a moment ago. "
            "{new} was no exception.",
            "在能向后看的模型里，追加就会改动旧行，哪怕缓存刚刚还是对的。{new} 也不例外。",
        )
    concerned = wrong if s.mistake.on_the_edit else None
    return Narration(
        id="edit/ask",
        title=Told("Ask {asked}", "询问 {asked}").on(names(s)),
        headline=headline.on(names(s), step),
        why=why.on(names(s)),
        facts=_facts(step, concerned),
        wrong=MISTAKES.beside(s, concerned, lambda wrong: _verdict(s, step, wrong)),
        row=row(off=(wrong or step).error),
    )


def _facts(step: NextToken | AskedNext, wrong: NextToken | AskedNext | None) -> Facts:
    head = (Text("logits", "各 logits"), Text("largest |Δ|", "最大 |Δ|"))
    right = (Text("cache against a full run", "用缓存与全部重算之差"), delta(step.error))
    if wrong is None:
        return Facts(head, (right,), frozenset({0}))
    off = (Text("wrong way against right", "错误做法与正确之差"), delta(_off(step, wrong)))
    return Facts(head, (right, off), frozenset({0}), frozenset({1} if apart(step, wrong) else ()))


def _off(step: NextToken | AskedNext, wrong: NextToken | AskedNext) -> float:
    return float(np.abs(wrong.logits - step.logits).max())


def _verdict(s: Scenario, step: NextToken | AskedNext, wrong: NextToken | AskedNext) -> Text:
    off = _off(step, wrong)
    if not apart(step, wrong):
        return MISTAKES.invisible(s)
    if s.mistake is not Mistake.EDITED_ONLY:
        return Told(
            "its logits are off by {off:delta}, and nothing warned.", "它的 logits 偏差 {off:delta}，而且没有任何报错。"
        ).on(off=off)
    *_, stale = trace(replace(s, mistake=Mistake.KEEP_ALL))
    assert isinstance(stale, AskedNext)
    if off < stale.error:
        verdict = Text("Smaller, and still wrong", "虽然小些，但仍是错的")
    else:
        verdict = Text("No smaller, and just as wrong", "并不更小，同样是错的")
    return Told(
        "its logits are off by {off:delta}, where keeping the whole old cache gives {stale:delta}. {verdict}: it is "
        "no rounding. Every row behind the edit that looked at the old token remembers it.",
        "它的 logits 偏差 {off:delta}，而照用整个旧缓存时偏差 {stale:delta}。{verdict}：这不是舍入。编辑之后凡是看"
        "过旧 token 的行，都还记着它。",
    ).on(off=off, stale=stale.error, verdict=verdict)
