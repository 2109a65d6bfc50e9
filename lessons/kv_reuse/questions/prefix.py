"""How much of a prompt can be reused once a token is replaced: by tokens, and in whole blocks."""

from __future__ import annotations

from dataclasses import dataclass

from engine.kv_reuse import Mistake
from engine.prompt_edits import kept_tokens
from lessons.kit.form import Form
from lessons.kit.question import Line, Question, Slip, together
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import TOKEN
from lessons.kv_reuse.mistakes import MISTAKES
from lessons.kv_reuse.questions.inputs import (
    AT,
    BLOCK,
    FOUR_DIGITS,
    LENGTH,
    ORDINAL,
    SHORTER,
    Prompt,
    inside,
    long_prompt,
    prompt,
    replacing,
)


def _before(q: Prompt) -> Text:
    """Positions before the edit, in words."""
    return Told("0 to {last}", "0 到 {last}").on(last=q.at - 1) if q.at else Text("none", "没有")


REUSE: Question[Prompt] = Question(
    slug="reuse",
    title=Text("The reusable prefix", "可复用的前缀"),
    prompt=Told(
        "A prompt of {length:token} is cached in a causal model. The token at position {at}, counted from 0, is "
        "replaced. How many leading tokens keep their k and v in every layer?",
        "因果模型缓存了 {length} 个 token 的提示。把位置 {at}（从 0 数）的 token 换掉。开头有多少个 token 在每一层的 "
        "k、v 都可以留用？",
    ),
    form=Form((LENGTH, AT), together=inside),
    inputs=Prompt(128, 100),
    invent=long_prompt,
    formula=lambda q: kept_tokens(q.at),
    slips=(
        MISTAKES.slip(
            Mistake.KEEP_ALL,
            lambda q: q.at + 1,
            replacing,
            name="edited_too",
            title=Text("Kept the replaced token", "连被替换的也留了"),
            said=Text(
                "That keeps the replaced token’s own k and v: the edit would have no effect at all.",
                "这样就留下了被替换 token 自己的 k、v：等于根本没有编辑。",
            ),
        ),
        Slip(
            "from_one",
            Text("Counted from 1", "从 1 数了"),
            lambda q: q.at - 1,
            Text(
                "Positions count from 0 here: as many tokens stand before a position as its number says.",
                "这里位置从 0 数：位置号是几，前面就有几个 token。",
            ),
        ),
        Slip(
            "rest",
            Text("Counted the other part", "数成了另一部分"),
            lambda q: q.length - q.at,
            Text("That is how many must be computed again.", "这是必须重算的个数。"),
        ),
        MISTAKES.slip(
            Mistake.EDITED_ONLY,
            lambda q: q.length - 1,
            replacing,
            name="all_but_one",
            title=Text("Dropped the replaced token alone", "只丢了被替换的那一个"),
            said=Text(
                "Every later token has looked at the replaced one, from layer 1 on.",
                "从第 1 层起，后面的每个 token 都看过被替换的那个。",
            ),
        ),
    ),
    working=lambda q: (
        (
            Told("Positions {before} stand before it.", "它前面是位置 {before}。").on(before=_before(q))
            if q.at
            else Text("Nothing stands before it.", "它前面什么也没有。")
        )
        + SHORTER
    ),
    way=replacing,
    reply=Number(TOKEN),
    rows=(
        Line(
            Text("positions that depend on the replaced token", "依赖被替换 token 的位置"),
            Text("itself and all behind it", "它自己和后面所有的"),
            "{at} … {last}",
        ),
        Line(Text("positions that do not", "不依赖它的位置"), Text("all before it", "它前面所有的"), _before),
        Line(
            Text("tokens kept", "可留用的 token"),
            Told("as many as stand before position {at}", "位置 {at} 之前的个数"),
            Told("{at:token}", "{at} 个 token"),
        ),
    ),
    tolerance=FOUR_DIGITS,
)


# --- counted from 1, in blocks


@dataclass(frozen=True)
class Ordinal:
    """A token counted from 1, and a cache that keeps whole blocks."""

    ordinal: int
    block: int

    @property
    def position(self) -> int:
        return self.ordinal - 1

    @property
    def whole(self) -> int:
        """Whole blocks before the token."""
        return self.position // self.block

    @property
    def kept(self) -> int:
        return kept_tokens(self.position, self.block)


_AS_INDEX = Slip[Ordinal](
    "as_index",
    Text("Took the number for a position", "把序号当成了位置"),
    lambda q: kept_tokens(q.ordinal, q.block),
    Text(
        "The number was taken for a position. Counted from 1, a token’s position is one less than its number.",
        "把序号当成了位置。从 1 数时，位置号比序号小一。",
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
    form=Form((ORDINAL, BLOCK)),
    inputs=Ordinal(96, 16),
    invent=lambda rng: Ordinal((block := rng.choice((4, 8, 16, 32, 64))) * rng.randint(2, 20), block),
    formula=lambda q: q.kept,
    slips=(
        _AS_INDEX,
        Slip(
            "no_blocks",
            Text("Forgot the blocks", "忘了按块"),
            lambda q: q.position,
            Text(
                "Single tokens were kept. The block that holds the edit is lost as a whole.",
                "按单个 token 留了。含有编辑的那一块要整块丢掉。",
            ),
        ),
        _IN_BLOCKS,
        together(_AS_INDEX, _IN_BLOCKS, lambda q: q.ordinal // q.block),
    ),
    working=Told(
        "Its position is {position}; {whole:whole block} of {block} {whole|lies|lie} before it.",
        "它的位置是 {position}；前面有 {whole} 个整块，每块 {block} 个 token。",
    )
    + SHORTER,
    way=lambda q: prompt(8, q.position),
    reply=Number(TOKEN),
    rows=(
        Line(Text("its position, from 0", "它的位置，从 0 数"), "{ordinal} − 1", "{position}"),
        Line(
            Text("whole blocks before it", "它前面的整块"),
            Told("{position} / {block}, rounded down", "{position} / {block}，向下取整"),
            "{whole}",
        ),
        Line(Text("tokens kept", "可留用的 token"), "{whole} × {block}", Told("{kept:token}", "{kept} 个 token")),
    ),
    tolerance=FOUR_DIGITS,
)
