"""Questions on what may be kept. Each answer is a formula of one line, checked against the engine in the tests."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from engine.kv_reuse import Mistake, Scenario
from engine.prompt_edits import Experiment, Operation, Sight, kept_tokens, last_reached
from lessons.kit.controls import BadInput, Form, Whole
from lessons.kit.format import count
from lessons.kit.question import Question, Slip
from lessons.kit.text import Text

I = TypeVar("I")
MOST = 100_000
RELATIVE = 0.0005  # counts are whole, but a student may write four digits

LENGTH = Whole("length", Text("Prompt length", "提示长度"), 1, MOST)
SHORT = Whole("length", Text("Prompt length", "提示长度"), 2, 8)
AT = Whole("at", Text("Position (from 0)", "位置（从 0 数）"), 0, MOST)
LAYERS = Whole("layers", Text("Layers", "层数"), 1, 200)
FEW_LAYERS = Whole("layers", Text("Layers", "层数"), 1, 3)
WINDOW = Whole("window", Text("Window, itself included", "窗口大小（含自己）"), 1, MOST)
BLOCK = Whole("block", Text("Block size", "内存块大小"), 1, 1024)
ORDINAL = Whole("ordinal", Text("Which token (from 1)", "第几个 token（从 1 数）"), 1, MOST)


def _form(of: type[I], *controls: Whole) -> Form[I]:
    """A form whose fields are the dataclass's own; a position must lie inside the prompt."""

    def build(values: Mapping[str, Any]) -> I:
        if {"length", "at"} <= values.keys() and values["at"] >= values["length"]:
            most = values["length"] - 1
            raise BadInput(
                Text(
                    f"**{AT.label.en}** may be at most {most} here; it reads {values['at']}.",
                    f"**{AT.label.zh}**在这里最多为 {most}；现在是 {values['at']}。",
                )
            )
        return of(**{control.name: values[control.name] for control in controls})

    return Form(controls, build, lambda inputs: asdict(inputs))  # type: ignore[call-overload]


def _slip(
    name: str, title: Text, formula: Callable[[I], float], said: Text, way: Callable[[I], Scenario] | None = None
) -> Slip[I]:
    return Slip(name, title, lambda inputs: (float(formula(inputs)),), lambda inputs: said, way)


def prompt(length: int, at: int, layers: int = 3) -> Scenario:
    """A prompt of at most eight tokens, edited at most two before its end, so that something stands behind the edit."""
    n = max(3, min(length, 8))
    return Scenario(
        tuple(range(n - 1)), appended=n - 1, edit_at=min(at, n - 2), edit_to=10, asked=9, n_layers=min(layers, 3)
    )


@dataclass(frozen=True)
class Prompt:
    """A cached prompt and a position in it, from 0."""

    length: int
    at: int


@dataclass(frozen=True)
class Rows:
    """A short cached prompt, a position in it, and a model's layers."""

    length: int
    at: int
    layers: int


def _prompt(rng: random.Random) -> Prompt:
    length = rng.randint(20, 400)
    return Prompt(length, rng.randint(3, length - 3))


def _short_way(inputs: Prompt, operation: Operation, mistake: Mistake = Mistake.NONE) -> Scenario:
    n = min(inputs.length, 128)
    lab = Experiment(operation, length=n, position=min(inputs.at, n - 1))
    return replace(prompt(inputs.length, inputs.at), experiment=lab, mistake=mistake)


SHORTER = Text(" The steps show the same on a shorter prompt.", "下面的步骤用一个较短的提示演示同样的道理。")

# --- 1 the reusable prefix

