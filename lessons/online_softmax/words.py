"""Every sentence of the lesson, both languages side by side. Numbers come from the step."""

from __future__ import annotations

import math

from engine.attention import score_table_bytes
from engine.online_softmax import (
    AddTile,
    Check,
    CompareMax,
    Divide,
    ReadTile,
    Scenario,
    Shrink,
    Step,
    WholeTable,
)
from lessons.kit.format import count, fixed, short, size, tex, vector
from lessons.kit.lesson import Narration
from lessons.kit.text import Text, paragraphs, same
from lessons.online_softmax.asks import ask
from lessons.online_softmax.facts import facts_of
from lessons.online_softmax.tiles import LONG, names
from lessons.online_softmax.wrong import wrong_way

TITLE = Text("Online softmax", "在线 softmax")
QUESTION = Text(
    "How can the output be right if the table of scores is never stored?",
    "不保存整张分数表，输出为什么仍然正确？",
)


def _tile_id(step: ReadTile | CompareMax | Shrink | AddTile, what: str) -> str:
    return f"tile-{step.tile.index + 1}/{what}"


def narrate(scenario: Scenario, step: Step, wrong: Step | None) -> Narration:
    """One step in words, with a paragraph on the wrong way where a mistake is chosen."""
    text = paragraphs(_explain(scenario, step), wrong_way(scenario, step, wrong) if wrong is not None else same(""))
    id_, title = _name(scenario, step)
    return Narration(id_, title, headline(scenario, step), text, facts_of(step, wrong), ask(scenario, step))


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
            return Text(
                f"{who.en} arrive{'' if several else 's'}; nothing held has changed yet",
                f"{who.zh} 到来；已有累计暂时不变",
            )
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
            return Text(
                f"Add {who.en}, measured against {short(float(after.m))}",
                f"以 {short(float(after.m))} 为基准加入 {who.zh}",
            )
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
                f"[累加器](term:accumulator) u 都要乘以 {formula}。两者之商不变；漏掉任何一个，各分块就不在同一基准"
                "上。",
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
                f"$o = u / \\ell$, that is ({vector(held.u.tolist())}) ÷ {fixed(float(held.l))} = ({vector(o)}). "
                "Only m, ℓ and "
                "u were ever kept; no score outlived its tile.",
                f"$o = u / \\ell$，即（{vector(held.u.tolist())}）÷ {fixed(float(held.l))} =（{vector(o)}）。"
                "自始至终只保存 m、ℓ、u；没有哪个分数比它所在的分块活得更久。",
            )
        case Check(error=error):
            if error == 0:
                return Text(
                    "Tile by tile and at once give the same floating-point numbers here. That is these numbers’ "
                    "luck: sums "
                    "rounded in another order may part in the last bit, so compare with a tolerance.",
                    "这组数字上分块与一次算完得到同样的浮点数。这只是碰巧：求和次序不同，末位可能不同，所以要用容差比"
                    "较。",
                )
            return Text(
                "Mathematically the two are equal. In [floating point](term:rounding) each sum is rounded as it "
                "goes, and tiles "
                "sum in another order, so the last bits may differ: *exact* means nothing was dropped or "
                "approximated, not "
                "bit-identical.",
                "数学上二者相等。[浮点](term:rounding)求和每一步都要舍入，分块又换了次序，所以末几位可能不同："
                "“精确”是指没有丢弃或近似任何一项，并不是逐位相同。",
            )


