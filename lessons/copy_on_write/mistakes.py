"""The wrong ways that this lesson runs."""

from __future__ import annotations

from collections.abc import Callable

from engine.shared_blocks import Arrival, Mistake, Scenario
from lessons.kit.mistake import Mistakes, Wrong
from lessons.kit.text import Text
from lessons.kit.told import Told


def _no_copy_needed(s: Scenario) -> Text:
    if not s.forked:
        return Text(
            "a prefix cache shares full blocks only, and nobody writes into a full block. No copy is needed, so "
            "leaving it out changes nothing. Choose an example with a fork.",
            "前缀缓存只共享满块，而没有人会往满块里写。既然不需要复制，漏掉它也就没有影响。请选一个分叉的例子。",
        )
    if s.n_tokens % s.block_size == 0:
        return Told(
            "{n_tokens} tokens fill blocks of {block_size} exactly: every shared block is full, and a new token "
            "opens a new block.",
            "{n_tokens} 个 token 恰好装满每块 {block_size} 个的块：共享的块都是满的，新 token 会开新块。",
        ).on(s)
    return Text("nobody writes.", "没有人写入。")


def _nothing_found(shows: Arrival, otherwise: Text) -> Callable[[Scenario], Text]:
    """Why a name that leaves something out finds no block that it should not: it takes a B that comes like `shows`."""

    def invisible(s: Scenario) -> Text:
        if s.forked:
            return Text(
                "a fork copies a table and looks nothing up by name. Choose an example with a prefix cache.",
                "分叉只复制块表，不按名字查找任何东西。请选一个前缀缓存的例子。",
            )
        if s.arrival is not shows:
            return otherwise
        return Text(
            "no full block of B that may be used has tokens that a block of A has.",
            "B 可用的满块里，没有一块的 token 与 A 的某块相同。",
        )

    return invisible


MISTAKES: Mistakes[Scenario] = Mistakes(
    Mistake.NONE,
    {
        Mistake.NO_COPY: Wrong(
            title=Text("write without copying", "不复制就写"),
            said=Text(
                "a block that another table names as well is written to without a copy.",
                "别的块表也在引用的块，不复制就往里写。",
            ),
            invisible=_no_copy_needed,
        ),
        Mistake.NO_PARENT: Wrong(
            title=Text("name without the block before", "名字不含前一块"),
            said=Text(
                "hashes a block’s own tokens without what stands before them.",
                "只对本块的 token 求哈希，不管前面是什么。",
            ),
            invisible=_nothing_found(
                Arrival.REPEAT,
                Text("no block of B has the tokens of another block of A.", "B 没有哪一块的 token 与 A 的另一块相同。"),
            ),
        ),
        Mistake.NO_MODEL: Wrong(
            title=Text("name without the model", "名字不含模型"),
            said=Text("the model does not enter the hash.", "模型不进入哈希。"),
            invisible=_nothing_found(
                Arrival.MODEL, Text("both requests run the same model.", "两个请求用的是同一个模型。")
            ),
        ),
        Mistake.NO_ADAPTER: Wrong(
            title=Text("name without the adapter", "名字不含适配器"),
            said=Text("the adapter does not enter the hash.", "适配器不进入哈希。"),
            invisible=_nothing_found(
                Arrival.ADAPTER,
                Text(
                    "they differ in more, or in something else, than the adapter.",
                    "两者的差别不在适配器，或不只在适配器。",
                ),
            ),
        ),
        Mistake.NO_SALT: Wrong(
            title=Text("name without the salt", "名字不含盐"),
            said=Text("the salt does not enter the hash.", "盐不进入哈希。"),
            invisible=_nothing_found(
                Arrival.SALT,
                Text("they differ in more, or in something else, than the salt.", "两者的差别不在盐，或不只在盐。"),
            ),
        ),
        Mistake.UNTAGGED: Wrong(
            title=Text("adapter and salt not told apart", "适配器与盐不加区分"),
            said=Text(
                "puts adapter and salt into one list of words, so which of them it was is lost.",
                "把适配器和盐放进同一个词表，分不清哪个是哪个。",
            ),
            invisible=_nothing_found(
                Arrival.ADAPTER_AS_SALT,
                Text("no word stands once as an adapter and once as a salt.", "没有哪个词一次作适配器、一次作盐。"),
            ),
        ),
    },
    unseen=Text("**invisible on these inputs**, because ", "**在这组输入上看不出来**，因为"),
)
