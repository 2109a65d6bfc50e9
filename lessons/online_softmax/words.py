"""Every sentence of the lesson, both languages side by side. Numbers come from the step."""

from __future__ import annotations

import math

from engine.attention import exp_limit, score_table_bytes
from engine.online_softmax import (
    AddTile,
    Check,
    CompareMax,
    Divide,
    Mistake,
    ReadTile,
    Scenario,
    Shrink,
    State,
    Step,
    WholeTable,
    trace,
)
from lessons.kit.format import count, fixed, short, size, tex, vector
from lessons.kit.lesson import Facts, Narration
from lessons.kit.text import Text, paragraphs, same
from lessons.online_softmax.asks import ask
from lessons.online_softmax.tiles import LONG, names

TITLE = Text("Online softmax", "在线 softmax")
QUESTION = Text(
    "How can the output be right if the table of scores is never stored?",
    "不保存整张分数表，输出为什么仍然正确？",
)

MISTAKES: dict[Mistake, Text] = {
    Mistake.NONE: Text("none", "不比较"),
    Mistake.NO_RESCALE: Text("maximum rises, ℓ and u stay", "最大值升了，ℓ、u 都不缩放"),
    Mistake.RESCALE_L_ONLY: Text("only ℓ is rescaled", "只缩放 ℓ"),
    Mistake.RESCALE_U_ONLY: Text("only u is rescaled", "只缩放 u"),
    Mistake.TILE_MAX: Text("weights use the tile’s own maximum", "权重用本分块自己的最大值"),
    Mistake.NO_MAX: Text("no maximum is subtracted", "不减最大值"),
}


def _tile_id(step: ReadTile | CompareMax | Shrink | AddTile, what: str) -> str:
    return f"tile-{step.tile.index + 1}/{what}"


def narrate(scenario: Scenario, step: Step, wrong: Step | None) -> Narration:
    """One step in words, with a paragraph on the wrong way where a mistake is chosen."""
    text = paragraphs(_explain(scenario, step), _wrong(scenario, step, wrong) if wrong is not None else same(""))
    id_, title = _name(scenario, step)
    return Narration(id_, title, headline(scenario, step), text, _facts(step, wrong), ask(scenario, step))


def _name(scenario: Scenario, step: Step) -> tuple[str, Text]:
    match step:
        case WholeTable():
            return "table", Text("The whole table", "整张分数表")
        case ReadTile(tile=tile):
            return _tile_id(step, "read"), Text("Read ", "读入 ") + names(scenario, tile, markdown=False)
        case CompareMax():
            return _tile_id(step, "max"), Text("Compare the maximum", "比较最大值")
        case Shrink():
            return _tile_id(step, "shrink"), Text("Shrink what we hold", "缩小已有累计")
        case AddTile(tile=tile):
            return _tile_id(step, "add"), Text("Add ", "加入 ") + names(scenario, tile, markdown=False)
        case Divide():
            return "divide", Text("Divide once", "最后除一次")
        case Check():
            return "check", Text("Check", "核对")


