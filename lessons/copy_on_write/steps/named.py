"""Full blocks get names, and B comes with a prompt of its own."""

from __future__ import annotations

from engine.shared_blocks import Arrived, Mistake, Named, Scenario, Step
from lessons.copy_on_write.mistakes import MISTAKES
from lessons.copy_on_write.naming import NAME_DIGITS, identity, short_name
from lessons.copy_on_write.steps.table import beside, names, row, wrong_hits
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told, say


def named(s: Scenario, step: Step, event: Named, wrong: Named | None) -> Narration:
    n = len(event.names)
    if n:
        headline = Told(
            "{n:full block} of A {n|gets|get} a name under which others can find {n|it|them}",
            "A 的 {n} 个满块得到名字，别的请求可以凭名字找到它们",
        ).on(n=n)
    else:
        headline = Text("A has no full block, so nothing gets a name", "A 没有装满的块，所以没有块得到名字")
    return Narration(
        id="names",
        title=Text("Name the blocks", "给块命名"),
        headline=headline,
        why=Told(
            "A [name](term:block-name) is a hash of all that the block’s K and V depend on: the model, the "
            "[adapter](term:adapter), the [salt](term:salt), the name of the block before it, and its own tokens. "
            "A block that is not full gets none: it is still being written to. Here {rest:token} {rest|stays|stay} "
            "without a name. The first {digits} digits are shown.",
            "[名字](term:block-name)是一个哈希，由决定这一块 K、V 的一切算出：模型、[适配器](term:adapter)、[盐"
            "](term:salt)、前一块的名字、本块的 token。没装满的块没有名字：它还在被写。这里有 {rest} 个 token 没有"
            "名字。图中显示哈希的前 {digits} 位。",
        ).on(rest=s.n_tokens - n * s.block_size, digits=NAME_DIGITS),
        facts=names(step),
        wrong=beside(s, event, wrong, lambda _: _left_out(s)),
        row=row(wrong or event),
    )


def _left_out(s: Scenario) -> Text:
    if s.mistake is Mistake.NO_COPY:
        return Text("names as it should; its slip is in writing.", "命名正确；它错在写入。")
    return say(MISTAKES.of(s).said, s)


def arrived(s: Scenario, step: Step, event: Arrived, wrong: Arrived | None) -> Narration:
    first, second = (identity(who) for who in s.identities)
    return Narration(
        id="arrived",
        title=Text("B arrives", "B 到来"),
        headline=Told(
            "B comes with {n:token}; {full:block} of them can be looked up",
            "B 带着 {n} 个 token 到来；其中 {full} 块可以查找",
        ).on(n=len(s.prompts[1]), full=len(event.names)),
        why=Told(
            "Its first {n_shared:token} {n_shared|is|are} A’s. A runs with {first}; B with {second}. B’s full "
            "blocks are named by the same rule, before any model runs: a [prefix cache](term:prefix-cache) "
            "compares names, never texts.",
            "前 {n_shared} 个 token 与 A 相同。A 使用{first}；B 使用{second}。B 的满块按同样的规则命名，这时模型还"
            "没有运行：[前缀缓存](term:prefix-cache)比较的是名字，从不比较文本。",
        ).on(s, first=first, second=second),
        facts=names(step),
        wrong=beside(s, event, wrong, lambda _: _alike(s) if wrong_hits(s) else None),
        row=row(wrong or event),
    )


def _alike(s: Scenario) -> Text:
    """Names that the mistake gives to a block of A's and to another of B's."""
    a, b = s.names
    return Told(
        "B’s blocks are called {common} as well as A’s, though they are not the same.",
        "B 的块也叫 {common}，与 A 的块同名，其实并不相同。",
    ).on(common=tuple(short_name(name) for name in dict.fromkeys(b) if name in a))
