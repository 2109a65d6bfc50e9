"""Why each step is so, both languages side by side. Numbers come from the step."""

from __future__ import annotations

from engine.copy_on_write import Alone, Prepared, Shared, Wants, Way, Wrote
from engine.models import MODELS
from engine.paged import blocks_for
from engine.paged_memory import Memory
from engine.shared_blocks import (
    Arrival,
    Arrived,
    Attended,
    Bill,
    Filled,
    LookUp,
    Named,
    Scenario,
    Step,
    Taken,
)
from lessons.copy_on_write.naming import MODEL, NAME_DIGITS, identity, listing, other, short_name, slots
from lessons.copy_on_write.naming import tokens as of_tokens
from lessons.kit.format import size, vector
from lessons.kit.text import Text


def explain(scenario: Scenario, step: Step) -> Text:
    """The reason, in a few sentences."""
    match step.event:
        case Alone():
            return _alone(scenario)
        case Shared(memory=memory):
            return _shared(scenario, memory)
        case Named(names=names):
            return _named(scenario, len(names))
        case Arrived():
            return _arrived(scenario)
        case LookUp():
            return _look_up_why(scenario, step.event)
        case Taken(blocks=blocks):
            return _taken(scenario, blocks)
        case Filled(position=p, allocated=blocks):
            return Text(
                f"From position {p} on B reuses nothing. These tokens run over whatever K and V the table finds "
                "before them, and their own K and V "
                f"go to {listing(blocks)}, which nobody else names. B’s last block is B’s alone from the start.",
                f"从位置 {p} 起 B 什么也不复用。这些 token 在块表找到的前文 K、V 之上运行，自己的 K、V 写进 "
                f"{listing(blocks)}，"
                "没有别人引用这些块。B 的最后一块从一开始就只属于 B。",
            )
        case Wants():
            return _wants(scenario, step, step.event)
        case Prepared():
            return _prepared(step, step.event)
        case Wrote(name=name, slot=slot, memory=memory):
            block, offset = divmod(slot, memory.block_size)
            table = memory.table(name).blocks
            text = Text(
                f"Slot {block} × {memory.block_size} + {offset} = {slot}. {name}’s table is {listing(table)}. ",
                f"槽位 {block} × {memory.block_size} + {offset} = {slot}。{name} 的块表是 {listing(table)}。",
            )
            return text + Text(
                f"{other(name)}’s table does not name block {block}, so {other(name)} cannot see the new token.",
                f"{other(name)} 的块表里没有块 {block}，所以看不到这个新 token。",
            )
        case Attended(name=name, position=p, output=o, fresh=fresh):
            return Text(
                f"The next token of {name}, position {p}, asks "
                f"{f'all {p} positions' if p != 1 else f'the {p} position'} that the table finds. In the last layer "
                "of the little decoder "
                f"query head 0 gets ({vector(o)}). The same tokens run with nothing shared and nothing cached give "
                f"({vector(fresh)}): "
                "equal but for [rounding](term:rounding).",
                f"{name} 的下一个 token（位置 {p}）向块表找到的全部 {p} 个位置提问。在小解码器的最后一层，查询头 0 得"
                f"到（{vector(o)}）。"
                f"同样的 token 不共享、不缓存地运行，得到（{vector(fresh)}）：除[舍入](term:rounding)外完全相等。",
            )
        case Bill():
            return _bill(scenario, step.event)


def _alone(scenario: Scenario) -> Text:
    n, size_ = scenario.n_tokens, scenario.block_size
    spare = blocks_for(n, size_) * size_ - n
    last = (
        Text("The last block is full.", "最后一块是满的。")
        if not spare
        else Text(
            f"The last block has {spare} slot{'s' * (spare > 1)} left: it will be written to again.",
            f"最后一块还空 {spare} 个槽位：以后还要往里写。",
        )
    )
    return (
        Text(
            f"Each [block](term:block) has {size_} [slots](term:slot); each block has a [reference "
            "count](term:ref-count), the number of tables that name "
            "it. The row of cells is what A reads, in order; under it stands A’s [block table](term:block-table). ",
            f"每[块](term:block)有 {size_} 个[槽位](term:slot)；每块有一个[引用计数](term:ref-count)，即引用它的块表"
            "数。"
            "那一行格子是 A 按顺序读到的内容，下面是 A 的[块表](term:block-table)。",
        )
        + last
    )


