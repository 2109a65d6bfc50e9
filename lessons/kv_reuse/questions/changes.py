"""Several changes to one cached prompt: which leaves most of it, and which spoils only one of k and v."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.kv_reuse import Scenario
from engine.prompt_edits import Experiment, Operation, Sight, kept_tokens, measure
from lessons.kit.controls import Whole
from lessons.kit.form import Form
from lessons.kit.format import count
from lessons.kit.places import place, shuffled
from lessons.kit.question import Question, Row, Slip
from lessons.kit.reply import Answer, Order, Pick
from lessons.kit.text import Text
from lessons.kit.told import Told, Words, say
from lessons.kit.units import TOKEN
from lessons.kv_reuse.presets import CHAPTER
from lessons.kv_reuse.questions.inputs import AT, BLOCK, LENGTH, MOST, Prompt, replacing


@dataclass(frozen=True)
class Changes:
    """Five changes, each made alone to the same cached prompt."""

    length: int = 128
    replaced: int = 100
    inserted: int = 40
    blocked: int = 108
    block: int = 16

    @property
    def in_blocks(self) -> int:
        return kept_tokens(self.blocked, self.block)

    @property
    def kept(self) -> tuple[float, ...]:
        """Tokens whose k and v stay valid in every layer, after each change."""
        return self.length, self.replaced, self.inserted, self.in_blocks, 0


APPEND, REPLACE, INSERT, BLOCKED, ADAPTER = range(5)
OFFERED: tuple[Words[Changes], ...] = (
    Text("one more token is appended", "末尾再追加一个 token"),
    Told("the token at position {replaced} is replaced", "位置 {replaced} 的 token 被替换"),
    Told("a token is inserted at position {inserted}", "在位置 {inserted} 插入一个 token"),
    Told(
        "the token at position {blocked} is replaced, and the cache keeps whole blocks of {block}",
        "位置 {blocked} 的 token 被替换，缓存只能按每 {block} 个 token 的整块留",
    ),
    Text("the v weights of the top layer get another adapter", "最顶层的 v 权重换了适配器"),
)
LEAVES: tuple[Words[Changes], ...] = (
    Text("nothing before it sees it", "前面谁也看不到它"),
    Text("all before it", "它前面的全部"),
    Text("all before it: the rest moves and sees one more", "它前面的全部：其余的移了位，又多看见一个"),
    Told("{blocked} / {block} rounded down, × {block}", "{blocked} / {block} 向下取整，× {block}"),
    Text("every v of the top layer has changed", "最顶层的每个 v 都变了"),
)


def _most_first(kept: tuple[float, ...]) -> list[int]:
    return sorted(range(5), key=kept.__getitem__, reverse=True)


def _offered(q: Changes) -> tuple[int, ...]:
    right = _most_first(q.kept)
    return tuple(right[i] for i in shuffled(5, q.length, q.replaced, q.inserted, moved=True))


def _in_order(q: Changes, wanted: list[int]) -> Answer:
    return tuple(place(_offered(q), item) for item in wanted)


def _if(q: Changes, change: int, kept: float) -> Answer:
    """The order if this change left `kept` tokens."""
    return _in_order(q, _most_first(tuple(kept if i == change else x for i, x in enumerate(q.kept))))


def _ordered(q: Changes) -> Text:
    steps = [(count(int(q.kept[i])), say(OFFERED[i], q)) for i in _most_first(q.kept)]
    return Text(
        " > ".join(f"{n} ({change.en})" for n, change in steps) + ".",
        " > ".join(f"{n}（{change.zh}）" for n, change in steps) + "。",
    )


def _draw_changes(rng: random.Random) -> Changes:
    """The replacement between the edit in blocks and the beginning of its block."""
    block = rng.choice((8, 16, 32))
    blocked = block * rng.randint(1, 6) + rng.randint(3, block - 1)
    replaced = rng.randint(blocked // block * block + 1, blocked - 1)
    length = blocked + rng.randint(2, 100)
    inserted = rng.choice([i for i in range(2, length - 1) if i not in (blocked, replaced, blocked // block * block)])
    return Changes(length, replaced, inserted, blocked, block)


LEAVES_MOST: Question[Changes] = Question(
    slug="leaves_most",
    title=Text("Which change leaves most?", "哪种改动留下最多？"),
    prompt=Told(
        "{length:token} {length|is|are} cached in a causal model of several layers. Put these changes, each made "
        "alone, in the order of how many tokens can be reused in every layer, most first. Which comes where "
        "(positions from 0)?",
        "多层因果模型缓存了 {length} 个 token。下面的改动各自单独做一次。按“在每一层都可复用的 token 数”从多到少排"
        "列，顺序是怎样的（位置从 0 数）？",
    ),
    form=Form(
        (
            Whole("length", LENGTH.label, 1, MOST),
            Whole("replaced", Text("Replaced position", "替换的位置"), 1, MOST),
            Whole("inserted", Text("Inserted position", "插入的位置"), 1, MOST),
            Whole("blocked", Text("Replaced position, in blocks", "按块留时替换的位置"), 1, MOST),
            BLOCK,
        )
    ),
    inputs=Changes(),
    invent=_draw_changes,
    formula=lambda q: _in_order(q, _most_first(q.kept)),
    slips=(
        Slip(
            "fewest_first",
            Text("Fewest first", "从少到多"),
            lambda q: _in_order(q, _most_first(q.kept)[::-1]),
            Text("The order is right, but it begins with the fewest.", "次序对，但从最少的开始了。"),
        ),
        Slip(
            "no_blocks",
            Text("Forgot the blocks", "忘了按块"),
            lambda q: _if(q, BLOCKED, q.blocked),
            Told(
                "In whole blocks of {block}, an edit at {blocked} leaves {in_blocks:token}: its own block is lost from "
                "its beginning.",
                "按每 {block} 个 token 的整块留，位置 {blocked} 的编辑只留下 {in_blocks} 个 token：它所在的块从头起"
                "全部丢掉。",
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
    working=_ordered,
    way=lambda q: replacing(Prompt(q.length, q.replaced)),
    reply=Order(lambda q: tuple(say(OFFERED[i], q) for i in _offered(q))),
    rows=lambda q: tuple(
        Row(say(OFFERED[i], q), say(LEAVES[i], q), TOKEN.after(count(int(q.kept[i])))) for i in _most_first(q.kept)
    ),
)


# --- which spoils only one


@dataclass(frozen=True)
class Turned:
    """Four changes to a cached prompt: one of MOVES, an adapter, an append and a replacement. `lost` is the row of
    layer 0 that the last token loses alone."""

    length: int = 24
    at: int = 8
    by: int = 4
    move: int = 0
    lost: str = "k"

    @property
    def keeps(self) -> str:
        return "v" if self.lost == "k" else "k"

    @property
    def changes(self) -> tuple[Operation, ...]:
        return MOVES[self.move], Operation.ADAPTER, Operation.APPEND, Operation.REPLACE


MOVES = (Operation.INSERT, Operation.SHIFT, Operation.DROP)
CHANGES: dict[Operation, Words[Turned]] = {
    Operation.INSERT: Told("a token is inserted at position {at}", "在位置 {at} 插入一个 token"),
    Operation.SHIFT: Told("every position becomes {by} larger", "所有位置号都加 {by}"),
    Operation.DROP: Told(
        "the first {by:token} {by|is|are} dropped, the rest moves up to 0",
        "丢掉最早的 {by} 个 token，其余的从 0 重新排起",
    ),
    Operation.ADAPTER: Text("the v weights of layer 0 get another adapter", "第 0 层的 v 权重换了适配器"),
    Operation.APPEND: Text("one more token is appended", "末尾再追加一个 token"),
    Operation.REPLACE: Told("the token at position {at} is replaced", "位置 {at} 的 token 被替换"),
}


def lost_by(q: Turned, operation: Operation) -> tuple[float, float]:
    """How far the k and the v of layer 0 of the last cached token are from what they were."""
    experiment = Experiment(operation, length=q.length, position=q.at, layer=0, by=q.by, n_layers=1)
    outcome = measure(experiment, Sight.CAUSAL)
    last = -2 if operation is Operation.APPEND else -1  # the appended token stands behind it
    return float(outcome.k[0, last]), float(outcome.v[0, last])


def _places(q: Turned) -> tuple[int, ...]:
    return shuffled(4, q.length, q.at, q.by, q.move)


def _option(which: int) -> Callable[[Turned], Answer]:
    return lambda q: (place(_places(q), which),)


def _measured(q: Turned, operation: Operation) -> Row:
    k, v = lost_by(q, operation)
    return Row(
        say(CHANGES[operation], q),
        Text("largest difference of the last token’s k and v in layer 0", "最后一个 token 在第 0 层的 k、v 的最大差"),
        Told("k {k:delta}, v {v:delta}", "k {k:delta}, v {v:delta}").on(k=k, v=v).en,
    )


def _way(q: Turned) -> Scenario:
    operation = MOVES[q.move] if q.lost == "k" else Operation.ADAPTER
    lab = Experiment(operation, length=q.length, position=q.at, layer=0, by=q.by, n_layers=2)
    return replace(CHAPTER, experiment=lab)


TURNS: Question[Turned] = Question(
    slug="turns",
    title=Text("Which change spoils only one of k and v?", "哪种改动只让 k、v 之一失效？"),
    prompt=Told(
        "{length} tokens are cached in a causal model with rotated keys. After which change does the last token’s "
        "{lost} in layer 0 no longer serve, while its {keeps} there still does (positions from 0)?",
        "因果模型（键按位置旋转）缓存了 {length} 个 token。哪种改动之后，最后一个 token 在第 0 层的 {lost} 不能再"
        "用，而它的 {keeps} 仍然可用（位置从 0 数）？",
    ),
    form=Form(
        (
            Whole("length", LENGTH.label, 24, 256),
            Whole("at", AT.label, 0, 22),
            Whole("by", Text("Shift or drop by", "移动或丢掉多少"), 1, 22),
        )
    ),
    inputs=Turned(),
    invent=lambda rng: Turned(
        rng.randint(24, 100), rng.randint(1, 20), rng.randint(1, 20), rng.randrange(3), rng.choice("kv")
    ),
    formula=lambda q: _option("kv".index(q.lost))(q),
    slips=(
        Slip(
            "the_other",
            Text("The one that spoils the other", "让另一个失效的改动"),
            lambda q: _option("kv".index(q.keeps))(q),
            Text(
                "Moving a token turns its k and leaves its v; other v weights change v and leave k.",
                "移动 token 会转动它的 k，v 不变；换 v 的权重则变 v，k 不变。",
            ),
        ),
        Slip(
            "append",
            Text("An append", "追加"),
            _option(2),
            Text(
                "Nothing cached changes when a token is appended to a causal model.",
                "因果模型追加 token 时，缓存的什么也不变。",
            ),
        ),
        Slip(
            "replace",
            Text("A replacement", "替换"),
            _option(3),
            Text(
                "In layer 0 the others’ k and v come from their own tokens and positions, and these are the same.",
                "第 0 层里，别的 token 的 k、v 只由它们自己的 token 和位置算出，而这些没变。",
            ),
        ),
    ),
    working=Text(
        "In layer 0, k follows from token, position and weights, v from token and weights alone.",
        "第 0 层的 k 由 token、位置和权重决定，v 只由 token 和权重决定。",
    ),
    way=_way,
    reply=Pick(lambda q: tuple(say(CHANGES[q.changes[i]], q) for i in _places(q))),
    rows=lambda q: tuple(_measured(q, operation) for operation in q.changes),
)
