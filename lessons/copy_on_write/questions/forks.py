"""A fork that is written to: the new blocks it takes, and what a copy moves."""

from __future__ import annotations

from dataclasses import dataclass

from engine.paged import BlockPool, Sequence, blocks_for
from engine.shared_blocks import MOST_WRITES, Arrival, Mistake, Scenario
from lessons.copy_on_write.mistakes import MISTAKES
from lessons.copy_on_write.naming import A_TOKEN, LAYERS, MODEL, kv_bytes
from lessons.copy_on_write.questions.fields import APPENDED, LENGTH, SIZE, InBlocks, small
from lessons.kit.form import Form
from lessons.kit.question import COUNTED, Line, Question, Slip, together
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import BLOCK, KIB


def forked(x: InBlocks, appended: int = 1, n: int = 2) -> tuple[BlockPool, list[Sequence]]:
    """`n` requests that share the tokens, and a pool with room for what each appends."""
    pool = BlockPool(x.blocks + n * (blocks_for(appended, x.size) + 1), x.size)
    first = Sequence(pool)
    first.append(x.length)
    return pool, [first, *(first.fork() for _ in range(n - 1))]


def way(x: InBlocks, writers: tuple[str, ...] = ("A",)) -> Scenario:
    """The fork in the player, for fewer tokens with the last block as full."""
    length, size_ = small(x.length, x.size)
    return Scenario(Arrival.FORK, length, size_, writers, min(8, length), 2)


# --- new blocks


@dataclass(frozen=True)
class Append(InBlocks):
    """A request of `length` tokens was forked; now it appends."""

    length: int
    appended: int
    size: int

    @property
    def after(self) -> int:
        """Blocks of the request once it has appended."""
        return blocks_for(self.length + self.appended, self.size)

    @property
    def new(self) -> int:
        _, (a, _) = forked(self, self.appended)
        return len(a.append(self.appended).allocated)


def _append_way(x: Append) -> Scenario:
    return way(x, ("A",) * min(x.appended, MOST_WRITES))


NEW_BLOCKS: Question[Append] = Question(
    slug="new_blocks",
    title=Text("New blocks for an append", "追加需要几个新块"),
    prompt=Told(
        "A has {length:token} in blocks of {size}. B was forked from it and shares them all. A appends "
        "{appended:token}. How many new blocks are taken from the pool?",
        "A 有 {length} 个 token，每块 {size} 个。B 从它分叉，全部共享。A 再追加 {appended} 个 token。要从池中取出多"
        "少个新块？",
    ),
    form=Form((LENGTH, APPENDED, SIZE)),
    inputs=Append(10, 7, 4),
    invent=lambda rng: Append(rng.randint(2, 140), rng.randint(1, 140), rng.choice((4, 8, 16))),
    formula=lambda x: x.new,
    slips=(
        MISTAKES.slip(
            Mistake.NO_COPY,
            lambda x: x.after - x.blocks,
            _append_way,
            name="forgot_copy",
            title=Text("Forgot the copy", "忘了复制用的块"),
            said=Text(
                "That would be right if nothing were shared. The unfilled last block is shared, so it needs a copy "
                "of its own.",
                "若没有共享，这是对的。没装满的最后一块是共享的，所以还要一块来放副本。",
            ),
        ),
        Slip(
            "copied_all",
            Text("Copied every block", "把每块都复制了"),
            lambda x: x.after,
            Text(
                "That copies the full blocks as well. Nobody writes into them: they stay shared.",
                "这把满块也复制了。没有人往里写，它们继续共享。",
            ),
        ),
        Slip(
            "counted_tokens",
            Text("Counted tokens", "数了 token"),
            lambda x: x.appended,
            Told("That is one block a token. A block takes {size}.", "这是一个 token 一块。一块能放 {size} 个。"),
        ),
    ),
    working=Told(
        "⌈({length} + {appended}) ÷ {size}⌉ − ⌊{length} ÷ {size}⌋ = {after} − {full} = {new}. The steps show it "
        "for fewer tokens with the last block as full.",
        "⌈({length} + {appended}) ÷ {size}⌉ − ⌊{length} ÷ {size}⌋ = {after} − {full} = {new}。下面的步骤用较少的 "
        "token 演示，最后一块的装满程度相同。",
    ),
    way=_append_way,
    reply=Number(BLOCK),
    rows=(
        Line(Text("Blocks of A afterwards", "追加后 A 的块"), "⌈({length} + {appended}) ÷ {size}⌉", "{after}"),
        Line(Text("Full blocks, which stay shared", "继续共享的满块"), "⌊{length} ÷ {size}⌋", "{full}"),
        Line(Text("New blocks", "新块"), "{after} − {full}", Told("{new:block}", "{new} 块")),
    ),
    tolerance=COUNTED,
)