def headline(scenario: Scenario, step: Step, *, markdown: bool = True) -> Text:
    """What happened, in one sentence."""
    match step:
        case WholeTable():
            return Text(
                "The plain way keeps every score until the softmax is done", "普通写法要把所有分数留到 softmax 算完"
            )
        case ReadTile(tile=tile):
            who = names(scenario, tile, markdown=markdown)
            several = len(tile.keys) > 1
            return Text(f"{who.en} arrive{'' if several else 's'}; nothing held has changed yet",
                        f"{who.zh} 到来；已有累计暂时不变")  # fmt: skip
        case CompareMax(m_old=old, m_tile=tile_max, m_new=new):
            if tile_max == -math.inf:
                return Text(
                    "Every key of this tile is masked, so the maximum cannot rise", "本分块的键全被屏蔽，最大值不会上升"
                )
            if old == -math.inf:
                return Text(f"The first maximum is {short(new)}", f"第一个最大值是 {short(new)}")
            if new > old:
                return Text(
                    f"The maximum rises from {short(old)} to {short(new)}", f"最大值从 {short(old)} 升到 {short(new)}"
                )
            return Text(f"The maximum stays {short(new)}", f"最大值仍是 {short(new)}")
        case Shrink(m_old=old, m_new=new):
            return Text(
                f"The maximum rose from {short(old)} to {short(new)}, so what we hold must change scale",
                f"最大值从 {short(old)} 升到 {short(new)}，已有累计必须换基准",
            )
        case AddTile(tile=tile, after=after):
            who = names(scenario, tile, markdown=markdown)
            if after.m == -math.inf:
                return Text(f"{who.en}: masked, so nothing is added", f"{who.zh}：被屏蔽，什么也不加")
            return Text(f"Add {who.en}, measured against {short(float(after.m))}",
                        f"以 {short(float(after.m))} 为基准加入 {who.zh}")  # fmt: skip
        case Divide(held=held):
            if held.l == 0:
                return Text("Nothing was visible, so the output is 0", "没有可见的键，输出为 0")
            return Text("All keys are read: divide once", "所有键都读完了：只除这一次")
        case Check(error=error):
            if error == 0:
                return Text(
                    "The same output as softmax at once, here to the last bit",
                    "与一次算完的 softmax 相同，这里连最后一位也一致",
                )
            return Text(
                f"The same output as softmax at once, to within {fixed(error)}",
                f"与一次算完的 softmax 相同，相差不超过 {fixed(error)}",
            )


def _explain(scenario: Scenario, step: Step) -> Text:
    match step:
        case WholeTable():
            return _whole_table(scenario)
        case ReadTile():
            return _read(step)
        case CompareMax():
            return _compare(step)
        case Shrink(m_old=old, m_new=new, alpha=a):
            formula = rf"$\alpha = e^{{{tex(short(old))} - ({tex(short(new))})}} = {tex(fixed(a))}$"
            if new >= 0:
                formula = rf"$\alpha = e^{{{tex(short(old))} - {tex(short(new))}}} = {tex(fixed(a))}$"
            return Text(
                f"Everything held was measured against {short(old)}. Before the tile is added, both the "
                f"[denominator](term:denominator) ℓ and the [accumulator](term:accumulator) u are multiplied by "
                f"{formula}. Their quotient does not move; forget either one and the tiles no longer share a scale.",
                f"手中的一切都以 {short(old)} 为基准。加入本分块之前，[分母](term:denominator) ℓ 和"
                f"[累加器](term:accumulator) u 都要乘以 {formula}。两者之商不变；漏掉任何一个，各分块就不在同一基准上。",
            )
        case AddTile():
            return _add(scenario, step)
        case Divide(held=held, output=o):
            if held.l == 0:
                return Text(
                    "Every key is masked: ℓ is 0 and there is nothing to divide. By convention the output is 0, as in "
                    "PyTorch’s attention, and the [log-sum-exp](term:lse) is −∞; a bare softmax would give NaN.",
                    "所有键都被屏蔽：ℓ 为 0，没有可除的东西。按约定输出为 0（与 PyTorch 的注意力一致），"
                    "[log-sum-exp](term:lse) 为 −∞；直接套 softmax 公式会得到 NaN。",
                )
            return Text(
                f"$o = u / \\ell$, that is ({vector(held.u.tolist())}) ÷ {fixed(float(held.l))} = ({vector(o)}). Only m, ℓ and "
                "u were ever kept; no score outlived its tile.",
                f"$o = u / \\ell$，即（{vector(held.u.tolist())}）÷ {fixed(float(held.l))} =（{vector(o)}）。"
                "自始至终只保存 m、ℓ、u；没有哪个分数比它所在的分块活得更久。",
            )
        case Check(error=error):
            if error == 0:
                return Text(
                    "Tile by tile and at once give the same floating-point numbers here. That is these numbers’ luck: sums "
                    "rounded in another order may part in the last bit, so compare with a tolerance.",
                    "这组数字上分块与一次算完得到同样的浮点数。这只是碰巧：求和次序不同，末位可能不同，所以要用容差比较。",
                )
            return Text(
                "Mathematically the two are equal. In [floating point](term:rounding) each sum is rounded as it goes, and tiles "
                "sum in another order, so the last bits may differ: *exact* means nothing was dropped or approximated, not "
                "bit-identical.",
                "数学上二者相等。[浮点](term:rounding)求和每一步都要舍入，分块又换了次序，所以末几位可能不同："
                "“精确”是指没有丢弃或近似任何一项，并不是逐位相同。",
            )