REUSE: Question[Prompt] = Question(
    "reuse",
    Text("The reusable prefix", "可复用的前缀"),
    lambda q: Text(
        f"A prompt of {count(q.length)} tokens is cached in a causal model. The token at position {count(q.at)}, counted from 0, is replaced. How many leading tokens keep their k and v in every layer?",
        f"因果模型缓存了 {count(q.length)} 个 token 的提示。把位置 {count(q.at)}（从 0 数）的 token 换掉。开头有多少个 token 在每一层的 k、v 都可以留用？",
    ),
    _form(Prompt, LENGTH, AT),
    Prompt(128, 100),
    _prompt,
    lambda q: (float(kept_tokens(q.at)),),
    (
        _slip("edited_too", Text("Kept the replaced token", "连被替换的也留了"), lambda q: q.at + 1,
              Text("That keeps the replaced token’s own k and v: the edit would have no effect at all.", "这样就留下了被替换 token 自己的 k、v：等于根本没有编辑。"),
              lambda q: _short_way(q, Operation.REPLACE, Mistake.KEEP_ALL)),
        _slip("from_one", Text("Counted from 1", "从 1 数了"), lambda q: q.at - 1,
              Text("Positions count from 0 here: as many tokens stand before a position as its number says.", "这里位置从 0 数：位置号是几，前面就有几个 token。")),
        _slip("rest", Text("Counted the other part", "数成了另一部分"), lambda q: q.length - q.at,
              Text("That is how many must be computed again.", "这是必须重算的个数。")),
        _slip("all_but_one", Text("Dropped the replaced token alone", "只丢了被替换的那一个"), lambda q: q.length - 1,
              Text("Every later token has looked at the replaced one, from layer 1 on.", "从第 1 层起，后面的每个 token 都看过被替换的那个。"),
              lambda q: _short_way(q, Operation.REPLACE, Mistake.EDITED_ONLY)),
    ),
    lambda q: Text(f"Positions 0 to {count(max(q.at - 1, 0))} stand before it.", f"它前面是位置 0 到 {count(max(q.at - 1, 0))}。") + SHORTER,
    lambda q: _short_way(q, Operation.REPLACE),
    relative=RELATIVE,
    absolute=0.01,
)  # fmt: skip


# --- 2 counted from 1, in blocks


@dataclass(frozen=True)
class Ordinal:
    """A token counted from 1, and a cache that keeps whole blocks."""

    ordinal: int
    block: int


BLOCKS: Question[Ordinal] = Question(
    "blocks",
    Text("Counted from 1, in whole blocks", "从 1 数，按整块留"),
    lambda q: Text(
        f"“Token number {count(q.ordinal)}” of a prompt, counted from 1, is replaced. The cache keeps whole blocks of {q.block} tokens only. How many tokens can be kept?",
        f"提示里“第 {count(q.ordinal)} 个 token”（从 1 数）被替换。缓存只能按每 {q.block} 个 token 的整块保留。可以留用多少个 token？",
    ),
    _form(Ordinal, ORDINAL, BLOCK),
    Ordinal(96, 16),
    lambda rng: Ordinal((block := rng.choice((4, 8, 16, 32, 64))) * rng.randint(2, 20), block),
    lambda q: (float(kept_tokens(q.ordinal - 1, q.block)),),
    (
        _slip("as_index", Text("Took the number for a position", "把序号当成了位置"), lambda q: kept_tokens(q.ordinal, q.block),
              Text("Counted from 1, a token’s position is one less than its number, and its block begins before it.", "从 1 数时，位置号比序号小一，它所在的块在它之前就开始了。")),
        _slip("no_blocks", Text("Forgot the blocks", "忘了按块"), lambda q: q.ordinal - 1,
              Text("That is how many tokens stand before it. The block that holds the edit is lost as a whole.", "这是它前面的 token 数。含有编辑的那一块要整块丢掉。")),
        _slip("number_of_blocks", Text("Counted blocks", "数了块数"), lambda q: (q.ordinal - 1) // q.block,
              Text("That is the number of blocks. The question asks for tokens.", "这是块数。题目问的是 token 数。")),
    ),
    lambda q: Text(
        f"Its position is {count(q.ordinal - 1)}; {count((q.ordinal - 1) // q.block)} whole blocks of {q.block} lie before it.",
        f"它的位置是 {count(q.ordinal - 1)}；前面有 {count((q.ordinal - 1) // q.block)} 个 {q.block} 个一块的整块。",
    ) + SHORTER,
    lambda q: prompt(8, q.ordinal - 1),
    relative=RELATIVE,
    absolute=0.01,
)  # fmt: skip