def _whole_table(scenario: Scenario) -> Text:
    t = LONG[1]
    table = score_table_bytes(t, t, itemsize=2)
    n = len(scenario.scores)
    return Text(
        f"For {count(t)} tokens every head of every layer has {count(t)} × {count(t)} = {count(t * t)} scores: "
        f"{size(table)} in "
        "float16. Written to [slow memory](term:hbm), read for the [softmax](term:softmax), written again as "
        "weights, read "
        f"again for the sum. The trick is to need none of it twice. Follow one row: one query, {count(n)} "
        f"key{'s' * (n != 1)}, read [tile](term:tile) by tile.",
        f"{count(t)} 个 token 时，每层每个头都有 {count(t)} × {count(t)} = {count(t * t)} 个分数：float16 下就是 "
        f"{size(table)}。"
        "先写入[慢速显存](term:hbm)，再读出来做 [softmax](term:softmax)，写回权重，加权求和时又读一遍。"
        f"窍门是让每个分数只用一次。下面跟踪其中一行：一个查询、{count(n)} 个键，按[分块](term:tile)读取。",
    )


def _read(step: ReadTile) -> Text:
    n = len(step.tile.keys)
    if step.tile.index == 0:
        return Text(
            f"A [tile](term:tile) of {n} key{'s' * (n > 1)} is brought into [fast memory](term:sram): scores and "
            "values. Nothing is "
            "held yet: m = −∞, ℓ = 0, u = 0.",
            f"把 {n} 个键的[分块](term:tile)（分数和值）搬进[快速片上内存](term:sram)。手中还什么都没有：m = −∞，ℓ = "
            "0，u = 0。",
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
            f"A [masked](term:mask) score is −∞, and e^(−∞ − {_bracketed(old)}) = 0. The maximum, ℓ and u stay as "
            "they are. A finite "
            "maximum makes this harmless; in a masked first tile −∞ − (−∞) would be NaN.",
            f"被[屏蔽](term:mask)的分数是 −∞，而 e^(−∞ − {_bracketed(old)}) = 0。最大值、ℓ、u 都保持不变。最大值有"
            "限，所以无害；"
            "若第一个分块全被屏蔽，−∞ − (−∞) 就成了 NaN。",
        )
    if old == -math.inf:
        return Text(
            f"{short(new)} will be subtracted from every score before [exp](term:exp), so no power can overflow. "
            "Nothing is held "
            "yet, so nothing needs a new scale.",
            f"取 [exp](term:exp) 之前，每个分数都先减去 {short(new)}，指数就不会溢出。手中还没有累计，所以不必换基准。",
        )
    if new > old:
        return Text(
            f"The tile’s largest score is {short(tile_max)}, above {short(old)}. From now on {short(new)} is "
            "subtracted; what we hold was "
            f"measured against {short(old)} and must change scale before anything is added.",
            f"本分块最大的分数是 {short(tile_max)}，高于 {short(old)}。从现在起改减 {short(new)}；手中的累计仍以 "
            f"{short(old)} "
            "为基准，必须先换基准才能相加。",
        )
    return Text(
        f"The tile’s largest score is {short(tile_max)}, not above {short(old)}. What we hold already has the right "
        "scale: α = "
        f"e^({short(old)} − {_bracketed(new)}) = 1, and nothing shrinks.",
        f"本分块最大的分数是 {short(tile_max)}，没有超过 {short(old)}。手中的累计基准不变：α = e^({short(old)} − "
        f"{_bracketed(new)}) = 1，"
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
        f"Weight $p = e^{{s - m}}$: {listed.en}. ℓ grows by {'their sum' if len(step.p) > 1 else 'p'} = "
        f"{fixed(total)}, u by "
        f"{'Σ p v' if len(step.p) > 1 else 'p v'} = ({vector(added)}). The scores are now done with.",
        f"权重 $p = e^{{s - m}}$：{listed.zh}。ℓ 增加{'它们的和' if len(step.p) > 1 else ' p'} = {fixed(total)}，u 增"
        "加 "
        f"{'Σ p v' if len(step.p) > 1 else 'p v'} =（{vector(added)}）。这些分数从此不再需要。",
    )


def _bracketed(x: float) -> str:
    """A subtrahend in a sentence: negative ones in brackets."""
    return short(x) if x >= 0 else f"({short(x)})"


def _minus(x: float) -> str:
    """A subtrahend in a formula: negative ones in brackets."""
    return tex(short(x)) if x >= 0 else f"({tex(short(x))})"