def _whole_table(scenario: Scenario) -> Text:
    t = LONG[1]
    table = score_table_bytes(t, t, itemsize=2)
    n = len(scenario.scores)
    return Text(
        f"For {count(t)} tokens every head of every layer has {count(t)} × {count(t)} = {count(t * t)} scores: {size(table)} in "
        "float16. Written to [slow memory](term:hbm), read for the [softmax](term:softmax), written again as weights, read "
        f"again for the sum. The trick is to need none of it twice. Follow one row: one query, {count(n)} "
        f"key{'s' * (n != 1)}, read [tile](term:tile) by tile.",
        f"{count(t)} 个 token 时，每层每个头都有 {count(t)} × {count(t)} = {count(t * t)} 个分数：float16 下就是 {size(table)}。"
        "先写入[慢速显存](term:hbm)，再读出来做 [softmax](term:softmax)，写回权重，加权求和时又读一遍。"
        f"窍门是让每个分数只用一次。下面跟踪其中一行：一个查询、{count(n)} 个键，按[分块](term:tile)读取。",
    )


def _read(step: ReadTile) -> Text:
    n = len(step.tile.keys)
    if step.tile.index == 0:
        return Text(
            f"A [tile](term:tile) of {n} key{'s' * (n > 1)} is brought into [fast memory](term:sram): scores and values. Nothing is "
            "held yet: m = −∞, ℓ = 0, u = 0.",
            f"把 {n} 个键的[分块](term:tile)（分数和值）搬进[快速片上内存](term:sram)。手中还什么都没有：m = −∞，ℓ = 0，u = 0。",
        )
    return Text(
        "What is held stands for all keys read so far. A new key has no weight until its score has been compared with "
        "the maximum.",
        "手中的三个量代表此前读过的所有键。新来的键要先与最大值比较，才谈得上权重。",
    )


def _compare(step: CompareMax) -> Text:
    old, tile_max, new = step.m_old, step.m_tile, step.m_new
    if tile_max == old == -math.inf:
        return Text(
            "A [masked](term:mask) score is −∞ and weighs 0. The maximum is still −∞, and ℓ and u stay 0. Code that "
            "computes −∞ − (−∞) here gets NaN and never loses it.",
            "被[屏蔽](term:mask)的分数是 −∞，权重为 0。最大值仍是 −∞，ℓ、u 仍为 0。若代码在这里计算 −∞ − (−∞)，"
            "就会得到 NaN，并且再也摆脱不掉。",
        )
    if tile_max == -math.inf:
        return Text(
            f"A [masked](term:mask) score is −∞, and e^(−∞ − {_bracketed(old)}) = 0. The maximum, ℓ and u stay as they are. A finite "
            "maximum makes this harmless; in a masked first tile −∞ − (−∞) would be NaN.",
            f"被[屏蔽](term:mask)的分数是 −∞，而 e^(−∞ − {_bracketed(old)}) = 0。最大值、ℓ、u 都保持不变。最大值有限，所以无害；"
            "若第一个分块全被屏蔽，−∞ − (−∞) 就成了 NaN。",
        )
    if old == -math.inf:
        return Text(
            f"{short(new)} will be subtracted from every score before [exp](term:exp), so no power can overflow. Nothing is held "
            "yet, so nothing needs a new scale.",
            f"取 [exp](term:exp) 之前，每个分数都先减去 {short(new)}，指数就不会溢出。手中还没有累计，所以不必换基准。",
        )
    if new > old:
        return Text(
            f"The tile’s largest score is {short(tile_max)}, above {short(old)}. From now on {short(new)} is subtracted; what we hold was "
            f"measured against {short(old)} and must change scale before anything is added.",
            f"本分块最大的分数是 {short(tile_max)}，高于 {short(old)}。从现在起改减 {short(new)}；手中的累计仍以 {short(old)} "
            "为基准，必须先换基准才能相加。",
        )
    return Text(
        f"The tile’s largest score is {short(tile_max)}, not above {short(old)}. What we hold already has the right scale: α = "
        f"e^({short(old)} − {_bracketed(new)}) = 1, and nothing shrinks.",
        f"本分块最大的分数是 {short(tile_max)}，没有超过 {short(old)}。手中的累计基准不变：α = e^({short(old)} − {_bracketed(new)}) = 1，"
        "不需要缩小。",
    )