# --- what a copy moves


def _kib(n_tokens: int) -> float:
    return kv_bytes(n_tokens) / 2**10


@dataclass(frozen=True)
class Copied(InBlocks):
    """A forked request of `length` tokens writes."""

    length: int
    size: int
    model, a_token = MODEL, A_TOKEN

    @property
    def copied(self) -> int:
        """Slots that the copy moves."""
        _, (a, _) = forked(self)
        copy = a.append().copied
        return 0 if copy is None else copy.n_slots


_WHOLE_BLOCK: Slip[Copied] = Slip(
    "whole_block",
    Text("A whole block", "按整块算了"),
    lambda x: _kib(x.size),
    Text(
        "That is the whole block. Only the slots in use hold anything to copy; a real engine may move all of it "
        "for simplicity.",
        "这是整块。只有已用的槽位有内容可复制；实际的引擎为了简单可能会整块搬运。",
    ),
)
_ONE_LAYER: Slip[Copied] = Slip(
    "one_layer",
    Text("One layer", "只算一层"),
    lambda x: _kib(x.copied) / LAYERS,
    Text(
        f"That is one of {LAYERS} layers. Each has a K and a V of its own for every token.",
        f"这只是 {LAYERS} 层中的一层。每层都有每个 token 的 K 和 V。",
    ),
)

COPIED: Question[Copied] = Question(
    slug="copied",
    title=Text("What a copy moves", "一次复制搬运多少"),
    prompt=Told(
        "A and B share {length:token} in blocks of {size}, in {model} with {a_token} of K and V a token over all "
        "layers. A appends a token. How many KiB have to be copied at least?",
        "A、B 共享 {length} 个 token，每块 {size} 个；模型是 {model}，每个 token 在所有层的 K、V 共 {a_token}。A 追"
        "加一个 token。至少要复制多少 KiB？",
    ),
    form=Form((LENGTH, SIZE)),
    inputs=Copied(11, 4),
    invent=lambda rng: Copied(rng.randint(17, 300), rng.choice((4, 8, 16))),
    formula=lambda x: _kib(x.copied),
    slips=(
        _WHOLE_BLOCK,
        Slip(
            "free_slots",
            Text("The slots that are free", "按空槽位算了"),
            lambda x: _kib(x.size - x.over),
            Text(
                "Those are the slots still free. What has to be copied is what lies in the block.",
                "这是还空着的槽位。要复制的是块里已有的内容。",
            ),
        ),
        Slip(
            "everything",
            Text("All tokens", "按全部 token 算了"),
            lambda x: _kib(x.length),
            Text(
                "That copies the whole request. The full blocks stay where they are and stay shared.",
                "这把整个请求都复制了。满块原地不动，继续共享。",
            ),
        ),
        _ONE_LAYER,
        together(_WHOLE_BLOCK, _ONE_LAYER, lambda x: _kib(x.size) / LAYERS),
    ),
    working=Told(
        "{length} mod {size} = {copied}: so many slots are in use, each {a_token}.",
        "{length} mod {size} = {copied} 个槽位已用，每个 {a_token}。",
    ),
    way=way,
    reply=Number(KIB),
    rows=(
        Line(Text("Slots in use in the last block", "末块已用的槽位"), "{length} mod {size}", "{copied}"),
        Line(Text("Each, over all layers", "每个槽位，所有层合计"), MODEL, KIB.after(f"{_kib(1):g}")),
        Line(Text("Copied", "复制量"), f"{{copied}} × {_kib(1):g}", lambda x: KIB.after(f"{_kib(x.copied):g}")),
    ),
)