# --- 3 how many rows change


def _rows(rng: random.Random) -> Rows:
    length = rng.randint(4, 8)
    return Rows(length, rng.randint(0, length - 2), rng.randint(2, 3))


ROWS: Question[Rows] = Question(
    "rows",
    Text("How many rows change?", "有几行会变？"),
    lambda q: Text(
        f"A causal model with {q.layers} layers has cached {q.length} tokens. The token at position {q.at}, counted from 0, is replaced by another. Counting one row of k for each layer and position: how many rows of k change?",
        f"{q.layers} 层的因果模型缓存了 {q.length} 个 token。位置 {q.at}（从 0 数）的 token 换成另一个。每层每个位置算一行 k：有多少行 k 会变？",
    ),
    _form(Rows, SHORT, AT, FEW_LAYERS),
    Rows(6, 2, 3),
    _rows,
    lambda q: (float(1 + (q.layers - 1) * (q.length - q.at)),),
    (
        _slip("all_layers_alike", Text("Took layer 0 for a deeper one", "把第 0 层当成更深的层"), lambda q: q.layers * (q.length - q.at),
              Text("In layer 0, k comes from one token and its position alone: behind a replaced token it stays.", "第 0 层的 k 只由一个 token 和它的位置算出：被替换的 token 之后，它不变。")),
        _slip("edited_alone", Text("Only the replaced position", "只算了被替换的位置"), lambda q: q.layers,
              Text("From layer 1 on, every later position’s input has looked at the replaced token.", "从第 1 层起，后面每个位置的输入都看过被替换的 token。"),
              lambda q: replace(_exactly(q), mistake=Mistake.EDITED_ONLY)),
        _slip("no_layer_0", Text("Forgot layer 0", "漏了第 0 层"), lambda q: (q.layers - 1) * (q.length - q.at),
              Text("In layer 0 the replaced position’s own row changes.", "第 0 层里，被替换位置自己的那一行会变。")),
        _slip("everything", Text("Counted every row", "把每一行都算了"), lambda q: q.layers * q.length,
              Text("What stands before the edit cannot see it.", "编辑位置之前的看不到它。"))
    ),
    lambda q: Text(
        f"Layer 0: 1. Each of the {q.layers - 1} layers above: positions {q.at} to {q.length - 1}, {q.length - q.at} rows.",
        f"第 0 层：1 行。上面的 {q.layers - 1} 层，每层是位置 {q.at} 到 {q.length - 1}，{q.length - q.at} 行。",
    ),
    lambda q: _exactly(q),
    relative=RELATIVE,
    absolute=0.01,
)  # fmt: skip


def _exactly(q: Rows) -> Scenario:
    """The very prompt of the question."""
    return Scenario(
        tuple(range(q.length - 1)), appended=q.length - 1, edit_at=q.at, edit_to=10, asked=9, n_layers=q.layers
    )


# --- 4 new numbers a token


@dataclass(frozen=True)
class Sizes:
    """A model's sizes."""

    layers: int
    heads: int
    kv_heads: int
    head_dim: int