def _add(scenario: Scenario, step: AddTile) -> Text:
    if step.after.m == -math.inf:
        return Text(
            "Each weight is 0: ℓ and u stay 0. A later tile can still bring something visible.",
            "每个权重都是 0：ℓ 和 u 仍为 0。后面的分块仍可能带来可见的键。",
        )
    weights = [
        rf"$e^{{{tex(short(scenario.scores[key]))} - {_minus(step.reference)}}} = {tex(fixed(p))}$"
        for key, p in zip(step.tile.keys, step.p, strict=True)
    ][:3]
    more = Text(", …", "、…") if len(step.p) > 3 else same("")
    listed = Text(", ".join(weights), "、".join(weights)) + more
    total = sum(step.p)
    added = (step.after.u - step.before.u).tolist()
    return Text(
        f"Weight $p = e^{{s - m}}$: {listed.en}. ℓ grows by {'their sum' if len(step.p) > 1 else 'p'} = {fixed(total)}, u by "
        f"{'Σ p v' if len(step.p) > 1 else 'p v'} = ({vector(added)}). The scores are now done with.",
        f"权重 $p = e^{{s - m}}$：{listed.zh}。ℓ 增加{'它们的和' if len(step.p) > 1 else ' p'} = {fixed(total)}，u 增加 "
        f"{'Σ p v' if len(step.p) > 1 else 'p v'} =（{vector(added)}）。这些分数从此不再需要。",
    )


def _bracketed(x: float) -> str:
    """A subtrahend in a sentence: negative ones in brackets."""
    return short(x) if x >= 0 else f"({short(x)})"


def _minus(x: float) -> str:
    """A subtrahend in a formula: negative ones in brackets."""
    return tex(short(x)) if x >= 0 else f"({tex(short(x))})"


# --- the table beside the sentence


def _facts(step: Step, wrong: Step | None) -> Facts | None:
    match step:
        case WholeTable():
            return None
        case Check(output=o, plain=plain, error=error):
            rows: list[tuple[Text | str, ...]] = [
                (Text("tile by tile", "分块累计"), vector(o)),
                (Text("softmax at once", "一次算完"), vector(plain)),
                (Text("largest |difference|", "最大差"), fixed(error) if error else "0"),
            ]
            if isinstance(wrong, Check):
                rows += [
                    (Text("wrong way", "错误做法"), vector(wrong.output)),
                    (Text("off by", "偏差"), fixed(wrong.error) if wrong.error else "0"),
                ]
            off = isinstance(wrong, Check) and differs(step, wrong)
            return Facts(("", "o"), tuple(rows), frozenset({2}), frozenset({3, 4} if off else ()))
    before, after = _three(_sides(step)[0]), _after(step)
    head: tuple[Text | str, ...] = ("", Text("before", "之前"), Text("after", "之后"))
    table: list[tuple[Text | str, ...]] = list(zip("mℓu", before, after, strict=True))
    if isinstance(step, Divide):
        table.append(("o", "", vector(step.output)))
    changed = frozenset(i for i, (_, a, b) in enumerate(table) if a != b)
    if wrong is not None:
        other = (*_after(wrong), *((vector(wrong.output),) if isinstance(wrong, Divide) else ()))
        spoilt = frozenset(i for i, (line, word) in enumerate(zip(table, other, strict=True)) if word != line[-1])
        head = (*head, Text("wrong way", "错误做法"))
        table = [(*line, word) for line, word in zip(table, other, strict=True)]
        return Facts(head, tuple(table), changed, spoilt)
    return Facts(head, tuple(table), changed)


