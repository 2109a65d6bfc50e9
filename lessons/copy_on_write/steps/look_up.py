"""B's blocks are looked for by name, from the first on."""

from __future__ import annotations

from engine.shared_blocks import Arrival, LookUp, Scenario, Step
from lessons.copy_on_write.naming import short_name
from lessons.copy_on_write.steps.table import beside, names, row
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told

REASONS = {
    Arrival.MODEL: Text(
        "The tokens are A’s, but another model computes other K and V.",
        "token 与 A 的相同，但换了模型，K 和 V 就不同。",
    ),
    Arrival.ADAPTER: Text(
        "The tokens are A’s, but B’s adapter changes the weights, and with them K and V.",
        "token 与 A 的相同，但 B 的适配器改变了权重，K 和 V 随之改变。",
    ),
    Arrival.SALT: Text(
        "The tokens are A’s, but B is another tenant, and tenants must not notice each other.",
        "token 与 A 的相同，但 B 是另一个租户，租户之间不应互相察觉。",
    ),
    Arrival.ADAPTER_AS_SALT: Text(
        "Both identities hold the word X, once as an adapter, once as a salt. Each word enters the hash with its "
        "tag, so the names differ.",
        "两个身份里都有 X，一个是适配器，一个是盐。每个词都带着标签进入哈希，所以名字不同。",
    ),
    Arrival.REPEAT: Text(
        "The tokens may be those of an earlier block, but they stand behind other tokens.",
        "这些 token 也许与前面某一块相同，但它们前面的 token 不同。",
    ),
}


def look_up(s: Scenario, step: Step, event: LookUp, wrong: LookUp | None) -> Narration:
    headline, why = _found(s, event)
    return Narration(
        id=f"look-up-{event.index}",
        title=Told("Look up block {index}", "查第 {index} 块").on(event),
        headline=headline.on(event),
        why=why.on(
            event,
            digits=short_name(event.name),
            start=event.index * s.block_size,
            last=(event.index + 1) * s.block_size - 1,
        ),
        facts=names(step, event.index),
        wrong=beside(s, event, wrong, lambda wrong: _wrong_hit(wrong) if wrong.hit != event.hit else None),
        row=row(wrong or event),
    )


def _found(s: Scenario, event: LookUp) -> tuple[Told, Told]:
    """What became of the search, and why."""
    if not event.asked:
        return Told(
            "B’s block {index} is not even looked for: an earlier one is missing",
            "B 的第 {index} 块不必再查：前面已有一块未命中",
        ), Told(
            "K and V of a token depend on every token before it. Behind a miss nothing can be right, so the search "
            "ends at the first one.",
            "一个 token 的 K、V 依赖它前面的每个 token。未命中的块之后不可能再有正确的块，所以查找到第一次未命中就"
            "结束。",
        )
    if event.hit is None:
        return Told("B’s block {index} is not known: a miss", "B 的第 {index} 块查不到：没有命中"), Told(
            "No block is called {digits}, the name of positions {start} to {last}. ",
            "没有叫 {digits} 的块，这是位置 {start} 到 {last} 的名字。",
        ) + _missed(s, event)
    if event.last:
        return Told(
            "B’s block {index} is known as block {hit}, and yet not used", "B 的第 {index} 块就是块 {hit}，却不能用"
        ), Told(
            "The name {digits} is known, but the block holds the prompt’s last token. That one must be run, for "
            "its output says what comes next. Sharing stops one block earlier, so that nothing shared is written "
            "to.",
            "名字 {digits} 查得到，但这一块含有提示的最后一个 token。它必须运行一遍，因为要靠它的输出得知下一个 "
            "token。共享就提前一块停止，这样不会去写共享的块。",
        )
    return Told("B’s block {index} is known: it lies in block {hit}", "B 的第 {index} 块查到了：就在块 {hit}"), Told(
        "B’s name {digits} is the name of block {hit}: same model, same adapter, same salt, same tokens, all the "
        "way from position 0. So K and V are what B would compute.",
        "B 算出的名字 {digits} 正是块 {hit} 的名字：从位置 0 起，模型、适配器、盐、token 全都相同。所以里面的 K、V "
        "就是 B 自己会算出的结果。",
    )


def _missed(s: Scenario, event: LookUp) -> Text:
    """Whether A never had these tokens here, or had them as another."""
    here = s.arrival is Arrival.REPEAT or (event.index + 1) * s.block_size <= s.n_shared
    if s.arrival in REASONS and here:
        return REASONS[s.arrival]
    return Text("A never had these tokens in this place.", "A 在这个位置没有过这些 token。")


def _wrong_hit(wrong: LookUp) -> Text:
    return Told(
        "B’s block {index} is called {digits}, and so is block {hit} of A. A **wrong hit**.",
        "B 的第 {index} 块叫 {digits}，A 的块 {hit} 也叫这个名字。这是一次**错误命中**。",
    ).on(wrong, digits=short_name(wrong.name))
