"""All keys are read: the one division."""

from __future__ import annotations

from engine.online_softmax import Divide, Scenario
from lessons.kit.format import vector
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.online_softmax.mistakes import MISTAKES
from lessons.online_softmax.steps.table import before_and_after, row, three


def divide(s: Scenario, step: Divide, wrong: Divide | None) -> Narration:
    if step.held.l == 0:
        headline = Text("Nothing was visible, so the output is 0", "没有可见的键，输出为 0")
        why = Text(
            "Every key is masked: ℓ is 0 and there is nothing to divide. By convention the output is 0, as in "
            "PyTorch’s attention, and the [log-sum-exp](term:lse) is −∞; a bare softmax would give NaN.",
            "所有键都被屏蔽：ℓ 为 0，没有可除的东西。按约定输出为 0（与 PyTorch 的注意力一致），"
            "[log-sum-exp](term:lse) 为 −∞；直接套 softmax 公式会得到 NaN。",
        )
    else:
        headline = Text("All keys are read: divide once", "所有键都读完了：只除这一次")
        why = Told(
            r"$o = u / \ell$, that is ({held.u:vector}) ÷ {held.l} = ({output:vector}). Only m, ℓ and u were ever "
            "kept; no score outlived its tile.",
            r"$o = u / \ell$，即（{held.u:vector}）÷ {held.l} =（{output:vector}）。自始至终只保存 m、ℓ、u；没有哪个"
            "分数比它所在的分块活得更久。",
        ).on(step)
    did = Told(
        "divides ({held.u:vector}) by {held.l}: ({output:vector}).",
        "用（{held.u:vector}）除以 {held.l}，得（{output:vector}）。",
    )
    own = wrong or step
    return Narration(
        id="divide",
        title=Text("Divide once", "最后除一次"),
        headline=headline,
        why=why,
        facts=before_and_after((*three(step.held), ""), _after(step), _after(wrong) if wrong else None),
        wrong=MISTAKES.beside(s, wrong, did.on),
        row=row(s, None, own.held),
    )


def _after(step: Divide) -> tuple[str, ...]:
    return (*three(step.held), vector(step.output))