def _after(step: Step) -> tuple[str, str, str]:
    """m, ℓ, u once the step is done; a comparison already names the maximum to come."""
    m, l, u = _three(_sides(step)[1])
    return (short(step.reference) if isinstance(step, CompareMax) else m), l, u


def _sides(step: Step) -> tuple[State, State]:
    """What is held before and after a step; a step that only looks leaves it as it is."""
    match step:
        case Shrink(before=before, after=after) | AddTile(before=before, after=after):
            return before, after
        case ReadTile(held=held) | CompareMax(held=held) | Divide(held=held) | Check(held=held):
            return held, held
        case WholeTable():
            raise ValueError("step: nothing is held before the first tile")


def _three(state: State) -> tuple[str, str, str]:
    return short(float(state.m)), fixed(float(state.l)), vector(state.u.tolist())


# --- the wrong way, beside it


def _wrong(scenario: Scenario, step: Step, wrong: Step) -> Text:
    """What the chosen mistake does in this step."""
    lead = Text(
        f"**✗ Wrong way** ({MISTAKES[scenario.mistake].en}): ", f"**✗ 错误做法**（{MISTAKES[scenario.mistake].zh}）："
    )
    match step, wrong:
        case WholeTable(), _:
            return lead + Text("runs beside the right one in the next steps.", "从下一步起与正确做法并排计算。")
        case Shrink(), Shrink():
            return lead + _wrong_shrink(scenario, wrong)
        case AddTile(), AddTile() if wrong.p != step.p:
            return lead + _wrong_weights(scenario, wrong)
        case Check(), Check():
            return lead + _verdict(scenario, step, wrong)
        case Divide(), Divide():
            return lead + Text(f"divides ({vector(wrong.held.u.tolist())}) by {fixed(float(wrong.held.l))}: ({vector(wrong.output)}).",
                               f"用（{vector(wrong.held.u.tolist())}）除以 {fixed(float(wrong.held.l))}，得（{vector(wrong.output)}）。")  # fmt: skip
    held, other = _sides(step)[1], _sides(wrong)[1]
    if held == other:
        return lead + Text("no difference so far.", "到目前为止没有差别。")
    return lead + Text(f"holds ℓ = {fixed(float(other.l))}, u = ({vector(other.u.tolist())}).",
                       f"手中是 ℓ = {fixed(float(other.l))}，u =（{vector(other.u.tolist())}）。")  # fmt: skip


def _wrong_shrink(scenario: Scenario, wrong: Shrink) -> Text:
    l, u = fixed(float(wrong.after.l)), vector(wrong.after.u.tolist())
    match scenario.mistake:
        case Mistake.NO_RESCALE:
            return Text(
                f"m becomes {short(wrong.m_new)}, but ℓ = {l} and u = ({u}) stay on the old scale. Two scales are now mixed in one sum.",
                f"m 改成了 {short(wrong.m_new)}，但 ℓ = {l}、u =（{u}）仍在旧基准上。两种基准从此混在一个和里。",
            )
        case Mistake.RESCALE_L_ONLY:
            return Text(f"ℓ shrinks to {l}; u = ({u}) stays too large.", f"ℓ 缩到 {l}；u =（{u}）没有缩，偏大。")
        case Mistake.RESCALE_U_ONLY:
            return Text(f"u shrinks to ({u}); ℓ = {l} stays too large.", f"u 缩到（{u}）；ℓ = {l} 没有缩，偏大。")
        case Mistake.NO_MAX:
            return Text(
                f"nothing is ever subtracted, so nothing shrinks: ℓ = {l}, u = ({u}), on a scale that only grows.",
                f"从不减最大值，也就不缩小：ℓ = {l}，u =（{u}），数值只会越来越大。",
            )
        case _:
            return Text("shrinks as it should; its slip is in the weights.", "这一步缩放正确；它错在权重上。")


