"""What the lesson asks before it shows: what a fork takes, what a copy copies, who has to copy, what a hit saves."""

from __future__ import annotations

from engine.copy_on_write import Prepared, Shared, Wants, Way
from engine.shared_blocks import Bill, Scenario, Step, Taken
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.text import Text

WAYS = (Way.COPY, Way.IN_PLACE, Way.NEW_BLOCK)
OPTIONS = (
    Text("it copies that block first", "先复制这一块"),
    Text("it writes in place", "直接写入"),
    Text("it opens a new block, without a copy", "另开新块，不复制"),
)


def ask(scenario: Scenario, step: Step) -> Ask | None:
    """A question in front of this step, None in front of most."""
    match step.event:
        case Shared():
            return _forked(step)
        case Prepared():
            return _copied(scenario, step.event)
        case Wants() if _is_second(scenario, step.event):
            return _who(step.event)
        case Taken():
            return _reused(scenario, step.event)
        case Bill() if not scenario.forked:
            return _in_use(step.event)
    return None


def _whole(prompt: Text, answer: int, guesses: list[Guess]) -> Ask | None:
    """A whole number is asked for, and only that number is right."""
    return asking(prompt, float(answer), guesses, relative=0, absolute=0, shown=str(answer))


def _is_second(scenario: Scenario, event: Wants) -> bool:
    """Whether this is the second write, at which the first has changed the counts."""
    first, second = (*scenario.writers, "", "")[:2]
    return (event.name, event.position) == (second, scenario.n_tokens + (first == second))


def _forked(step: Step) -> Ask | None:
    n = len(step.before.table("A").blocks)
    used = sum(refs > 0 for refs in step.memory.ref_counts)
    return _whole(
        Text(
            f"A has {n} block{'s' * (n != 1)}. B is forked from A. How many blocks are in use then?",
            f"A 占用 {n} 块。B 从 A 分叉。这时一共占用多少块？",
        ),
        used,
        [
            Guess(
                2.0 * n,
                Text(
                    f"That copies every block. A fork copies the table only: both tables name the same {n}.",
                    f"这把每一块都复制了。分叉只复制块表：两张表引用同样的 {n} 块。",
                ),
            ),
            Guess(
                n + 1.0,
                Text(
                    "That opens a block for B at once. B has nothing to write yet.",
                    "这马上就给 B 开了一块。B 还没有东西要写。",
                ),
            ),
        ],
    )


def _copied(scenario: Scenario, event: Prepared) -> Ask | None:
    copy = event.copied
    if copy is None:
        return None
    size, n, free = scenario.block_size, event.memory.table(event.name).length, scenario.block_size - copy.n_slots
    return _whole(
        Text(
            f"Block {copy.source} is copied before {event.name} writes. How many of its {size} slots have to be "
            "copied?",
            f"{event.name} 写入前要复制块 {copy.source}。它的 {size} 个槽位里，有几个必须复制？",
        ),
        copy.n_slots,
        [
            Guess(
                float(size),
                Text(
                    f"That is the whole block. {free} of its slots hold nothing.",
                    f"这是整块。其中 {free} 个槽位是空的。",
                ),
            ),
            Guess(
                float(free),
                Text("Those are the empty ones. What is there has to be copied.", "这是空着的。要复制的是已有的内容。"),
            ),
            Guess(
                float(n),
                Text(
                    f"Those are all {n} tokens of {event.name}. The full blocks stay shared: nobody writes there.",
                    f"这是 {event.name} 的全部 {n} 个 token。满块继续共享：没有人往那里写。",
                ),
            ),
        ],
    )


def _who(event: Wants) -> Ask | None:
    if event.block is None:
        return None
    block, refs, name = event.block, event.ref_count, event.name
    why = {
        Way.COPY: Text(
            f"Block {block} has room, and {refs} tables name it: without a copy the other would read what {name} "
            "writes.",
            f"块 {block} 还有空位，却有 {refs} 张表引用它：不复制，另一方就会读到 {name} 写的东西。",
        ),
        Way.IN_PLACE: Text(
            f"Block {block} has room, and {refs} table names it, {name}’s own: nobody else can be disturbed.",
            f"块 {block} 还有空位，只有 {refs} 张表引用它，就是 {name} 自己的：不会影响别人。",
        ),
        Way.NEW_BLOCK: Text(
            f"Block {block} is full, named by {refs}: the token goes into another block, and this one stays as it is.",
            f"块 {block} 已满，有 {refs} 张表引用它：token 要放进另一块，这一块原样不动。",
        ),
    }[event.way]
    answer = WAYS.index(event.way) + 1
    return asking(
        Text(
            f"Now {name} wants to write position {event.position}; its last block is {block}. What happens?",
            f"轮到 {name} 写位置 {event.position}，它的最后一块是块 {block}。会怎样？",
        ),
        float(answer),
        [Guess(float(i), why) for i in (1, 2, 3) if i != answer],
        options=OPTIONS,
    )


def _reused(scenario: Scenario, event: Taken) -> Ask | None:
    prompt, size = len(scenario.prompts[1]), scenario.block_size
    n = len(event.blocks) * size
    known = scenario.n_shared
    return _whole(
        Text(
            f"B’s prompt has {prompt} tokens, in blocks of {size}. For how many of them need K and V not be computed "
            "again?",
            f"B 的提示有 {prompt} 个 token，每块 {size} 个。其中多少个的 K、V 不用再算？",
        ),
        n,
        [
            Guess(
                float(known),
                Text(
                    "So many begin like A’s. Of these only full blocks found by name count, and never the prompt’s "
                    f"last token: {n}.",
                    f"开头确有这么多与 A 相同。其中只算按名字找到的满块，提示的最后一个 token 也总要运行：{n} 个。",
                ),
            ),
            Guess(
                float(prompt // size * size),
                Text(
                    "Those are all full blocks of B. Only those that were found are used, and none that holds the "
                    f"last token: {n} tokens.",
                    f"这是 B 的全部满块。能用的只有找到的，而且不含最后一个 token 所在的块：{n} 个 token。",
                ),
            ),
            Guess(
                prompt - 1.0,
                Text(
                    "That leaves out the last token, as one must; but blocks are shared whole or not at all.",
                    "除去最后一个 token 是对的；但块要么整块共享，要么不共享。",
                ),
            ),
            Guess(
                float(prompt - n),
                Text("Those are the tokens that are computed.", "这是要计算的 token 数。"),
            ),
        ],
    )


def _in_use(event: Bill) -> Ask | None:
    return _whole(
        Text(
            f"Two separate requests would need {event.n_alone} blocks. How many are in use here?",
            f"两个各自独立的请求要 {event.n_alone} 块。这里实际占用多少块？",
        ),
        event.n_used,
        [
            Guess(
                float(event.n_alone),
                Text("That counts the shared blocks twice.", "这把共享的块数了两遍。"),
            ),
            Guess(
                float(event.n_alone - event.n_used),
                Text("Those are the blocks that are saved.", "这是省下的块数。"),
            ),
            Guess(
                float(max(len(table.blocks) for table in event.memory.tables)),
                Text(
                    "Those are the blocks of the longer table. The other has blocks of its own, too.",
                    "这是较长那张表的块数。另一个也有自己的块。",
                ),
            ),
        ],
    )
