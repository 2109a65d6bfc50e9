"""Every sentence of a step, both languages side by side. Numbers come from the step."""

from __future__ import annotations

from engine.copy_on_write import Alone, Prepared, Shared, Wants, Way, Wrote
from engine.shared_blocks import (
    Arrived,
    Attended,
    Bill,
    Event,
    Filled,
    LookUp,
    Named,
    Scenario,
    Step,
    Taken,
)
from lessons.copy_on_write.asks import ask
from lessons.copy_on_write.facts import facts
from lessons.copy_on_write.naming import blocks as of_blocks
from lessons.copy_on_write.naming import identity, listing, slots
from lessons.copy_on_write.naming import tokens as of_tokens
from lessons.copy_on_write.why import explain
from lessons.copy_on_write.wrong import wrong_way
from lessons.kit.lesson import Narration
from lessons.kit.text import Text, paragraphs, same

TITLE = Text("Sharing and copy-on-write", "共享与写时复制")
QUESTION = Text(
    "If two requests share a block, what happens when one of them writes?",
    "两个请求共享一个内存块，其中一个要写入时会怎样？",
)


def narrate(scenario: Scenario, step: Step, wrong: Step | None) -> Narration:
    """One step in words, with a paragraph on the wrong way where a mistake is chosen."""
    id_, title = _name(step.event)
    beside = wrong_way(scenario, step, wrong) if wrong is not None else same("")
    text = paragraphs(explain(scenario, step), beside)
    return Narration(id_, title, headline(scenario, step), text, facts(scenario, step, wrong), ask(scenario, step))


def _name(event: Event) -> tuple[str, Text]:
    match event:
        case Alone():
            return "alone", Text("A alone", "只有 A")
        case Shared():
            return "fork", Text("B is forked", "分叉出 B")
        case Named():
            return "names", Text("Name the blocks", "给块命名")
        case Arrived():
            return "arrived", Text("B arrives", "B 到来")
        case LookUp(index=i):
            return f"look-up-{i}", Text(f"Look up block {i}", f"查第 {i} 块")
        case Taken():
            return "share", Text("Share", "共享")
        case Filled():
            return "fill", Text("Compute the rest", "计算其余部分")
        case Wants(name=name, position=p):
            return f"{name.lower()}-{p}/wants", Text(f"May {name} write?", f"{name} 能写吗")
        case Prepared(name=name, memory=memory, copied=copied):
            id_ = f"{name.lower()}-{memory.table(name).length}/prepare"
            return id_, Text("A copy first", "先复制") if copied else Text("A new block", "新的一块")
        case Wrote(name=name, position=p):
            return f"{name.lower()}-{p}/write", Text(f"{name} writes", f"{name} 写入")
        case Attended(name=name):
            return f"{name.lower()}/attend", Text(f"{name} attends", f"{name} 做注意力")
        case Bill():
            return "bill", Text("What it cost", "代价与所得")


