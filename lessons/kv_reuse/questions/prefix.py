"""How much of a prompt can be reused: after a replacement, in blocks, after an insertion, and which change leaves
most."""

from __future__ import annotations

import random
from dataclasses import dataclass

from engine.kv_reuse import Mistake
from engine.prompt_edits import Operation, kept_tokens
from lessons.kit.controls import Whole
from lessons.kit.format import count
from lessons.kit.places import place, shuffled
from lessons.kit.question import Question, Row, Slip, Tolerance, together
from lessons.kit.reply import Answer, Number, Order
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import TOKEN
from lessons.kv_reuse.questions.inputs import (
    AT,
    BLOCK,
    LENGTH,
    MOST,
    POSITION,
    RELATIVE,
    SHORTER,
    Prompt,
    form,
    long_prompt,
    prompt,
    short_way,
    slip,
    up_to,
)

REUSE: Question[Prompt] = Question(
    slug="reuse",
    title=Text("The reusable prefix", "可复用的前缀"),
    prompt=Told(
        "A prompt of {length:token} is cached in a causal model. The token at position {at}, counted from 0, is "
        "replaced. How many leading tokens keep their k and v in every layer?",
        "因果模型缓存了 {length} 个 token 的提示。把位置 {at}（从 0 数）的 token 换掉。开头有多少个 token 在每一层的 "
        "k、v 都可以留用？",
    ),
    form=form(Prompt, LENGTH, AT),
    inputs=Prompt(128, 100),
    invent=long_prompt,
    formula=lambda q: kept_tokens(q.at),
    slips=(
        slip(
            "edited_too",
            Text("Kept the replaced token", "连被替换的也留了"),
            lambda q: q.at + 1,
            Text(
                "That keeps the replaced token’s own k and v: the edit would have no effect at all.",
                "这样就留下了被替换 token 自己的 k、v：等于根本没有编辑。",
            ),
            lambda q: short_way(q, Operation.REPLACE, Mistake.KEEP_ALL),
        ),
        slip(
            "from_one",
            Text("Counted from 1", "从 1 数了"),
            lambda q: q.at - 1,
            Text(
                "Positions count from 0 here: as many tokens stand before a position as its number says.",
                "这里位置从 0 数：位置号是几，前面就有几个 token。",
            ),
        ),
        slip(
            "rest",
            Text("Counted the other part", "数成了另一部分"),
            lambda q: q.length - q.at,
            Text("That is how many must be computed again.", "这是必须重算的个数。"),
        ),
        slip(
            "all_but_one",
            Text("Dropped the replaced token alone", "只丢了被替换的那一个"),
            lambda q: q.length - 1,
            Text(
                "Every later token has looked at the replaced one, from layer 1 on.",
                "从第 1 层起，后面的每个 token 都看过被替换的那个。",
            ),
            lambda q: short_way(q, Operation.REPLACE, Mistake.EDITED_ONLY),
        ),
    ),
    working=lambda q: (
        Text(
            f"Positions 0 to {count(max(q.at - 1, 0))} stand before it.",
            f"它前面是位置 0 到 {count(max(q.at - 1, 0))}。",
        )
        + SHORTER
    ),
    way=lambda q: short_way(q, Operation.REPLACE),
    reply=Number(TOKEN),
    rows=lambda q: (
        Row(
            Text("positions that depend on the replaced token", "依赖被替换 token 的位置"),
            Text("itself and all behind it", "它自己和后面所有的"),
            f"{count(q.at)} … {count(q.length - 1)}",
        ),
        Row(Text("positions that do not", "不依赖它的位置"), Text("all before it", "它前面所有的"), up_to(q.at)),
        Row(
            Text("tokens kept", "可留用的 token"),
            Text(f"as many as stand before position {count(q.at)}", f"位置 {count(q.at)} 之前的个数"),
            TOKEN.after(count(q.at)),
        ),
    ),
    tolerance=Tolerance(RELATIVE, 0.01),
)


# --- counted from 1, in blocks


@dataclass(frozen=True)
class Ordinal:
    """A token counted from 1, and a cache that keeps whole blocks."""

    ordinal: int
    block: int

    @property
    def whole(self) -> int:
        """Whole blocks before the token."""
        return (self.ordinal - 1) // self.block