NUMBERS: Question[Sizes] = Question(
    "numbers",
    Text("New numbers a token", "每个 token 新增几个数"),
    lambda q: Text(
        f"A model has {q.layers} layers, {q.heads} query heads, {q.kv_heads} KV heads and {q.head_dim} numbers a head. How many numbers does one new token add to the cache?",
        f"模型有 {q.layers} 层，{q.heads} 个查询头，{q.kv_heads} 个 KV 头，每个头 {q.head_dim} 个数。一个新 token 给缓存增加多少个数？",
    ),
    _form(Sizes, LAYERS, Whole("heads", Text("Query heads", "查询头数"), 1, 512), Whole("kv_heads", Text("KV heads", "KV 头数"), 1, 512),
          Whole("head_dim", Text("Numbers a head", "每头几个数"), 1, 1024)),
    Sizes(32, 32, 8, 128),
    lambda rng: Sizes(rng.choice((2, 12, 16, 28, 32, 40, 80)), (kv := rng.choice((2, 4, 8))) * rng.choice((3, 4, 7, 8)), kv, rng.choice((64, 96, 128))),
    lambda q: (float(2 * q.layers * q.kv_heads * q.head_dim),),
    (
        _slip("k_only", Text("Forgot v", "漏了 v"), lambda q: q.layers * q.kv_heads * q.head_dim,
              Text("That is k alone. v is kept as well.", "这只是 k。v 也要保存。")),
        _slip("one_layer", Text("Counted one layer", "只算了一层"), lambda q: 2 * q.kv_heads * q.head_dim,
              Text("That is one layer’s. Each layer has rows of its own.", "这是一层的。每一层都有自己的行。"),
              lambda q: replace(Scenario(), mistake=Mistake.TOP_LAYER)),
        _slip("query_heads", Text("Counted query heads", "数了查询头"), lambda q: 2 * q.layers * q.heads * q.head_dim,
              Text("The cache holds a row for each KV head; several query heads read the same one.", "缓存按 KV 头存行；几个查询头读同一个。")),
        _slip("with_q", Text("Kept q as well", "把 q 也存了"), lambda q: q.layers * q.head_dim * (q.heads + 2 * q.kv_heads),
              Text("q has had its answer when its own token is done. Nobody reads it again.", "自己的 token 一算完，q 就用完了，再也没有人读它。"),
              lambda q: replace(Scenario(), mistake=Mistake.OLD_Q)),
    ),
    lambda q: Text(
        f"2 · {q.layers} · {q.kv_heads} · {q.head_dim}, for k and v. The steps show the little model.",
        f"2 · {q.layers} · {q.kv_heads} · {q.head_dim}，k 和 v 各一份。下面的步骤是小模型的。",
    ),
    lambda q: Scenario(),
    relative=RELATIVE,
    absolute=0.01,
)  # fmt: skip


# --- 5 after an insertion

INSERTION: Question[Prompt] = Question(
    "insertion",
    Text("After an insertion", "插入之后"),
    lambda q: Text(
        f"{count(q.length)} tokens are cached in a causal model of several layers. One token is inserted so that it stands at position {count(q.at)}, counted from 0. How many positions must be computed, the inserted one included?",
        f"多层因果模型缓存了 {count(q.length)} 个 token。插入一个 token，让它位于位置 {count(q.at)}（从 0 数）。连插入的在内，有多少个位置要计算？",
    ),
    _form(Prompt, LENGTH, AT),
    Prompt(24, 8),
    _prompt,
    lambda q: (float(q.length - q.at + 1),),
    (
        _slip("inserted_alone", Text("Only the inserted token", "只算了插入的"), lambda q: 1,
              Text("What stands behind has moved on by one position and now sees one token more.", "后面的都往后移了一位，而且多看见一个 token。"),
              lambda q: _short_way(q, Operation.INSERT, Mistake.EDITED_ONLY)),
        _slip("forgot_inserted", Text("Forgot the inserted one", "漏了插入的那个"), lambda q: q.length - q.at,
              Text("That is how many stand behind it. It has to be computed as well.", "这是它后面的个数。它自己也要算。")),
        _slip("everything", Text("Counted every position", "全部都算了"), lambda q: q.length + 1,
              Text("What stands before the insertion neither moves nor sees it.", "插入位置之前的既没有移动，也看不到它。")),
        _slip("one_less", Text("Left out two", "漏了两个"), lambda q: q.length - q.at - 1,
              Text("That leaves out the inserted token and the one it pushed on, whose stored k is still turned to the old position.", "这漏了插入的 token，也漏了被它挤后一位的那个：后者存下的 k 还转在旧位置上。")),
    ),
    lambda q: Text(
        f"The prompt now has {count(q.length + 1)} positions; those from {count(q.at)} on are computed. In layer 0 the moved v would still hold, but a token counts as reusable only if all its layers do.",
        f"提示现在有 {count(q.length + 1)} 个位置；从 {count(q.at)} 起都要算。第 0 层移动过的 v 其实仍有效，但一个 token 要所有层都有效才算可复用。",
    ) + SHORTER,
    lambda q: _short_way(q, Operation.INSERT),
    relative=RELATIVE,
    absolute=0.01,
)  # fmt: skip