def _wrong_weights(scenario: Scenario, wrong: AddTile) -> Text:
    p = vector(wrong.p[:3]) + (", …" if len(wrong.p) > 3 else "")
    if scenario.mistake is Mistake.NO_MAX:
        return Text(f"p = e^s = {p}, with nothing subtracted.", f"p = e^s = {p}，什么也没减。")
    return Text(
        f"subtracts the tile’s own maximum {short(wrong.reference)} instead of {short(float(wrong.after.m))}: p = {p}, too "
        "large beside what is held.",
        f"减的是本分块自己的最大值 {short(wrong.reference)}，而不是 {short(float(wrong.after.m))}：p = {p}，与已有累计相比偏大。",
    )


def differs(right: Check, wrong: Check) -> bool:
    """Whether a mistake changed the output by more than rounding does."""
    largest = max(1.0, *(abs(x) for x in right.plain))
    return not wrong.error <= 1e-9 * largest  # NaN differs


def _verdict(scenario: Scenario, right: Check, wrong: Check) -> Text:
    if differs(right, wrong):
        if math.isnan(wrong.error):
            return Text(
                f"its output is ({vector(wrong.output)}): exp overflowed to ∞, and ∞ ÷ ∞ is not a number.",
                f"输出是（{vector(wrong.output)}）：exp 溢出成 ∞，而 ∞ ÷ ∞ 不是数。",
            )
        return Text(
            f"its output is ({vector(wrong.output)}), off by {fixed(wrong.error)}. Nothing warned: the numbers look plausible.",
            f"输出是（{vector(wrong.output)}），偏差 {fixed(wrong.error)}。没有任何报错：这些数看上去很正常。",
        )
    return Text("**invisible on these inputs**, because ", "**在这组输入上看不出来**，因为") + why_invisible(scenario)


def why_invisible(scenario: Scenario) -> Text:
    """Why the chosen mistake makes no difference to the output on these inputs."""
    mistake = scenario.mistake
    steps = list(trace(scenario))
    shrinks = [step for step in steps if isinstance(step, Shrink)]
    lower = [s for s in steps if isinstance(s, CompareMax) and -math.inf < s.m_tile < s.m_new]
    if mistake is Mistake.NO_MAX:
        limit = exp_limit("float64")
        return Text(
            f"no score is above {fixed(limit, 2)}, where exp overflows in float64. In float16 the limit is {fixed(exp_limit('float16'), 2)}: "
            "try scores near 10 000.",
            f"没有分数超过 {fixed(limit, 2)}，float64 的 exp 到那里才溢出。float16 的界限只有 {fixed(exp_limit('float16'), 2)}："
            "请试试 10 000 附近的分数。",
        )
    if mistake is Mistake.TILE_MAX and not lower:
        return Text(
            "in every tile the tile’s own maximum *is* the running one. A later tile with a lower maximum would show it.",
            "每个分块自己的最大值恰好就是当前最大值。后面若有一个分块的最大值更低，错误就会显形。",
        )
    if mistake is not Mistake.TILE_MAX and not shrinks:
        if len(scenario.tiles) == 1:
            return Text(
                "all keys sit in one tile: the maximum is known before anything is held, so there is never anything to rescale.",
                "所有键都在同一个分块里：在有任何累计之前就知道了最大值，根本没有东西要缩放。",
            )
        return Text(
            "the maximum never rises after the first visible tile: every α is 1, and leaving out a factor of 1 changes nothing. Put a "
            "lower score in an earlier tile, or make the tiles smaller.",
            "在第一个可见的分块之后最大值再也没有上升：每个 α 都是 1，漏乘 1 没有影响。把较低的分数放到前面的分块里，或把分块改小。",
        )
    if len(set(scenario.values)) == 1:
        return Text(
            "all values are alike: any weights that share one total give the same average.",
            "所有的值都一样：只要分子分母用同一套权重，平均值就不变。",
        )
    return Text(
        "what it gets wrong is multiplied by zero, or too small to see, here.",
        "它弄错的部分在这里恰好乘了零，或小得看不出来。",
    )


