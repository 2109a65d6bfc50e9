"""The new token's own path: numbers kept, rows read, the steps through a layer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.kv_reuse import Mistake
from lessons.kit.controls import Whole
from lessons.kit.form import Form
from lessons.kit.places import place, shuffled
from lessons.kit.question import Line, Question, Slip, together
from lessons.kit.reply import Answer, Number, Order
from lessons.kit.text import Text
from lessons.kit.told import Told, Words, say
from lessons.kit.units import ROW
from lessons.kv_reuse.mistakes import MISTAKES
from lessons.kv_reuse.presets import CHAPTER
from lessons.kv_reuse.questions.inputs import FOUR_DIGITS, LAYERS, LENGTH, prompt


@dataclass(frozen=True)
class Sizes:
    """A model's sizes."""

    layers: int
    heads: int
    kv_heads: int
    head_dim: int

    @property
    def k(self) -> int:
        """Numbers of k that a token adds in one layer."""
        return self.kv_heads * self.head_dim

    @property
    def kv(self) -> int:
        return 2 * self.k

    @property
    def added(self) -> int:
        """In all layers."""
        return self.layers * self.kv


_K_ONLY = Slip[Sizes](
    "k_only",
    Text("Forgot v", "漏了 v"),
    lambda q: q.layers * q.k,
    Text("k alone was counted. v is kept as well.", "只算了 k。v 也要保存。"),
)
_QUERY_HEADS = Slip[Sizes](
    "query_heads",
    Text("Counted query heads", "数了查询头"),
    lambda q: 2 * q.layers * q.heads * q.head_dim,
    Told(
        "Query heads were counted: {heads}. The cache holds rows by KV head: {kv_heads}; several query heads read "
        "the same one.",
        "数的是 {heads} 个查询头。缓存按 {kv_heads} 个 KV 头保存；几个查询头共用其中一个。",
    ),
)

NUMBERS: Question[Sizes] = Question(
    slug="numbers",
    title=Text("New numbers a token", "每个 token 新增几个数"),
    prompt=Told(
        "A model has {layers:layer}, {heads:query head}, {kv_heads:KV head} and {head_dim:number} a head. How many "
        "numbers does one new token add to the cache?",
        "模型有 {layers} 层，{heads} 个查询头，{kv_heads} 个 KV 头，每个头 {head_dim} 个数。一个新 token 给缓存增加多"
        "少个数？",
    ),
    form=Form(
        (
            LAYERS,
            Whole("heads", Text("Query heads", "查询头数"), 1, 512),
            Whole("kv_heads", Text("KV heads", "KV 头数"), 1, 512),
            Whole("head_dim", Text("Numbers a head", "每头几个数"), 1, 1024),
        )
    ),
    inputs=Sizes(32, 32, 8, 128),
    invent=lambda rng: Sizes(
        rng.choice((2, 12, 16, 28, 32, 40, 80)),
        (kv := rng.choice((2, 4, 8))) * rng.choice((3, 4, 7, 8)),
        kv,
        rng.choice((64, 96, 128)),
    ),
    formula=lambda q: q.added,
    slips=(
        _K_ONLY,
        MISTAKES.slip(
            Mistake.TOP_LAYER,
            lambda q: q.kv,
            lambda q: CHAPTER,
            name="one_layer",
            title=Text("Counted one layer", "只算了一层"),
            said=Text("That is one layer’s. Each layer has rows of its own.", "这是一层的。每一层都有自己的行。"),
        ),
        _QUERY_HEADS,
        together(_K_ONLY, _QUERY_HEADS, lambda q: q.layers * q.heads * q.head_dim),
        MISTAKES.slip(
            Mistake.OLD_Q,
            lambda q: q.layers * q.head_dim * (q.heads + 2 * q.kv_heads),
            lambda q: CHAPTER,
            name="with_q",
            title=Text("Kept q as well", "把 q 也存了"),
            said=Text(
                "q has had its answer when its own token is done. Nobody reads it again.",
                "自己的 token 一算完，q 就用完了，以后不再被读。",
            ),
        ),
    ),
    working=Told(
        "2 · {layers} · {kv_heads} · {head_dim}, for k and v. The steps show the little model.",
        "2 · {layers} · {kv_heads} · {head_dim}，k 和 v 各一份。下面的步骤是小模型的。",
    ),
    way=lambda q: CHAPTER,
    rows=(
        Line(Text("k of one layer", "一层的 k"), "{kv_heads} × {head_dim}", "{k}"),
        Line(Text("k and v of one layer", "一层的 k 和 v"), "2 × {k}", "{kv}"),
        Line(Text("all layers", "所有层"), "{layers} × {kv}", "{added}"),
    ),
    tolerance=FOUR_DIGITS,
)