ORDINAL = Whole("ordinal", Text("Which token (from 1)", "第几个 token（从 1 数）"), 1, MOST)
_AS_INDEX = Slip[Ordinal](
    "as_index",
    Text("Took the number for a position", "把序号当成了位置"),
    lambda q: kept_tokens(q.ordinal, q.block),
    Text(
        "The number was taken for a position. Counted from 1, a token’s position is one less than its number.",
        "把序号当成了位置。从 1 数时，位置号比序号小一。",
    ),
)
_NO_BLOCKS = Slip[Ordinal](
    "no_blocks",
    Text("Forgot the blocks", "忘了按块"),
    lambda q: q.ordinal - 1,
    Text(
        "Single tokens were kept. The block that holds the edit is lost as a whole.",
        "按单个 token 留了。含有编辑的那一块要整块丢掉。",
    ),
)
_IN_BLOCKS = Slip[Ordinal](
    "number_of_blocks",
    Text("Counted blocks", "数了块数"),
    lambda q: q.whole,
    Text("Blocks were counted. The question asks for tokens.", "数的是块数。题目问的是 token 数。"),
)

BLOCKS: Question[Ordinal] = Question(
    slug="blocks",
    title=Text("Counted from 1, in whole blocks", "从 1 数，按整块留"),
    prompt=Told(
        "A causal model has cached a prompt. Its “token number {ordinal}”, counted from 1, is replaced. The cache "
        "keeps whole blocks of {block:token} only. How many tokens can be kept?",
        "因果模型缓存了一段提示。其中“第 {ordinal} 个 token”（从 1 数）被替换。缓存只能按每 {block} 个 token 的整块保"
        "留。可以留用多少个 token？",
    ),
    form=form(Ordinal, ORDINAL, BLOCK),
    inputs=Ordinal(96, 16),
    invent=lambda rng: Ordinal((block := rng.choice((4, 8, 16, 32, 64))) * rng.randint(2, 20), block),
    formula=lambda q: kept_tokens(q.ordinal - 1, q.block),
    slips=(
        _AS_INDEX,
        _NO_BLOCKS,
        _IN_BLOCKS,
        together(_AS_INDEX, _IN_BLOCKS, lambda q: q.ordinal // q.block),
    ),
    working=lambda q: (
        Text(
            f"Its position is {count(q.ordinal - 1)}; {count(q.whole)} whole blocks of {q.block} lie before it.",
            f"它的位置是 {count(q.ordinal - 1)}；前面有 {count(q.whole)} 个整块，每块 {q.block} 个 token。",
        )
        + SHORTER
    ),
    way=lambda q: prompt(8, q.ordinal - 1),
    reply=Number(TOKEN),
    rows=lambda q: (
        Row(Text("its position, from 0", "它的位置，从 0 数"), f"{count(q.ordinal)} − 1", count(q.ordinal - 1)),
        Row(
            Text("whole blocks before it", "它前面的整块"),
            Text(f"{count(q.ordinal - 1)} / {q.block}, rounded down", f"{count(q.ordinal - 1)} / {q.block}，向下取整"),
            count(q.whole),
        ),
        Row(
            Text("tokens kept", "可留用的 token"),
            f"{count(q.whole)} × {q.block}",
            TOKEN.after(count(q.whole * q.block)),
        ),
    ),
    tolerance=Tolerance(RELATIVE, 0.01),
)


# --- after an insertion

INSERTION: Question[Prompt] = Question(
    slug="insertion",
    title=Text("After an insertion", "插入之后"),
    prompt=Told(
        "{length} tokens are cached in a causal model of several layers. One token is inserted so that it stands at "
        "position {at}, counted from 0. How many positions must be computed, the inserted one included?",
        "多层因果模型缓存了 {length} 个 token。插入一个 token，让它位于位置 {at}（从 0 数）。连插入的在内，有多少个位"
        "置要计算？",
    ),
    form=form(Prompt, LENGTH, AT),
    inputs=Prompt(24, 8),
    invent=long_prompt,
    formula=lambda q: q.length - q.at + 1,
    slips=(
        slip(
            "inserted_alone",
            Text("Only the inserted token", "只算了插入的"),
            lambda q: 1,
            Text(
                "What stands behind has moved on by one position and now sees one token more.",
                "后面的 token 都往后移了一位，而且多看见一个 token。",
            ),
            lambda q: short_way(q, Operation.INSERT, Mistake.EDITED_ONLY),
        ),
        slip(
            "forgot_inserted",
            Text("Forgot the inserted one", "漏了插入的那个"),
            lambda q: q.length - q.at,
            Text(
                "That is how many stand behind it. It has to be computed as well.", "这是它后面的个数。它自己也要算。"
            ),
        ),
        slip(
            "everything",
            Text("Counted every position", "全部都算了"),
            lambda q: q.length + 1,
            Text(
                "What stands before the insertion neither moves nor sees it.",
                "插入位置之前的 token 既没有移动，也看不到它。",
            ),
        ),
        slip(
            "one_less",
            Text("Left out two", "漏了两个"),
            lambda q: q.length - q.at - 1,
            Text(
                "That leaves out the inserted token and the one it pushed on, whose stored k is still turned to the "
                "old position.",
                "这漏了插入的 token，也漏了被它挤后一位的那个：后者存下的 k 还转在旧位置上。",
            ),
        ),
    ),
    working=lambda q: (
        Text(
            f"The prompt now has {count(q.length + 1)} positions; those from {count(q.at)} on are computed. In layer "
            "0 the moved v would still hold, but a token counts as reusable only if all its layers do.",
            f"提示现在有 {count(q.length + 1)} 个位置；从 {count(q.at)} 起都要算。第 0 层移动过的 v 其实仍有效，但一"
            "个 token 要所有层都有效才算可复用。",
        )
        + SHORTER
    ),
    way=lambda q: short_way(q, Operation.INSERT),
    reply=Number(POSITION),
    rows=lambda q: (
        Row(Text("positions now", "现在的位置数"), f"{count(q.length)} + 1", count(q.length + 1)),
        Row(
            Text("positions kept", "可留用的位置"), Text("all before the insertion", "插入位置之前的全部"), count(q.at)
        ),
        Row(
            Text("positions to compute", "要计算的位置"),
            f"{count(q.length + 1)} − {count(q.at)}",
            POSITION.after(count(q.length + 1 - q.at)),
        ),
    ),
    tolerance=Tolerance(RELATIVE, 0.01),
)


# --- which change leaves most


@dataclass(frozen=True)
class Changes:
    """Five changes, each made alone to the same cached prompt."""

    length: int = 128
    replaced: int = 100
    inserted: int = 40
    blocked: int = 108
    block: int = 16


APPEND, REPLACE, INSERT, BLOCKED, ADAPTER = range(5)


def _changes(q: Changes) -> tuple[Text, ...]:
    return (
        Text("one more token is appended", "末尾再追加一个 token"),
        Text(f"the token at position {count(q.replaced)} is replaced", f"位置 {count(q.replaced)} 的 token 被替换"),
        Text(f"a token is inserted at position {count(q.inserted)}", f"在位置 {count(q.inserted)} 插入一个 token"),
        Text(
            f"the token at position {count(q.blocked)} is replaced, and the cache keeps whole blocks of {q.block}",
            f"位置 {count(q.blocked)} 的 token 被替换，缓存只能按每 {q.block} 个 token 的整块留",
        ),
        Text("the v weights of the top layer get another adapter", "最顶层的 v 权重换了适配器"),
    )


def kept_by(q: Changes) -> tuple[float, ...]:
    """Tokens whose k and v stay valid in every layer, after each change."""
    return tuple(map(float, (q.length, q.replaced, q.inserted, kept_tokens(q.blocked, q.block), 0)))


def _most_first(kept: tuple[float, ...]) -> list[int]:
    return sorted(range(5), key=kept.__getitem__, reverse=True)


def _offered(q: Changes) -> tuple[int, ...]:
    right = _most_first(kept_by(q))
    return tuple(right[i] for i in shuffled(5, q.length, q.replaced, q.inserted, moved=True))


def _in_order(q: Changes, wanted: list[int]) -> Answer:
    return tuple(place(_offered(q), item) for item in wanted)


def _if(q: Changes, change: int, kept: float) -> Answer:
    """The order if this change left `kept` tokens."""
    return _in_order(q, _most_first(tuple(kept if i == change else x for i, x in enumerate(kept_by(q)))))


def _draw_changes(rng: random.Random) -> Changes:
    """The replacement between the edit in blocks and the beginning of its block."""
    block = rng.choice((8, 16, 32))
    blocked = block * rng.randint(1, 6) + rng.randint(3, block - 1)
    replaced = rng.randint(blocked // block * block + 1, blocked - 1)
    length = blocked + rng.randint(2, 100)
    inserted = rng.choice([i for i in range(2, length - 1) if i not in (blocked, replaced, blocked // block * block)])
    return Changes(length, replaced, inserted, blocked, block)


def _field(name: str, en: str, zh: str) -> Whole:
    return Whole(name, Text(en, zh), 1, MOST)


LEAVES_MOST: Question[Changes] = Question(
    slug="leaves_most",
    title=Text("Which change leaves most?", "哪种改动留下最多？"),
    prompt=Told(
        "{length} token{length| is|s are} cached in a causal model of several layers. Put these changes, each made "
        "alone, in the order of how many tokens can be reused in every layer, most first. Which comes where "
        "(positions from 0)?",
        "多层因果模型缓存了 {length} 个 token。下面的改动各自单独做一次。按“在每一层都可复用的 token 数”从多到少排"
        "列，顺序是怎样的（位置从 0 数）？",
    ),
    form=form(
        Changes,
        _field("length", "Prompt length", "提示长度"),
        _field("replaced", "Replaced position", "替换的位置"),
        _field("inserted", "Inserted position", "插入的位置"),
        _field("blocked", "Replaced position, in blocks", "按块留时替换的位置"),
        BLOCK,
    ),
    inputs=Changes(),
    invent=_draw_changes,
    formula=lambda q: _in_order(q, _most_first(kept_by(q))),
    slips=(
        Slip(
            "fewest_first",
            Text("Fewest first", "从少到多"),
            lambda q: _in_order(q, _most_first(kept_by(q))[::-1]),
            Text("The order is right, but it begins with the fewest.", "次序对，但从最少的开始了。"),
        ),
        Slip(
            "no_blocks",
            Text("Forgot the blocks", "忘了按块"),
            lambda q: _if(q, BLOCKED, q.blocked),
            lambda q: Text(
                f"In whole blocks of {q.block}, an edit at {count(q.blocked)} leaves "
                f"{count(kept_tokens(q.blocked, q.block))} tokens: its own block is lost from its beginning.",
                f"按每 {q.block} 个 token 的整块留，位置 {count(q.blocked)} 的编辑只留下 "
                f"{count(kept_tokens(q.blocked, q.block))} 个 token：它所在的块从头起全部丢掉。",
            ),
        ),
        Slip(
            "layers_below",
            Text("Counted the layers below the adapter", "把适配器以下的层算上了"),
            lambda q: _if(q, ADAPTER, q.length - 0.5),
            Text(
                "The layers below do hold, but a token is reusable only where all its layers are: in the adapter’s "
                "own layer every v has changed.",
                "下面的层确实有效，但一个 token 要所有层都有效才可复用：在适配器那一层，每个 v 都变了。",
            ),
        ),
        Slip(
            "append_invalidates",
            Text("Took an append for a change to what stands before", "以为追加会改动前面的 token"),
            lambda q: _if(q, APPEND, -1),
            Told(
                "In a causal model nobody before it sees an appended token: all {length} stay.",
                "因果模型里，前面谁也看不到追加的 token：{length} 个全部可留。",
            ),
        ),
    ),
    working=lambda q: Text(
        " > ".join(f"{count(int(kept_by(q)[i]))} ({_changes(q)[i].en})" for i in _most_first(kept_by(q))) + ".",
        " > ".join(f"{count(int(kept_by(q)[i]))}（{_changes(q)[i].zh}）" for i in _most_first(kept_by(q))) + "。",
    ),
    way=lambda q: short_way(Prompt(q.length, q.replaced), Operation.REPLACE),
    reply=Order(lambda q: tuple(_changes(q)[i] for i in _offered(q))),
    rows=lambda q: tuple(
        Row(
            _changes(q)[i],
            {
                APPEND: Text("nothing before it sees it", "前面谁也看不到它"),
                REPLACE: Text("all before it", "它前面的全部"),
                INSERT: Text(
                    "all before it: the rest moves and sees one more", "它前面的全部：其余的移了位，又多看见一个"
                ),
                BLOCKED: Text(
                    f"{count(q.blocked)} / {q.block} rounded down, × {q.block}",
                    f"{count(q.blocked)} / {q.block} 向下取整，× {q.block}",
                ),
                ADAPTER: Text("every v of the top layer has changed", "最顶层的每个 v 都变了"),
            }[i],
            TOKEN.after(count(int(kept_by(q)[i]))),
        )
        for i in _most_first(kept_by(q))
    ),
)
