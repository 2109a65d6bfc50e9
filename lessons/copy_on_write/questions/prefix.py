"""A prompt that comes to a prefix cache: the tokens that need no computing."""

from __future__ import annotations

import random
from dataclasses import dataclass

from engine.prefix_cache import reusable_tokens
from engine.shared_blocks import Arrival, Scenario
from lessons.copy_on_write.questions import fields
from lessons.copy_on_write.questions.fields import CACHED, INDEX, PROMPT, SIZE, SMALLER
from lessons.kit.form import Form
from lessons.kit.question import COUNTED, Line, Question, Slip
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import TOKEN


@dataclass(frozen=True)
class Hit:
    """A prompt of which the first `cached` tokens are in a prefix cache."""

    prompt: int
    cached: int
    size: int

    @property
    def known(self) -> int:
        """Tokens of the prompt in the cache: never more than it has."""
        return min(self.cached, self.prompt)

    @property
    def most(self) -> int:
        """Without the last token, which is always run."""
        return min(self.cached, self.prompt - 1)

    @property
    def full(self) -> int:
        return self.most // self.size

    @property
    def reused(self) -> int:
        return reusable_tokens(self.prompt, self.cached, self.size)


def _invent_hit(rng: random.Random) -> Hit:
    size = rng.choice((8, 12, 16, 24, 32, 64))
    n = size * rng.randint(2, 12)
    return Hit(n, n, size) if rng.random() < 0.7 else Hit(n + rng.randint(1, 20), n, size)


REUSED: Question[Hit] = Question(
    slug="reused",
    title=Text("Tokens reused", "复用多少 token"),
    prompt=Told(
        "A prompt has {prompt:token}; its first {known} are in the prefix cache, in blocks of {size}. How many "
        "tokens need not be computed?",
        "一个提示有 {prompt} 个 token；前 {known} 个在前缀缓存里，每块 {size} 个。有多少个 token 不用计算？",
    ),
    form=Form((PROMPT, CACHED, SIZE)),
    inputs=Hit(48, 48, 16),
    invent=_invent_hit,
    formula=lambda x: x.reused,
    slips=(
        Slip(
            "everything",
            Text("All that is cached", "缓存了多少就算多少"),
            lambda x: x.known,
            Text(
                "The last token must be run to know what follows it, and sharing goes by full blocks: the block "
                "that holds it is computed again.",
                "最后一个 token 必须运行，才知道下一个是什么；共享又以满块为单位，所以含有它的那块要重算。",
            ),
        ),
        Slip(
            "all_but_one",
            Text("All but the last token", "只除去最后一个"),
            lambda x: x.known - 1,
            Text(
                "Right to leave out the last token; but an unfilled block is not shared.",
                "去掉最后一个 token 是对的；但没满的块不共享。",
            ),
        ),
        Slip(
            "computed",
            Text("The tokens computed", "算成了要计算的"),
            lambda x: x.prompt - x.reused,
            Text("Those are the tokens that are computed.", "这是要计算的 token 数。"),
        ),
    ),
    working=Told(
        "At most {most} may be used; full blocks of {size} make {reused}.",
        "最多可用 {most} 个；按每块 {size} 个取满块，得 {reused} 个。",
    )
    + SMALLER,
    way=lambda x: Scenario(Arrival.SAME, 8, 4, ("A",), 8, 0 if x.cached >= x.prompt else 3),
    reply=Number(TOKEN),
    rows=(
        Line(Text("At most", "最多"), "min({known}, {prompt} − 1)", "{most}"),
        Line(Text("Full blocks in these", "其中的满块"), "⌊{most} ÷ {size}⌋", "{full}"),
        Line(Text("Tokens reused", "复用的 token"), "{full} × {size}", Told("{reused:token}", "{reused} 个 token")),
    ),
    tolerance=COUNTED,
)


# --- after an edit


@dataclass(frozen=True)
class Edit:
    """A cached prompt comes again with one token changed."""

    prompt: int
    index: int
    size: int

    @property
    def before(self) -> int:
        """Tokens before the edit, which is never behind the last."""
        return min(self.index, self.prompt - 1)

    @property
    def full(self) -> int:
        return self.before // self.size

    @property
    def reused(self) -> int:
        return reusable_tokens(self.prompt, self.before, self.size)


EDITED: Question[Edit] = Question(
    slug="edited",
    title=Text("After an edit", "修改之后"),
    prompt=Told(
        "A prompt of {prompt:token} is cached in blocks of {size}. It comes again with the token at position "
        "{before} (counted from 0) replaced. How many tokens can be reused?",
        "一段 {prompt} 个 token 的提示已缓存，每块 {size} 个。它再次到来，但位置 {before}（从 0 数起）的 token 换掉"
        "了。能复用多少个 token？",
    ),
    form=Form((PROMPT, INDEX, SIZE)),
    inputs=Edit(200, 100, 16),
    invent=lambda rng: Edit(rng.randint(150, 400), rng.randint(20, 140), rng.choice((8, 16, 32))),
    formula=lambda x: x.reused,
    slips=(
        Slip(
            "by_token",
            Text("Token by token", "按 token 算"),
            lambda x: x.before,
            Text(
                "So many tokens stand before the edit, and their K and V are still right; but only full blocks are "
                "found.",
                "修改处之前确有这么多 token，它们的 K、V 也仍然正确；但只能找到满块。",
            ),
        ),
        Slip(
            "its_block_too",
            Text("Its own block as well", "把所在的块也算了"),
            lambda x: (x.full + 1) * x.size,
            Text(
                "That counts the block of the edit, whose name is another one now.",
                "这把修改所在的块也算了，而它的名字已经变了。",
            ),
        ),
        Slip(
            "only_its_block",
            Text("Replaced only one block", "只换一块"),
            lambda x: x.prompt - x.size,
            Text(
                "Every block behind the edit has the changed one among the blocks before it: none of them is found.",
                "修改处之后的每一块，前文里都有被改的块：一块也找不到。",
            ),
        ),
    ),
    working=Told("⌊{before} ÷ {size}⌋ × {size} = {reused}.", "⌊{before} ÷ {size}⌋ × {size} = {reused}。") + SMALLER,
    way=lambda _: fields.EDITED,
    reply=Number(TOKEN),
    rows=(
        Line(
            Text("Tokens before the edit", "修改处之前的 token"), Text("positions from 0", "位置从 0 数起"), "{before}"
        ),
        Line(Text("Full blocks of these", "其中的满块"), "⌊{before} ÷ {size}⌋", "{full}"),
        Line(Text("Tokens reused", "复用的 token"), "{full} × {size}", Told("{reused:token}", "{reused} 个 token")),
    ),
    tolerance=COUNTED,
)