@dataclass(frozen=True)
class Reading:
    """A cached text and a model's layers."""

    length: int
    layers: int

    @property
    def rows(self) -> int:
        """Of k in one layer, once the new token's own is appended."""
        return self.length + 1

    @property
    def read(self) -> int:
        return self.layers * self.rows


_NOT_ITS_OWN = Slip[Reading](
    "own_forgotten",
    Text("Forgot its own row", "漏了自己的一行"),
    lambda q: q.layers * q.length,
    Text(
        "Its own row was left out. A token sees itself, too: its k is appended before the scores are computed.",
        "漏了自己的一行。token 也看自己：算分数之前，它的 k 已经接上。",
    ),
)
_ONE_LAYER: Slip[Reading] = MISTAKES.slip(
    Mistake.TOP_LAYER,
    lambda q: q.rows,
    lambda q: prompt(q.rows, 0, q.layers),
    name="one_layer",
    title=Text("Counted one layer", "只算了一层"),
    said=Text(
        "One layer was counted. There is a cache for each, and each is read.",
        "只算了一层。每一层都有缓存，每一层都要读。",
    ),
)

READ: Question[Reading] = Question(
    slug="read",
    title=Text("Rows read for one token", "一个 token 要读几行"),
    prompt=Told(
        "{length:token} {length|is|are} cached in a causal model of {layers:layer}, and one is appended. Following "
        "one query head: with how many rows of k, over all layers, is the new token’s q multiplied?",
        "{layers} 层的因果模型缓存了 {length} 个 token，再追加一个。只看一个查询头：新 token 的 q 在所有层合计与多少"
        "行 k 相乘？",
    ),
    form=Form((LENGTH, LAYERS)),
    inputs=Reading(6, 3),
    invent=lambda rng: Reading(rng.randint(5, 200), rng.randint(2, 40)),
    formula=lambda q: q.read,
    slips=(
        _NOT_ITS_OWN,
        _ONE_LAYER,
        together(_NOT_ITS_OWN, _ONE_LAYER, lambda q: q.length),
        Slip(
            "computed",
            Text("Counted the rows computed", "数了新算的行"),
            lambda q: q.layers,
            Text(
                "That many rows are computed. The cached ones are not computed again, but they are read.",
                "这是新算的行数。缓存的行不重算，但要读。",
            ),
        ),
        Slip(
            "no_cache",
            Text("Asked all tokens again", "让所有 token 重新问了一遍"),
            lambda q: q.read * (q.length + 2) // 2,
            Text(
                "That is a full run, with every old query. The old queries have had their answers.",
                "这是全部重算，每个旧查询都算进来了。旧查询早已得到回答。",
            ),
        ),
    ),
    working=Told("{layers} · ({length} + 1).", "{layers} · ({length} + 1)。"),
    way=lambda q: prompt(q.rows, 0, q.layers),
    reply=Number(ROW),
    rows=(
        Line(
            Text("rows of k in a layer once its own is appended", "接上自己的之后，一层有几行 k"),
            "{length} + 1",
            "{rows}",
        ),
        Line(Text("rows of all layers", "所有层合计"), "{layers} × {rows}", Told("{read:row}", "{read} 行")),
    ),
    tolerance=FOUR_DIGITS,
)


# --- the steps through a layer


@dataclass(frozen=True)
class Through:
    """A new token on its way through one layer over a cache."""

    length: int = 6
    layer: int = 1

    @property
    def rows(self) -> int:
        """Of each table, once its own is appended."""
        return self.length + 1

    @property
    def above(self) -> int:
        return self.layer + 1