# --- 6 how far an edit reaches in a window


@dataclass(frozen=True)
class Field:
    """An edit in a model with a sliding window."""

    at: int
    layers: int
    window: int


def _windowed(at: int, layers: int, window: int) -> Scenario:
    w, n_layers = min(window, 128), min(layers, 3)
    lab = Experiment(
        length=min(last_reached(min(at, 40), n_layers, min(w, 40)) + 4, 200),
        position=min(at, 40),
        n_layers=min(layers, 4),
    )
    return replace(prompt(8, min(at, 2), n_layers), sight=Sight.WINDOW, window=w, experiment=lab)


REACH: Question[Field] = Question(
    "reach",
    Text("How far an edit reaches", "编辑能影响到哪里"),
    lambda q: Text(
        f"A causal model has {q.layers} layers and a sliding window of {q.window}, the query itself included. The token at position {q.at}, counted from 0, of a long prompt is replaced. Which is the last position whose output after the last layer changes?",
        f"因果模型有 {q.layers} 层，滑动窗口为 {q.window}（含查询自己）。长提示中位置 {q.at}（从 0 数）的 token 被替换。最后一层的输出会变的最后一个位置是哪个？",
    ),
    _form(Field, AT, LAYERS, WINDOW),
    Field(3, 3, 4),
    lambda rng: Field(rng.randint(0, 30), rng.randint(3, 8), rng.randint(3, 32)),
    lambda q: (float(last_reached(q.at, q.layers, q.window)),),
    (
        _slip("self_not_counted", Text("Did not count the query itself", "没把查询自己算进窗口"), lambda q: q.at + q.layers * q.window,
              Text("The window counts the query itself, so a layer carries a change one position less far than its size.", "窗口含查询自己，所以一层把变化带到的距离比窗口少一。")),
        _slip("one_layer", Text("Counted one layer", "只算了一层"), lambda q: q.at + q.window - 1,
              Text("That is after a single layer. Each layer above carries the change on by as much again.", "这是一层之后。上面每一层都再带远同样的距离。")),
        _slip("layer_short", Text("Stopped at the top layer’s k and v", "停在最顶层的 k、v"), lambda q: q.at + (q.layers - 1) * (q.window - 1),
              Text("That is how far the top layer’s k and v change. Its own attention carries the change once more.", "这是最顶层的 k、v 变到的地方。它自己的注意力还会再带一次。")),
        _slip("window_alone", Text("Added the window once", "只加了一次窗口"), lambda q: q.at + q.window,
              Text("Layers add up, and the window counts the query itself.", "各层要累加，而且窗口含查询自己。")),
    ),
    lambda q: Text(
        f"{q.at} + {q.layers} · ({q.window} − 1).", f"{q.at} + {q.layers} · ({q.window} − 1)。"
    ) + SHORTER,
    lambda q: _windowed(q.at, q.layers, q.window),
    relative=RELATIVE,
    absolute=0.01,
)  # fmt: skip


# --- 7 what a window has to keep


@dataclass(frozen=True)
class Kept:
    """A text read so far by a model with a sliding window."""

    length: int
    layers: int
    window: int


