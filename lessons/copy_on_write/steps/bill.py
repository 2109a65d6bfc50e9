"""What it cost, beside two requests that share nothing."""

from __future__ import annotations

from engine.shared_blocks import Bill, Mistake, Scenario
from lessons.copy_on_write.mistakes import MISTAKES
from lessons.copy_on_write.naming import MODEL, kv_bytes
from lessons.copy_on_write.steps.table import beside, compared, row, whole
from lessons.kit.ask import Ask, Guess
from lessons.kit.format import size
from lessons.kit.lesson import Facts, Narration
from lessons.kit.text import Text
from lessons.kit.told import Told


def bill(s: Scenario, event: Bill, wrong: Bill | None) -> Narration:
    if event.n_saved:
        headline = Told("{n_used:block} in use instead of {n_alone}", "占用 {n_used} 块，而不是 {n_alone} 块")
    else:
        headline = Told(
            "{n_used:block} in use, as many as two separate requests need",
            "占用 {n_used} 块，与两个各自独立的请求一样多",
        )
    why = Told(
        "A shared block lies in memory once. In {model} (2 bytes a number) a block of {block_size} tokens is "
        "{block:size} over all layers; sharing saves {n_saved} of {n_alone}: {saved:size}. ",
        "共享的块在内存里只有一份。对 {model}（每个数 2 字节），{block_size} 个 token 的一块在所有层里共 "
        "{block:size}；共享省下 {n_alone} 块中的 {n_saved} 块，即 {saved:size}。",
    )
    if event.n_copied:
        why += Told(
            "The price is one copy: {n_copied:slot}, {copied:size} read and written again.",
            "代价是一次复制：{n_copied} 个槽位，{copied:size} 读出再写入。",
        )
    else:
        why += Text("Nothing was copied.", "什么也没复制。")
    block = kv_bytes(s.block_size)

    def did(wrong: Bill) -> Text | None:
        if wrong.n_used != event.n_used:
            return _cheaper(s, event.n_used - wrong.n_used, wrong)
        return MISTAKES.invisible(s) if wrong.memory == event.memory else None

    return Narration(
        id="bill",
        title=Text("What it cost", "代价与所得"),
        headline=headline.on(event),
        why=why.on(event, s, model=MODEL, block=block, saved=event.n_saved * block, copied=kv_bytes(event.n_copied)),
        facts=_facts(s, event, wrong),
        ask=None if s.forked else _how_many(event),
        wrong=beside(s, event, wrong, did),
        row=row(wrong or event),
    )


def _cheaper(s: Scenario, less: int, wrong: Bill) -> Text:
    if s.mistake is Mistake.NO_COPY:
        cause = Text("a request goes without the block it needs", "有请求没有得到它需要的块")
    else:
        cause = Text("B uses blocks that are not its own", "B 用了不属于自己的块")
    return Told(
        "{n_used:block}: it looks cheaper by {less}, because {cause}.",
        "{n_used} 块：看起来省了 {less} 块，其实是{cause}。",
    ).on(wrong, less=less, cause=cause)


def _facts(s: Scenario, event: Bill, wrong: Bill | None) -> Facts:
    prompts = sum(map(len, s.prompts))

    def column(n_blocks: int, copied: int, reused: int) -> tuple[str, ...]:
        resident = size(kv_bytes(n_blocks * s.block_size))
        return str(n_blocks), resident, str(copied), size(kv_bytes(copied)), str(prompts - reused)

    names = (
        Text("blocks in use", "占用的块"),
        Text("resident", "驻留"),
        Text("slots copied", "复制的槽位"),
        Text("copied", "复制量"),
        Text("prompt tokens run", "运行的提示 token"),
    )
    ways = [event] if wrong is None else [event, wrong]
    columns = [column(event.n_alone, 0, 0), *(column(way.n_used, way.n_copied, way.n_reused) for way in ways)]
    head = ("", Text("separate", "各自独立"), Text("shared", "共享"))
    return compared(head, list(zip(names, *columns, strict=True)), wrong)


def _how_many(event: Bill) -> Ask | None:
    return whole(
        Told(
            "Two separate requests would need {n_alone} blocks. How many are in use here?",
            "两个各自独立的请求要 {n_alone} 块。这里实际占用多少块？",
        ).on(event),
        event.n_used,
        (
            Guess(float(event.n_alone), Text("That counts the shared blocks twice.", "这把共享的块数了两遍。")),
            Guess(float(event.n_saved), Text("Those are the blocks that are saved.", "这是省下的块数。")),
            Guess(
                float(max(len(table.blocks) for table in event.memory.tables)),
                Text(
                    "Those are the blocks of the longer table. The other has blocks of its own, too.",
                    "这是较长那张表的块数。另一个也有自己的块。",
                ),
            ),
        ),
    )
