"""What each step is called, in the strip and in the sentences that refer to another step."""

from __future__ import annotations

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
from lessons.kit.text import Text
from lessons.kv_reuse.tokens import holds, letter, together


def name(scenario: Scenario, step: Step) -> tuple[str, Text]:
    """The step's address, the same for the same moment of two Scenarios, and its title."""
    new = letter(scenario.appended)
    match step:
        case Cached():
            return "cached", Text("Cache ", "缓存 ") + together(scenario.tokens)
        case Appended():
            return "append", Text(f"Append {new}", f"追加 {new}")
        case SameInputs():
            return "layer-0/inputs", Text("Same inputs", "输入相同") if holds(step.proof.x[0].max()) else Text(
                "Inputs", "输入"
            )
        case SameView(proof=proof):
            return "layer-0/view", Text("Same view", "可见集合相同") if proof.same_view else Text(
                "Another view", "可见集合变了"
            )
        case SameOutputs(proof=proof):
            good = holds(proof.x[1].max())
            return "layer-0/outputs", Text("Same outputs", "输出相同") if good else Text("Other outputs", "输出变了")
        case NextLayer(layer=layer):
            return f"layer-{layer}/proof", Text(f"Layer {layer}", f"第 {layer} 层")
        case Conclusion(proof=proof):
            return "therefore", Text("Therefore", "结论")
        case Project(layer=layer):
            return f"path-{layer}/project", Text(f"q, k, v in layer {layer}", f"第 {layer} 层的 q、k、v")
        case Look(layer=layer):
            return f"path-{layer}/look", Text(f"Weights in layer {layer}", f"第 {layer} 层的权重")
        case Finish(layer=layer):
            if layer == scenario.n_layers - 1:
                return f"path-{layer}/finish", Text("Out of the top layer", "走出顶层")
            return f"path-{layer}/finish", Text(f"On to layer {layer + 1}", f"送往第 {layer + 1} 层")
        case NextToken():
            return "logits", Text("Logits", "得到 logits")
        case Replaced():
            was, now = letter(scenario.longer[scenario.edit_at]), letter(scenario.edit_to)
            return "edit/replace", Text(f"Replace {was} by {now}", f"把 {was} 换成 {now}")
        case Mended():
            return "edit/recompute", Text("Recompute", "重算")
        case AskedNext():
            return "edit/ask", Text(f"Ask {letter(scenario.asked)}", f"询问 {letter(scenario.asked)}")