# --- the matter around the player

WHY = Text(
    """
Attention turns a row of scores into weights with [softmax](term:softmax) and then averages the values with them. The plain way first writes
all scores of all queries into slow memory, reads them back for the softmax, writes the weights, and reads those back for the average. For long
sequences this table dwarfs queries, keys and values; on today’s accelerators moving it, not computing it, sets the pace.

Softmax looks as if it needed the whole row at once: its denominator is a sum over all keys, and to keep exp from overflowing one
subtracts the largest score, known only at the end. Online softmax removes both reasons. It reads the keys tile by tile and keeps three things: the
[maximum](term:maximum) so far, the [denominator](term:denominator) and the [accumulator](term:accumulator).
""",
    """
注意力先用 [softmax](term:softmax) 把一行分数变成权重，再用权重对值求加权平均。普通写法先把所有查询的全部分数写进慢速显存，
读出来做 softmax，写回权重，再读出来求平均。序列一长，这张表就远大于查询、键和值；在如今的加速器上，拖慢速度的是搬运它，而不是计算它。

softmax 看上去必须一次拿到整行：分母要对所有键求和；为了防止 exp 溢出还要减去最大的分数，而最大值要到最后才知道。
在线 softmax 同时去掉了这两个理由。它按分块读取键，只保存三样东西：目前的[最大值](term:maximum)、[分母](term:denominator)和[累加器](term:accumulator)。
""",
)

HOW = Text(
    r"""
Hold $m$ (largest score so far), $\ell$ and $u$, all measured against $m$. For each tile with scores $s_j$ and values $v_j$:

1. $m_{new} = \max(m, \max_j s_j)$ and $\alpha = e^{m - m_{new}}$
2. $\ell \leftarrow \alpha\,\ell + \sum_j e^{s_j - m_{new}}$
3. $u \leftarrow \alpha\,u + \sum_j e^{s_j - m_{new}} v_j$

As long as $m_{new}$ is $-\infty$, every weight is 0 and $\alpha$ is taken as 0: $-\infty - (-\infty)$ is never computed.

After the last tile $o = u / \ell$. Two partial results merge by the same rule, up to rounding in any order and grouping: that is how long contexts are split over
many processors and put together again. Many published kernels call $u$ `acc`, and fold the scale $1/\sqrt{d}$ into a base-2 exponential; the idea is the same.
""",
    r"""
手中保存 $m$（目前最大的分数）、$\ell$ 和 $u$，后两者都以 $m$ 为基准。对每个分块的分数 $s_j$ 和值 $v_j$：

1. $m_{new} = \max(m, \max_j s_j)$，$\alpha = e^{m - m_{new}}$
2. $\ell \leftarrow \alpha\,\ell + \sum_j e^{s_j - m_{new}}$
3. $u \leftarrow \alpha\,u + \sum_j e^{s_j - m_{new}} v_j$

只要 $m_{new}$ 还是 $-\infty$，权重就都取 0，$\alpha$ 也取 0：绝不去算 $-\infty - (-\infty)$。

读完最后一个分块，$o = u / \ell$。两份部分结果也按同一规则合并，次序和分组随意（只差舍入）：长上下文正是这样拆给许多处理器、再拼回来的。
许多公开的内核把 $u$ 叫作 `acc`，并把缩放 $1/\sqrt{d}$ 并进以 2 为底的指数；道理是一样的。
""",
)