def _shared(scenario: Scenario, memory: Memory) -> Text:
    blocks = memory.table("B").blocks
    refs = ", ".join(str(memory.ref_counts[block]) for block in blocks)
    text = Text(
        f"A [fork](term:fork) copies the table, {len(blocks)} number{'s' * (len(blocks) != 1)}, and not one K or V. "
        f"Both tables read {listing(blocks)}; each reference count "
        f"has gone up by 1: {refs}. ",
        f"[分叉](term:fork)只复制块表（{len(blocks)} 个数），不复制任何 K、V。两张块表都是 {listing(blocks)}；"
        f"每个引用计数都加了 1：{refs}。",
    )
    if scenario.n_tokens % scenario.block_size:
        return text + Text(
            f"Block {blocks[-1]} is shared too, although it is not full. That will matter as soon as somebody writes.",
            f"块 {blocks[-1]} 没有装满，也被共享了。一旦有人要写，这就成了问题。",
        )
    return text + Text(
        "All of them are full: nobody will ever write into them again.", "它们都是满的：再也不会有人往里写。"
    )


def _named(scenario: Scenario, n: int) -> Text:
    return Text(
        "A [name](term:block-name) is a hash of all that the block’s K and V depend on: the model, the "
        "[adapter](term:adapter), the "
        "[salt](term:salt), the name of the block before it, and its own tokens. A block that is not full gets none: "
        "it is still being written to. "
        f"Here {of_tokens(scenario.n_tokens - n * scenario.block_size).en} stay without a name. The first "
        f"{NAME_DIGITS} digits are shown.",
        "[名字](term:block-name)是一个哈希，由决定这一块 K、V 的一切算出：模型、[适配器](term:adapter)、[盐"
        "](term:salt)、前一块的名字、"
        f"本块的 token。没装满的块没有名字：它还在被写。这里有 {scenario.n_tokens - n * scenario.block_size} 个 "
        f"token 没有名字。图中显示哈希的前 {NAME_DIGITS} 位。",
    )


def _arrived(scenario: Scenario) -> Text:
    first, second = (identity(who) for who in scenario.identities)
    n = scenario.n_shared
    return Text(
        f"Its first {of_tokens(n).en} are A’s. A runs with {first.en}; B with {second.en}. B’s full blocks are named "
        "by the same rule, before any model runs: "
        "a [prefix cache](term:prefix-cache) compares names, never texts.",
        f"前 {n} 个 token 与 A 相同。A 使用{first.zh}；B 使用{second.zh}。B 的满块按同样的规则命名，这时模型还没有运"
        "行："
        "[前缀缓存](term:prefix-cache)比较的是名字，从不比较文本。",
    )


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


def _look_up_why(scenario: Scenario, event: LookUp) -> Text:
    digits, hit = short_name(event.names[event.index]), event.hits[-1]
    if not event.asked:
        return Text(
            "K and V of a token depend on every token before it. Behind a miss nothing can be right, so the search "
            "ends at the first one.",
            "一个 token 的 K、V 依赖它前面的每个 token。未命中的块之后不可能再有正确的块，所以查找到第一次未命中就结"
            "束。",
        )
    if hit is None:
        reason = REASONS.get(scenario.arrival)
        start, end = event.index * scenario.block_size, (event.index + 1) * scenario.block_size
        if reason is None or (end > scenario.n_shared and scenario.arrival is not Arrival.REPEAT):
            reason = Text("A never had these tokens in this place.", "A 在这个位置没有过这些 token。")
        return (
            Text(
                f"No block is called {digits}, the name of positions {start} to {end - 1}. ",
                f"没有叫 {digits} 的块，这是位置 {start} 到 {end - 1} 的名字。",
            )
            + reason
        )
    if event.last:
        return Text(
            f"The name {digits} is known, but the block holds the prompt’s last token. That one must be run, for its "
            "output says what comes next. Sharing "
            "stops one block earlier, so that nothing shared is written to.",
            f"名字 {digits} 查得到，但这一块含有提示的最后一个 token。它必须运行一遍，因为要靠它的输出得知下一个 "
            "token。"
            "共享就提前一块停止，这样不会去写共享的块。",
        )
    return Text(
        f"B’s name {digits} is the name of block {hit}: same model, same adapter, same salt, same tokens, all the "
        "way from position 0. So K and V are "
        "what B would compute.",
        f"B 算出的名字 {digits} 正是块 {hit} 的名字：从位置 0 起，模型、适配器、盐、token 全都相同。所以里面的 K、V "
        "就是 B 自己会算出的结果。",
    )


def _taken(scenario: Scenario, blocks: tuple[int, ...]) -> Text:
    if not blocks:
        return Text(
            "B computes its whole prompt. That costs time, never correctness: a miss is always safe.",
            "B 要计算整个提示。这只费时间，不影响正确性：未命中总是安全的。",
        )
    n = len(blocks)
    return Text(
        f"The reference count of {'each' if n > 1 else 'the'} block found goes up by 1. Full blocks only, {n} × "
        f"{scenario.block_size} tokens: nobody writes into "
        "them any more, so **sharing like this never needs a copy**.",
        f"{'每个' if n > 1 else ''}找到的块引用计数加 1。只共享满块，{n} × {scenario.block_size} 个 token：再没有人往"
        "里写，"
        "所以**这样的共享永远不需要复制**。",
    )