PROJECT, APPEND, SCORE, SUM, FINISH = range(5)
STEPS: tuple[Words[Through], ...] = (
    Told("project x to q, k and v with layer {layer}’s weights", "用第 {layer} 层的权重把 x 投影成 q、k、v"),
    Told(
        "append k and v to layer {layer}’s tables: now {rows} rows", "把 k、v 接到第 {layer} 层的表上：现在 {rows} 行"
    ),
    Told("multiply q with {rows} rows of k; softmax", "q 与 {rows} 行 k 相乘，再做 softmax"),
    Told("sum {rows} rows of v with these weights", "用这些权重对 {rows} 行 v 求和"),
    Text("project with Wo and add to x; then the feed-forward part", "经 Wo 投影后加到 x 上，再做前馈"),
)


def _places(q: Through) -> tuple[int, ...]:
    return shuffled(5, q.length, q.layer, moved=True)


def _one_after_another(*steps: int) -> Callable[[Through], Answer]:
    return lambda q: tuple(place(_places(q), step) for step in steps)


THROUGH: Question[Through] = Question(
    slug="through",
    title=Text("Through one layer, step by step", "逐步走过一层"),
    prompt=Told(
        "{length:token} {length|is|are} cached; a new one enters layer {layer}. What happens in which order?",
        "已缓存 {length} 个 token；一个新 token 进入第 {layer} 层。先后次序是怎样的？",
    ),
    form=Form((LENGTH, Whole("layer", Text("Layer (from 0)", "第几层（从 0 数）"), 0, 200))),
    inputs=Through(),
    invent=lambda rng: Through(rng.randint(2, 2000), rng.randint(0, 31)),
    formula=_one_after_another(PROJECT, APPEND, SCORE, SUM, FINISH),
    slips=(
        Slip(
            "append_late",
            Text("Appended too late", "追加得太晚"),
            _one_after_another(PROJECT, SCORE, SUM, APPEND, FINISH),
            Told(
                "Then the token would not see itself: only {length} rows stand in the table until its own is appended.",
                "那样 token 就看不到自己：接上自己的之前，表里只有 {length} 行。",
            ),
        ),
        Slip(
            "append_first",
            Text("Appended before it was computed", "还没算出就追加"),
            _one_after_another(APPEND, PROJECT, SCORE, SUM, FINISH),
            Text(
                "There is nothing to append yet: k and v come from this layer’s input, by its weights.",
                "还没有可追加的：k、v 由这一层的输入和权重算出。",
            ),
        ),
        Slip(
            "feed_forward_first",
            Text("Feed-forward before attention", "前馈放在注意力之前"),
            _one_after_another(FINISH, PROJECT, APPEND, SCORE, SUM),
            Text(
                "Wo takes what attention has gathered, and the feed-forward part follows it.",
                "Wo 用的是注意力汇集来的结果，前馈在它之后。",
            ),
        ),
        Slip(
            "sum_first",
            Text("Summed before there are weights", "还没有权重就求和"),
            _one_after_another(PROJECT, APPEND, SUM, SCORE, FINISH),
            Text(
                "The values are summed with the weights that softmax makes from the scores.",
                "值的加权和要用 softmax 由分数得出的权重。",
            ),
        ),
    ),
    working=Text(
        "Its own k and v are there before q looks: a token sees itself.",
        "q 去看之前，自己的 k、v 已在表里：token 看得见自己。",
    ),
    way=lambda q: prompt(q.rows, 0, q.above),
    reply=Order(lambda q: tuple(say(STEPS[i], q) for i in _places(q))),
    rows=(
        Line(STEPS[PROJECT], Text("x is the layer’s input", "x 是本层的输入"), "q, k, v"),
        Line(STEPS[APPEND], "{length} + 1", Told("{rows:row}", "{rows} 行")),
        Line(STEPS[SCORE], "softmax(q · k / √d)", Told("{rows} weights", "{rows} 个权重")),
        Line(STEPS[SUM], Text("Σ weight · v", "Σ 权重 · v"), "o"),
        Line(
            STEPS[FINISH],
            "x + o · Wo, + FFN",
            Told("the input of layer {above}, or of the logits", "第 {above} 层的输入，或算 logits 的输入"),
        ),
    ),
)