LIMITS = Text(
    """
- It saves **bytes moved** and the **resident** table. It saves no work: every query still meets every key, so the number of pairs stays quadratic, and
  each rise of the maximum adds a few multiplications.
- It is exact, but not bit-identical: sums rounded in another order differ in the last bits. Accumulators in low precision can lose far more (see Explore).
- It is one query’s inner loop. A real kernel handles many queries at once, fuses mask and scale, and must fit the hardware; for short sequences or
  unsuitable shapes the gain can vanish. Nothing on this page is a speed measurement.
- A stale maximum is not always wrong. Some kernels skip small rescales on purpose; that is right as long as the new tile is measured against the
  *same* old reference.
- A key that is masked must weigh exactly 0. A large negative stand-in such as −10 000 fails as soon as real scores are that low.
""",
    """
- 它省的是**搬运的字节**和**驻留**的那张表，不省计算：每个查询仍要遇到每个键，配对数仍是平方级；每次最大值上升还要多做几次乘法。
- 它是精确的，但不是逐位相同：求和次序不同，末几位就可能不同。低精度的累加器可能差得多得多（见“探索”）。
- 这里只是一个查询的内层循环。真正的内核同时处理许多查询，融合掩码与缩放，还要适配硬件；序列短或形状不合适时，收益可能消失。
  本页没有任何速度测量。
- 沿用旧的最大值不一定错。有些内核会有意跳过小的缩放；只要新分块也用**同一个**旧基准，结果就是对的。
- 被屏蔽的键权重必须恰好为 0。用 −10 000 之类的大负数代替，一旦真实分数也这么低就会出错。
""",
)

CHECK = Text(
    """
Compare with the plain formula, softmax over all keys at once, in float64, within a tolerance: never bit for bit. Use inputs on which every slip shows: a
maximum that rises after the first tile, a later tile below the maximum, a first tile fully masked, a number of keys that the tile size
does not divide. For low precision compare both, tiles and plain formula, with the float64 answer; comparing them with each other proves
little. Then measure on your own hardware: a count is not a speed-up.
""",
    """
与 float64 下一次算完的 softmax 公式比较，用容差，绝不逐位比较。要选能让每种错误显形的输入：第一个分块之后最大值上升、
后面有一个分块低于最大值、第一个分块全被屏蔽、键的个数不能被分块大小整除。低精度时，把分块结果和普通公式都与 float64 答案比；
两者互相比说明不了什么。然后在自己的硬件上实测：计数不等于加速。
""",
)

FOLLOW_UPS = (
    (
        Text("If it is exact, why is the result not bit-identical?", "精确为什么不等于逐位相同？"),
        Text(
            "*Exact* says that no term is dropped or approximated, unlike sparse or low-rank attention. Floating-point addition is not "
            "associative: another tile size, another order or a fused multiply-add rounds differently. Choose a tolerance that suits the "
            "precision, and keep rounding apart from randomness.",
            "“精确”指没有丢弃或近似任何一项，与稀疏、低秩注意力相对。浮点加法不满足结合律：换一种分块大小、次序或融合乘加，"
            "舍入就不同。容差要与精度相称；舍入造成的差别，也不要误认成随机性。",
        ),
    ),
    (
        Text("Does it replace the KV cache?", "有了它，还要 KV 缓存吗？"),
        Text(
            "No. This organises how *one* attention is computed and what is moved meanwhile. The KV cache keeps keys and values "
            "from earlier steps. With tiles alone, each new token means computing all old keys and values again; with a cache alone, scores and weights "
            "still travel to slow memory and back. So both are used.",
            "还要，两者管的不是一件事。这里安排的是**一次**注意力怎样计算、其间搬运什么；KV 缓存决定各步之间留下什么。"
            "只有前者，每写一个 token 都要把旧的键和值重算一遍；只有后者，分数和权重照样要写进慢速显存再读回。所以两者并用。",
        ),
    ),
    (
        Text("Does it make attention O(T) in time?", "它把注意力的时间变成 O(T) 了吗？"),
        Text(
            "No. Each of T queries still meets up to T keys: the pairs, and with them the multiplications, stay quadratic. What becomes linear "
            "is the *extra memory*. Traffic to slow memory falls by a factor that grows with fast memory, but stays quadratic in T as well, since the keys are "
            "read again for every tile of queries.",
            "没有。T 个查询各自仍要遇到至多 T 个键：配对数以及乘法次数仍是平方级。变成线性的是**额外内存**。"
            "快速内存越大，对慢速显存的访问量就越少，但它对 T 仍是平方级，因为每个查询分块都要把键重读一遍。",
        ),
    ),
)
