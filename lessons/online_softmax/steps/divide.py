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
        headline = Text("No key was visible, so the output is 0", "没有可见的键，输出为 0")
        why = Text(
            "ℓ is 0, so there is nothing to divide by. By convention the output is 0, as in PyTorch’s attention, and "
            "the [log-sum-exp](term:lse) is −∞. The bare softmax formula would give NaN.",
            "ℓ 为 0，无法相除。按约定输出为 0（与 PyTorch 的注意力一致），[log-sum-exp](term:lse) 为 −∞。直接套 "
            "softmax 公式会得到 NaN。",
        )
    else:
        headline = Told(
            "All keys are read, and one division gives the output ({output:vector})",
            "键都读完了，除一次就得到输出（{output:vector}）",
        ).on(step)
        why = Told(
            r"$o = u / \ell$ = ({held.u:vector}) ÷ {held.l}. From tile to tile the kernel kept only m, ℓ and u, "
            "{n:number} in all; it discarded every score with its tile.",
            r"$o = u / \ell$ =（{held.u:vector}）÷ {held.l}。块与块之间内核只保存 m、ℓ、u，共 {n} 个数；每个分数用完即"
            r"弃，"
            "不会留到下一个分块。",
        ).on(step, n=2 + s.d)
    own = wrong or step
    return Narration(
        id="divide",
        title=Text("Divide once", "最后除一次"),
        headline=headline,
        why=why,
        facts=before_and_after((*three(step.held), ""), _after(step), _after(wrong) if wrong else None),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: _did(step, wrong)),
        row=row(s, None, own.held),
    )


def _after(step: Divide) -> tuple[str, ...]:
    return (*three(step.held), vector(step.output))


def _did(step: Divide, wrong: Divide) -> Text | None:
    if wrong.held == step.held:
        return None
    if wrong.held.l == 0:
        return Text("its ℓ is 0, so it can only give 0.", "它的 ℓ 是 0，只能输出 0。")
    return Told(
        "it divides ({held.u:vector}) by {held.l} and gets ({output:vector}).",
        "它用（{held.u:vector}）除以 {held.l}，得（{output:vector}）。",
    ).on(wrong)