def headline(scenario: Scenario, step: Step) -> Text:
    """What happened, in one sentence."""
    n_a = scenario.n_tokens
    match step.event:
        case Alone(memory=memory):
            blocks = memory.table("A").blocks
            return Text(
                f"A has {of_tokens(n_a).en} in {of_blocks(len(blocks)).en}",
                f"A 有 {n_a} 个 token，放在 {len(blocks)} 块里",
            )
        case Shared(memory=memory):
            table = memory.table("B")
            return Text(
                f"B starts from A’s {of_tokens(table.length).en}, and nothing is copied",
                f"B 从 A 的 {table.length} 个 token 接着生成，什么也没复制",
            )
        case Named(names=names):
            n = len(names)
            if n == 0:
                return Text("A has no full block, so nothing gets a name", "A 没有装满的块，所以没有块得到名字")
            return Text(
                f"{n} full block{'s' * (n > 1)} of A get{'s' * (n == 1)} a name under which others can find "
                f"{'them' if n > 1 else 'it'}",
                f"A 的 {n} 个满块得到名字，别的请求可以凭名字找到它们",
            )
        case Arrived(names=names):
            n = len(scenario.prompts[1])
            return Text(
                f"B comes with {of_tokens(n).en}; {of_blocks(len(names)).en} of them can be looked up",
                f"B 带着 {n} 个 token 到来；其中 {len(names)} 块可以查找",
            )
        case LookUp():
            return _look_up(step.event)
        case Taken(blocks=blocks):
            if not blocks:
                return Text("Nothing may be shared: B gets no block of A’s", "没有可共享的：A 的块 B 一个也不用")
            n = len(blocks) * scenario.block_size
            return Text(
                f"B’s table starts with {listing(blocks)}: {of_tokens(n).en} need no computing",
                f"B 的块表以 {listing(blocks)} 开头：{n} 个 token 不用再算",
            )
        case Filled(n_computed=n, allocated=blocks):
            return Text(
                f"B computes {of_tokens(n).en} itself, in {'a block' if len(blocks) == 1 else 'blocks'} of its own",
                f"B 自己计算 {n} 个 token，放进自己的块里",
            )
        case Wants(name=name, block=block, ref_count=refs, way=way):
            match way:
                case Way.COPY:
                    return Text(
                        f"{name} may not write into block {block}: {refs} tables name it",
                        f"{name} 不能写进块 {block}：有 {refs} 张块表引用它",
                    )
                case Way.IN_PLACE:
                    return Text(
                        f"{name} may write into block {block}: only {name} names it",
                        f"{name} 可以直接写进块 {block}：只有 {name} 引用它",
                    )
                case Way.NEW_BLOCK:
                    return Text(
                        f"{name}’s last block is full, so the token needs a new one",
                        f"{name} 的最后一块已满，新 token 需要新的一块",
                    )
        case Prepared(allocated=allocated, copied=copied):
            if copied is None:
                return Text(
                    f"Block {allocated[-1]} is taken from the pool; nothing is copied",
                    f"从池中取出块 {allocated[-1]}；什么也没复制",
                )
            return Text(
                f"{slots(copied.n_slots).en} of block {copied.source} {'are' if copied.n_slots > 1 else 'is'} copied "
                f"to block {copied.target}",
                f"把 {copied.n_slots} 个槽位从块 {copied.source} 复制到块 {copied.target}",
            )
        case Wrote(name=name, position=p, slot=slot, memory=memory):
            block, offset = divmod(slot, memory.block_size)
            return Text(
                f"{name}{p} lies in slot {slot}: block {block}, offset {offset}",
                f"{name}{p} 放在槽位 {slot}：块 {block}，偏移 {offset}",
            )
        case Attended(name=name):
            return Text(
                f"{name} gets the output it would get alone",
                f"{name} 得到的输出与独自运行时相同",
            )
        case Bill(n_used=used, n_alone=alone):
            if used == alone:
                return Text(
                    f"{of_blocks(used).en} in use, as many as two separate requests need",
                    f"占用 {used} 块，与两个各自独立的请求一样多",
                )
            return Text(
                f"{of_blocks(used).en} in use instead of {alone}",
                f"占用 {used} 块，而不是 {alone} 块",
            )


def _look_up(event: LookUp) -> Text:
    i, hit = event.index, event.hits[-1]
    if not event.asked:
        return Text(
            f"B’s block {i} is not even looked for: an earlier one is missing",
            f"B 的第 {i} 块不必再查：前面已有一块未命中",
        )
    if hit is None:
        return Text(f"B’s block {i} is not known: a miss", f"B 的第 {i} 块查不到：没有命中")
    if event.last:
        return Text(f"B’s block {i} is known as block {hit}, and yet not used", f"B 的第 {i} 块就是块 {hit}，却不能用")
    return Text(f"B’s block {i} is known: it lies in block {hit}", f"B 的第 {i} 块查到了：就在块 {hit}")


# --- the line under each request in the picture


def status(scenario: Scenario, step: Step, name: str) -> tuple[Text, bool]:
    """A few words on one request, and whether it is the one that acts."""
    tables = {table.name: table for table in step.memory.tables}
    event = step.event
    match event:
        case Wants(position=p, offset=offset) if event.name == name:
            logical = p // step.memory.block_size
            return Text(
                f"wants position {p}: logical block {logical}, offset {offset}",
                f"要写位置 {p}：逻辑块 {logical}，偏移 {offset}",
            ), True
        case Wrote(position=p, slot=slot) if event.name == name:
            return Text(f"position {p} is in slot {slot}", f"位置 {p} 在槽位 {slot}"), True
        case Arrived() | LookUp() if name == "B":
            return identity(scenario.identities[1]), isinstance(event, Arrived)
        case Named() if name == "A":
            return identity(scenario.identities[0]), True
    if name not in tables:
        return Text("not here yet", "尚未到来"), False
    n = tables[name].length
    return Text(
        f"{n} position{'s' * (n != 1)} in {of_blocks(len(tables[name].blocks)).en}",
        f"{n} 个位置，{len(tables[name].blocks)} 块",
    ), False