def _wants(scenario: Scenario, step: Step, event: Wants) -> Text:
    name, size_ = event.name, scenario.block_size
    logical = event.position // size_
    match event.way:
        case Way.COPY:
            return Text(
                f"Position {event.position} is logical block {logical}, offset {event.offset} (all counted from 0). "
                f"Block {event.block} has room there, but {other(name)} names it as "
                f"well: a token of {name} would appear in {other(name)}’s memory. "
                "[Copy-on-write](term:copy-on-write): share until somebody writes.",
                f"位置 {event.position} 是逻辑块 {logical}、偏移 {event.offset}（都从 0 数起）。块 {event.block} 那里"
                f"有空槽位，但 {other(name)} 也引用它："
                f"{name} 的 token 会出现在 {other(name)} 的内存里。[写时复制](term:copy-on-write)：写之前一直共享。",
            )
        case Way.IN_PLACE if scenario.forked and event.position < blocks_for(scenario.n_tokens, size_) * size_:
            return Text(
                f"The reference count of block {event.block} is {event.ref_count}: nobody else would see the token. "
                "Of two sharers only the "
                "first to write copies; the other keeps the original and writes in place.",
                f"块 {event.block} 的引用计数是 {event.ref_count}：不会有别人看到这个 token。两个共享者中只有先写的那"
                "个要复制；"
                "另一个留用原块，直接写入。",
            )
        case Way.IN_PLACE:
            return Text(
                f"The reference count of block {event.block} is {event.ref_count}. {name}’s last block is {name}’s "
                "alone, so there is nothing to copy.",
                f"块 {event.block} 的引用计数是 {event.ref_count}。{name} 的最后一块只属于 {name}，没有什么要复制。",
            )
        case Way.NEW_BLOCK:
            return Text(
                f"Position {event.position} opens logical block {logical}. The full blocks before it stay as they "
                "are, shared or not: only a block that is shared *and* "
                "not full ever has to be copied.",
                f"位置 {event.position} 开始逻辑块 {logical}。前面的满块不论是否共享都原样不动：只有既被共享**又**没"
                "装满的块才需要复制。",
            )


def _prepared(step: Step, event: Prepared) -> Text:
    name, memory = event.name, event.memory
    table = memory.table(name).blocks
    if event.copied is None:
        return Text(
            f"{name}’s table is now {listing(table)}. The new block’s reference count is "
            f"{memory.ref_counts[table[-1]]}: only {name} names it.",
            f"{name} 的块表现在是 {listing(table)}。新块的引用计数是 {memory.ref_counts[table[-1]]}，只有 {name} 引"
            "用。",
        )
    copy = event.copied
    theirs = memory.table(other(name)).blocks
    was, now = step.before.ref_counts[copy.source], memory.ref_counts[copy.source]
    return Text(
        f"{name}’s table is now {listing(table)}; {other(name)}’s is still {listing(theirs)}. Block {copy.source} "
        f"goes from {was} references to {now}, block {copy.target} from {step.before.ref_counts[copy.target]} to "
        f"{memory.ref_counts[copy.target]}. Only slots that hold something are copied; the full blocks stay shared.",
        f"{name} 的块表现在是 {listing(table)}；{other(name)} 的仍是 {listing(theirs)}。块 {copy.source} 的引用从 "
        f"{was} 变为 {now}，块 {copy.target} 从 {step.before.ref_counts[copy.target]} 变为 "
        f"{memory.ref_counts[copy.target]}。只复制有内容的槽位；满块继续共享。",
    )


def _bill(scenario: Scenario, event: Bill) -> Text:
    block = MODELS[MODEL].kv_bytes(scenario.block_size)
    saved = event.n_alone - event.n_used
    text = Text(
        f"A shared block lies in memory once. In {MODEL} (2 bytes a number) a block of {scenario.block_size} tokens "
        f"is {size(block)} over all layers; sharing saves "
        f"{saved} of {event.n_alone}: {size(saved * block)}. ",
        f"共享的块在内存里只有一份。对 {MODEL}（每个数 2 字节），{scenario.block_size} 个 token 的一块在所有层里共 "
        f"{size(block)}；"
        f"共享省下 {event.n_alone} 块中的 {saved} 块，即 {size(saved * block)}。",
    )
    moved = MODELS[MODEL].kv_bytes(event.n_copied)
    if event.n_copied:
        text += Text(
            f"The price is one copy: {slots(event.n_copied).en}, {size(moved)} read and written again.",
            f"代价是一次复制：{event.n_copied} 个槽位，{size(moved)} 读出再写入。",
        )
    else:
        text += Text("Nothing was copied.", "什么也没复制。")
    return text
