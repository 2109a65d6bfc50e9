"""The small table beside a step's sentence."""

from __future__ import annotations

import numpy as np

from engine.kv_reuse import (
    AskedNext,
    Cached,
    Conclusion,
    Look,
    Mended,
    NextLayer,
    NextToken,
    Project,
    SameInputs,
    SameOutputs,
    SameView,
    Scenario,
    Step,
)
from lessons.kit.format import count, size
from lessons.kit.lesson import Facts
from lessons.kit.text import Text
from lessons.kv_reuse.mistakes import ON_THE_EDIT, parts
from lessons.kv_reuse.tokens import delta


def facts(scenario: Scenario, step: Step, wrong: Step | None) -> Facts | None:
    """Counts and measured differences of a step; none where it has nothing to count."""
    layers, n = scenario.n_layers, len(scenario.tokens)
    match step:
        case Cached(n_bytes=n_bytes):
            kept = sum(a.size for a in (*step.run.k, *step.run.v))
            return Facts(
                (Text("kept", "保存"), Text("numbers", "个数")),
                (
                    ("k, v", count(kept)),
                    (Text("bytes (8 a number)", "字节（每个数 8 字节）"), size(n_bytes)),
                    ("q", "0"),
                ),
            )
        case (
            SameInputs(proof=proof, layer=layer)
            | SameView(proof=proof, layer=layer)
            | SameOutputs(proof=proof, layer=layer)
            | NextLayer(proof=proof, layer=layer)
        ):
            rows: list[tuple[Text | str, ...]] = [
                (Text("rows of k, v", "k、v 的行数"), "1", str(n) if proof.holds(layer) else "0"),
                (
                    Text("largest |Δ| of k, v", "k、v 的最大 |Δ|"),
                    "",
                    delta(float(max(proof.k[layer].max(), proof.v[layer].max()))),
                ),
            ]
            if not isinstance(step, SameInputs | SameView):
                rows.append(
                    (Text("largest |Δ| of the output", "输出的最大 |Δ|"), "", delta(float(proof.x[layer + 1].max())))
                )
            return Facts(
                (Text(f"layer {layer}", f"第 {layer} 层"), Text("computed", "计算"), Text("kept", "留用")),
                tuple(rows),
                frozenset({1}),
            )
        case Conclusion(proof=proof):
            kept = sum(proof.holds(layer) for layer in range(layers))
            return Facts(
                (Text("all layers", "所有层"), Text("computed", "计算"), Text("kept", "留用")),
                (
                    (Text("rows of k", "k 的行数"), str(layers), str(kept * n)),
                    (Text("rows of v", "v 的行数"), str(layers), str(kept * n)),
                    (Text("rows of q", "q 的行数"), str(layers), Text("not needed", "用不着")),
                ),
                frozenset({0, 1}),
            )
        case Project(layer=layer):
            return Facts(
                (Text(f"layer {layer}", f"第 {layer} 层"), Text("new", "新算"), Text("kept", "留用")),
                (("q", "1", "0"), ("k", "1", str(n)), ("v", "1", str(n))),
                frozenset({1, 2}),
            )
        case Look(s=s, layer=layer):
            seen = int(np.isfinite(s).sum())
            return Facts(
                (Text(f"layer {layer}, one head", f"第 {layer} 层，一个头"), Text("number", "个数")),
                (
                    (Text("scores", "分数"), str(seen)),
                    (Text("rows of k read", "读取 k 的行数"), str(seen)),
                    (Text("rows of v read", "读取 v 的行数"), str(seen)),
                ),
            )
        case NextToken(error=error, logits=logits) | AskedNext(error=error, logits=logits):
            rows = [(Text("cache against a full run", "用缓存与全部重算之差"), delta(error))]
            concerns = isinstance(step, AskedNext) == (scenario.mistake in ON_THE_EDIT)
            if isinstance(wrong, NextToken | AskedNext) and concerns:
                rows.append(
                    (
                        Text("wrong way against right", "错误做法与正确之差"),
                        delta(float(np.abs(wrong.logits - logits).max())),
                    )
                )
            off = wrong is not None and parts(step, wrong)
            return Facts(
                (Text("logits", "各 logits"), Text("largest |Δ|", "最大 |Δ|")),
                tuple(rows),
                frozenset({0}),
                frozenset({1} if off else ()),
            )
        case Mended(computed=computed):
            anew, total = len(computed), len(scenario.longer)
            rows = [
                (Text("positions", "位置数"), str(anew), str(total - anew)),
                (Text("rows of k and of v", "k、v 各几行"), str(anew * layers), str((total - anew) * layers)),
            ]
            return Facts(("", Text("computed", "计算"), Text("kept", "留用")), tuple(rows), frozenset({0, 1}))
        case _:
            return None