WINDOW_ROWS: Question[Kept] = Question(
    "window",
    Text("What a window has to keep", "滑动窗口要留多少"),
    lambda q: Text(
        f"{count(q.length)} tokens have been read. Every one of the {q.layers} layers has a sliding window of {q.window}, the query itself included. How many rows of k, over all layers, must be kept for the next token?",
        f"已读 {count(q.length)} 个 token。{q.layers} 层的滑动窗口都是 {q.window}（含查询自己）。为下一个 token，所有层合计要保留多少行 k？",
    ),
    _form(Kept, LENGTH, LAYERS, WINDOW),
    Kept(20, 3, 4),
    lambda rng: Kept(rng.randint(100, 2000), rng.randint(2, 40), rng.randint(3, 64)),
    lambda q: (float(q.layers * min(q.length, q.window - 1)),),
    (
        _slip("self_twice", Text("Counted the query among the past", "把查询自己也算进过去"), lambda q: q.layers * min(q.length, q.window),
              Text("The next token brings its own row. Of the past, one less than the window is seen.", "下一个 token 自带一行。过去的比窗口少看一个。")),
        _slip("inclusive", Text("Added one instead", "反而加了一"), lambda q: q.layers * min(q.length, q.window + 1),
              Text("The window includes the query itself, so of the past one less is seen, not one more.", "窗口含查询自己，所以过去的要少看一个，而不是多看一个。")),
        _slip("one_layer", Text("Counted one layer", "只算了一层"), lambda q: min(q.length, q.window - 1),
              Text("Each layer keeps rows of its own.", "每一层各留各的行。")),
        _slip("everything", Text("Kept everything", "全部都留了"), lambda q: q.layers * q.length,
              Text("Rows outside the window are never looked at again.", "窗口之外的行再也不会被看。")),
    ),
    lambda q: Text(
        f"{q.layers} · ({q.window} − 1), as long as so many have been read. The steps show a short text.",
        f"{q.layers} · ({q.window} − 1)，前提是已读够这么多。下面的步骤是一段短文本。",
    ),
    lambda q: _windowed(1, q.layers, q.window),
    relative=RELATIVE,
    absolute=0.01,
)  # fmt: skip


# --- 8 rows read


@dataclass(frozen=True)
class Reading:
    """A cached text and a model's layers."""

    length: int
    layers: int


READ: Question[Reading] = Question(
    "read",
    Text("Rows read for one token", "一个 token 要读几行"),
    lambda q: Text(
        f"{count(q.length)} tokens are cached in a causal model of {q.layers} layers, and one is appended. Following one query head: with how many rows of k, over all layers, is the new token’s q multiplied?",
        f"{q.layers} 层的因果模型缓存了 {count(q.length)} 个 token，再追加一个。只看一个查询头：新 token 的 q 在所有层合计与多少行 k 相乘？",
    ),
    _form(Reading, LENGTH, LAYERS),
    Reading(6, 3),
    lambda rng: Reading(rng.randint(5, 200), rng.randint(2, 40)),
    lambda q: (float(q.layers * (q.length + 1)),),
    (
        _slip("own_forgotten", Text("Forgot its own row", "漏了自己的一行"), lambda q: q.layers * q.length,
              Text("A token sees itself, too: its k is appended before the scores are computed.", "token 也看自己：算分数之前，它的 k 已经接上。")),
        _slip("one_layer", Text("Counted one layer", "只算了一层"), lambda q: q.length + 1,
              Text("There is a cache for each layer, and each is read.", "每一层都有缓存，每一层都要读。"),
              lambda q: replace(prompt(q.length + 1, 0, q.layers), mistake=Mistake.TOP_LAYER)),
        _slip("computed", Text("Counted the rows computed", "数了新算的行"), lambda q: q.layers,
              Text("That many rows are computed. The cached ones are not computed again, but they are read.", "这是新算的行数。缓存的行不重算，但要读。")),
        _slip("no_cache", Text("Asked all tokens again", "让所有 token 重新问了一遍"), lambda q: q.layers * (q.length + 1) * (q.length + 2) // 2,
              Text("That is a full run, with every old query. The old queries have had their answers.", "这是全部重算，每个旧查询都算进来了。旧查询早已得到回答。")),
    ),
    lambda q: Text(f"{q.layers} · ({count(q.length)} + 1).", f"{q.layers} · ({count(q.length)} + 1)。"),
    lambda q: prompt(q.length + 1, 0, q.layers),
    relative=RELATIVE,
    absolute=0.01,
)  # fmt: skip

QUESTIONS: tuple[Question[Any], ...] = (REUSE, BLOCKS, ROWS, NUMBERS, INSERTION, REACH, WINDOW_ROWS, READ)
