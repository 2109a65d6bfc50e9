"""What a chosen mistake does in a step, and why it may not show."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from engine.copy_on_write import Prepared, Wants, Wrote
from engine.shared_blocks import (
    Arrival,
    Arrived,
    Attended,
    Bill,
    Filled,
    LookUp,
    Mistake,
    Named,
    Scenario,
    Step,
    Taken,
)
from lessons.copy_on_write.naming import MISTAKES, listing, other, short_name
from lessons.copy_on_write.steps import trace
from lessons.kit.format import fixed, vector
from lessons.kit.scene import ROUNDING
from lessons.kit.text import Text

SAME_SO_FAR = Text("no difference so far.", "到目前为止没有差别。")


def wrong_way(scenario: Scenario, step: Step, wrong: Step) -> Text:
    """The paragraph on the wrong way."""
    name = MISTAKES[scenario.mistake]
    lead = Text(f"**✗ Wrong way** ({name.en}): ", f"**✗ 错误做法**（{name.zh}）：")
    return lead + _said(scenario, step, wrong)


def _said(scenario: Scenario, step: Step, wrong: Step) -> Text:
    match step.event, wrong.event:
        case Prepared() as right, Prepared(name=name, memory=memory) if (
            right.copied is not None and scenario.mistake is Mistake.NO_COPY
        ):
            source = right.copied.source
            return Text(
                f"nothing is copied. Both tables go on naming block {source}, still with {memory.ref_counts[source]} "
                f"references, and {name} will write into it.",
                f"什么也不复制。两张块表继续引用块 {source}（仍有 {memory.ref_counts[source]} 个引用），{name} 就要往"
                "里写。",
            )
        case Wrote(), Wrote(name=name, position=p, slot=slot, overwritten=lost) if lost is not None:
            return Text(
                f"{name}{p} goes into slot {slot} as well, on top of {lost}. {other(name)} still believes that "
                f"{lost} lies there.",
                f"{name}{p} 也写进槽位 {slot}，盖掉了 {lost}。{other(name)} 还以为 {lost} 在那里。",
            )
        case Wrote(slot=there), Wrote(name=name, slot=slot, position=p) if (
            slot != there and scenario.mistake is Mistake.NO_COPY
        ):
            return Text(
                f"{name}{p} goes into slot {slot}, in the block that {other(name)} names too. {other(name)} has not "
                "come that far yet, so nobody notices.",
                f"{name}{p} 写进槽位 {slot}，而这一块 {other(name)} 也在引用。{other(name)} 还没有走到这个位置，所以"
                "没人察觉。",
            )
        case Wants(), Wants(block=block, ref_count=refs) if (
            wrong.memory.ref_counts != step.memory.ref_counts and refs > 1
        ):
            return Text(
                f"block {block} still has {refs} references. The count says that somebody else reads it; nobody asks.",
                f"块 {block} 仍有 {refs} 个引用。计数说明还有别人在读，可是没有人去问。",
            )
        case Named(), _:
            return _ingredients(scenario.mistake)
        case ((Arrived() | LookUp()), _):
            return _looked_up(scenario, step, wrong)
        case Taken(blocks=right_blocks), Taken(blocks=found) if found != right_blocks:
            return Text(
                f"B’s table starts with {listing(found)}. {_strangers(scenario, len(right_blocks), len(found)).en}",
                f"B 的块表以 {listing(found)} 开头。{_strangers(scenario, len(right_blocks), len(found)).zh}",
            )
        case Filled(n_computed=n), Filled(n_computed=m) if n != m:
            return (
                Text(
                    f"B computes only {m} tokens, and runs them over K and V that are not its own.",
                    f"B 只计算 {m} 个 token，而且是在不属于自己的 K、V 上运行。",
                )
                if scenario.mistake is not Mistake.NO_SALT
                else Text(
                    f"B computes only {m} tokens, the rest it got from another tenant.",
                    f"B 只计算 {m} 个 token，其余来自另一个租户。",
                )
            )
        case Attended(), Attended():
            return _verdict(scenario, step, wrong)
        case Bill(n_used=n), Bill(n_used=m) if n != m:
            cause = (
                Text("a request goes without the block it needs", "有请求没有得到它需要的块")
                if scenario.mistake is Mistake.NO_COPY
                else Text("B uses blocks that are not its own", "B 用了不属于自己的块")
            )
            return Text(
                f"{m} blocks: it looks cheaper by {n - m}, because {cause.en}.",
                f"{m} 块：看起来省了 {n - m} 块，其实是{cause.zh}。",
            )
    if step.memory == wrong.memory and isinstance(step.event, Bill):
        return _invisible(scenario)
    if step.memory == wrong.memory:
        return SAME_SO_FAR
    return Text("goes on with what it has.", "带着已有的差别继续。")


def _ingredients(mistake: Mistake) -> Text:
    match mistake:
        case Mistake.NO_COPY:
            return Text("names as it should; its slip is in writing.", "命名正确；它错在写入。")
        case Mistake.NO_PARENT:
            return Text(
                "hashes a block’s own tokens without what stands before them.",
                "只对本块的 token 求哈希，不管前面是什么。",
            )
        case Mistake.UNTAGGED:
            return Text(
                "puts adapter and salt into one list of words, so which of them it was is lost.",
                "把适配器和盐放进同一个词表，分不清哪个是哪个。",
            )
        case _:
            left_out = LEFT_OUT[mistake]
            return Text(f"the {left_out.en} does not enter the hash.", f"{left_out.zh}不进入哈希。")


LEFT_OUT = {
    Mistake.NO_MODEL: Text("model", "模型"),
    Mistake.NO_ADAPTER: Text("adapter", "适配器"),
    Mistake.NO_SALT: Text("salt", "盐"),
}


def _looked_up(scenario: Scenario, step: Step, wrong: Step) -> Text:
    match step.event, wrong.event:
        case LookUp(hits=right), LookUp(hits=hits, index=i) if hits[-1] != right[-1]:
            digits = short_name(wrong.names[1][i])
            return Text(
                f"B’s block {i} is called {digits}, and so is block {hits[-1]} of A. A **wrong hit**.",
                f"B 的第 {i} 块叫 {digits}，A 的块 {hits[-1]} 也叫这个名字。这是一次**错误命中**。",
            )
    a, b = wrong.names
    if isinstance(step.event, Arrived) and _wrong_hits(scenario):
        common = [short_name(x) for x in dict.fromkeys(b) if x in a]
        return Text(
            f"B’s blocks are called {', '.join(common)} as well as A’s, though they are not the same.",
            f"B 的块也叫 {'、'.join(common)}，与 A 的块同名，其实并不相同。",
        )
    return SAME_SO_FAR


@lru_cache(maxsize=128)
def _wrong_hits(scenario: Scenario) -> bool:
    """Whether the mistake finds a block that the right way does not."""
    right = replace(scenario, mistake=Mistake.NONE)
    found = ([s.event.blocks for s in trace(x) if isinstance(s.event, Taken)] for x in (right, scenario))
    return len({tuple(blocks) for blocks in found}) > 1


def _strangers(scenario: Scenario, n_right: int, n_wrong: int) -> Text:
    """Whose K and V a wrong hit hands over."""
    match scenario.mistake:
        case Mistake.NO_PARENT:
            first = n_right * scenario.block_size
            last = n_wrong * scenario.block_size - 1
            return Text(
                f"For positions {first} to {last} it holds keys turned to other positions, computed behind other "
                "tokens.",
                f"位置 {first} 到 {last} 用的键是按别的位置旋转的，前文也不同。",
            )
        case Mistake.NO_MODEL:
            return Text("Those K and V come from another model.", "那些 K、V 来自另一个模型。")
        case Mistake.NO_SALT:
            return Text(
                "The numbers fit, but they are another tenant’s: that they were there shows what the other has asked.",
                "数值是对的，但属于另一个租户：它们在那里，就泄露了对方问过什么。",
            )
        case _:
            return Text(
                "Those K and V were computed with other adapter weights.", "那些 K、V 是用另一套适配器权重算出的。"
            )


def _verdict(scenario: Scenario, step: Step, wrong: Step) -> Text:
    event = wrong.event
    assert isinstance(event, Attended)
    name = event.name
    if event.error > ROUNDING:
        text = Text(
            f"{name}’s output is ({vector(event.output)}), off by {fixed(event.error)}; its logits are off by up to "
            f"{fixed(event.logit_error)}. ",
            f"{name} 的输出是（{vector(event.output)}），偏差 {fixed(event.error)}；logits 最多偏差 "
            f"{fixed(event.logit_error)}。",
        )
        lost = [
            (p, mine, theirs)
            for p, (mine, theirs) in enumerate(zip(step.memory.read(name), wrong.memory.read(name), strict=True))
            if mine != theirs
        ]
        if scenario.mistake is Mistake.NO_COPY:
            p, mine, theirs = lost[0]
            text += Text(
                f"At position {p} it found {theirs} instead of {mine}. ",
                f"它在位置 {p} 读到的是 {theirs}，而不是 {mine}。",
            )
        return text + Text("Nothing warned.", "没有任何报错。")
    if scenario.mistake is Mistake.NO_SALT and _wrong_hits(scenario):
        return Text(
            "the same numbers, and a fault all the same. B’s first token came sooner, because A had sent this "
            "prefix: by timing, one tenant can find out what "
            "another has asked.",
            "数值相同，但仍是错误。因为 A 发送过这个前缀，B 的首个 token 来得更早：一个租户凭计时就能探知另一个租户问"
            "过什么。",
        )
    spoilt = scenario.mistake is Mistake.NO_COPY and step.memory != wrong.memory
    if spoilt:
        return Text(
            f"{name} gets the right output: what was written last is still there. Whoever writes first at a position "
            f"loses: see {other(name)}, or let the other write first.",
            f"{name} 得到正确的输出：最后写入的还在。在同一位置先写的一方受损：看 {other(name)}，或者换一方先写。",
        )
    return Text("no difference.", "没有差别。")


def _invisible(scenario: Scenario) -> Text:
    return Text("**invisible on these inputs**, because ", "**在这组输入上看不出来**，因为") + why_invisible(scenario)


def why_invisible(scenario: Scenario) -> Text:
    """Why the chosen mistake makes no difference on these inputs."""
    mistake = scenario.mistake
    if mistake is Mistake.NO_COPY:
        if not scenario.forked:
            return Text(
                "a prefix cache shares full blocks only, and nobody writes into a full block. No copy is needed, so "
                "leaving it out changes nothing. Choose an "
                "example with a fork.",
                "前缀缓存只共享满块，而没有人会往满块里写。既然不需要复制，漏掉它也就没有影响。请选一个分叉的例子。",
            )
        if scenario.n_tokens % scenario.block_size == 0:
            return Text(
                f"{scenario.n_tokens} tokens fill blocks of {scenario.block_size} exactly: every shared block is "
                "full, and a new token opens a new block.",
                f"{scenario.n_tokens} 个 token 恰好装满每块 {scenario.block_size} 个的块：共享的块都是满的，新 token "
                "会开新块。",
            )
        return Text("nobody writes.", "没有人写入。")
    if scenario.forked:
        return Text(
            "a fork copies a table and looks nothing up by name. Choose an example with a prefix cache.",
            "分叉只复制块表，不按名字查找任何东西。请选一个前缀缓存的例子。",
        )
    needed = {
        Mistake.NO_PARENT: Arrival.REPEAT,
        Mistake.NO_MODEL: Arrival.MODEL,
        Mistake.NO_ADAPTER: Arrival.ADAPTER,
        Mistake.NO_SALT: Arrival.SALT,
        Mistake.UNTAGGED: Arrival.ADAPTER_AS_SALT,
    }[mistake]
    if scenario.arrival is not needed:
        return {
            Mistake.NO_PARENT: Text(
                "no block of B has the tokens of another block of A.", "B 没有哪一块的 token 与 A 的另一块相同。"
            ),
            Mistake.NO_MODEL: Text("both requests run the same model.", "两个请求用的是同一个模型。"),
            Mistake.NO_ADAPTER: Text(
                "they differ in more, or in something else, than the adapter.", "两者的差别不在适配器，或不只在适配器。"
            ),
            Mistake.NO_SALT: Text(
                "they differ in more, or in something else, than the salt.", "两者的差别不在盐，或不只在盐。"
            ),
            Mistake.UNTAGGED: Text(
                "no word stands once as an adapter and once as a salt.", "没有哪个词一次作适配器、一次作盐。"
            ),
        }[mistake]
    return Text(
        "no full block of B that may be used has tokens that a block of A has.",
        "B 可用的满块里，没有一块的 token 与 A 的某块相同。",
    )
