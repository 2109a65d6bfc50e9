"""The new token's own path: numbers kept, rows read, the steps through a layer, and which change turns a key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

from engine.kv_reuse import Mistake, Scenario
from engine.prompt_edits import Experiment, Operation, Sight, measure
from lessons.kit.controls import Whole
from lessons.kit.form import Form
from lessons.kit.format import count
from lessons.kit.places import place, shuffled
from lessons.kit.question import Question, Row, Slip, Tolerance, together
from lessons.kit.reply import Answer, Number, Order, Pick
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import ROW
from lessons.kv_reuse.questions.inputs import AT, LAYERS, LENGTH, RELATIVE, form, prompt, slip
from lessons.kv_reuse.tokens import delta


@dataclass(frozen=True)
class Sizes:
    """A model's sizes."""

    layers: int
    heads: int
    kv_heads: int
    head_dim: int


_K_ONLY = Slip[Sizes](
    "k_only",
    Text("Forgot v", "漏了 v"),
    lambda q: q.layers * q.kv_heads * q.head_dim,
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
    form=form(
        Sizes,
        LAYERS,
        Whole("heads", Text("Query heads", "查询头数"), 1, 512),
        Whole("kv_heads", Text("KV heads", "KV 头数"), 1, 512),
        Whole("head_dim", Text("Numbers a head", "每头几个数"), 1, 1024),
    ),
    inputs=Sizes(32, 32, 8, 128),
    invent=lambda rng: Sizes(
        rng.choice((2, 12, 16, 28, 32, 40, 80)),
        (kv := rng.choice((2, 4, 8))) * rng.choice((3, 4, 7, 8)),
        kv,
        rng.choice((64, 96, 128)),
    ),
    formula=lambda q: 2 * q.layers * q.kv_heads * q.head_dim,
    slips=(
        _K_ONLY,
        slip(
            "one_layer",
            Text("Counted one layer", "只算了一层"),
            lambda q: 2 * q.kv_heads * q.head_dim,
            Text("That is one layer’s. Each layer has rows of its own.", "这是一层的。每一层都有自己的行。"),
            lambda q: replace(Scenario(), mistake=Mistake.TOP_LAYER),
        ),
        _QUERY_HEADS,
        together(_K_ONLY, _QUERY_HEADS, lambda q: q.layers * q.heads * q.head_dim),
        slip(
            "with_q",
            Text("Kept q as well", "把 q 也存了"),
            lambda q: q.layers * q.head_dim * (q.heads + 2 * q.kv_heads),
            Text(
                "q has had its answer when its own token is done. Nobody reads it again.",
                "自己的 token 一算完，q 就用完了，以后不再被读。",
            ),
            lambda q: replace(Scenario(), mistake=Mistake.OLD_Q),
        ),
    ),
    working=Told(
        "2 · {layers} · {kv_heads} · {head_dim}, for k and v. The steps show the little model.",
        "2 · {layers} · {kv_heads} · {head_dim}，k 和 v 各一份。下面的步骤是小模型的。",
    ),
    way=lambda q: Scenario(),
    reply=Number(),
    rows=lambda q: (
        Row(Text("k of one layer", "一层的 k"), f"{q.kv_heads} × {q.head_dim}", count(q.kv_heads * q.head_dim)),
        Row(
            Text("k and v of one layer", "一层的 k 和 v"),
            f"2 × {count(q.kv_heads * q.head_dim)}",
            count(2 * q.kv_heads * q.head_dim),
        ),
        Row(
            Text("all layers", "所有层"),
            f"{q.layers} × {count(2 * q.kv_heads * q.head_dim)}",
            count(2 * q.layers * q.kv_heads * q.head_dim),
        ),
    ),
    tolerance=Tolerance(RELATIVE, 0.01),
)


@dataclass(frozen=True)
class Reading:
    """A cached text and a model's layers."""

    length: int
    layers: int


_NOT_ITS_OWN = Slip[Reading](
    "own_forgotten",
    Text("Forgot its own row", "漏了自己的一行"),
    lambda q: q.layers * q.length,
    Text(
        "Its own row was left out. A token sees itself, too: its k is appended before the scores are computed.",
        "漏了自己的一行。token 也看自己：算分数之前，它的 k 已经接上。",
    ),
)
_ONE_LAYER = Slip[Reading](
    "one_layer",
    Text("Counted one layer", "只算了一层"),
    lambda q: q.length + 1,
    Text(
        "One layer was counted. There is a cache for each, and each is read.",
        "只算了一层。每一层都有缓存，每一层都要读。",
    ),
    lambda q: replace(prompt(q.length + 1, 0, q.layers), mistake=Mistake.TOP_LAYER),
)

READ: Question[Reading] = Question(
    slug="read",
    title=Text("Rows read for one token", "一个 token 要读几行"),
    prompt=Told(
        "{length} token{length| is|s are} cached in a causal model of {layers:layer}, and one is appended. Following "
        "one query head: with how many rows of k, over all layers, is the new token’s q multiplied?",
        "{layers} 层的因果模型缓存了 {length} 个 token，再追加一个。只看一个查询头：新 token 的 q 在所有层合计与多少"
        "行 k 相乘？",
    ),
    form=form(Reading, LENGTH, LAYERS),
    inputs=Reading(6, 3),
    invent=lambda rng: Reading(rng.randint(5, 200), rng.randint(2, 40)),
    formula=lambda q: q.layers * (q.length + 1),
    slips=(
        _NOT_ITS_OWN,
        _ONE_LAYER,
        together(_NOT_ITS_OWN, _ONE_LAYER, lambda q: q.length),
        slip(
            "computed",
            Text("Counted the rows computed", "数了新算的行"),
            lambda q: q.layers,
            Text(
                "That many rows are computed. The cached ones are not computed again, but they are read.",
                "这是新算的行数。缓存的行不重算，但要读。",
            ),
        ),
        slip(
            "no_cache",
            Text("Asked all tokens again", "让所有 token 重新问了一遍"),
            lambda q: q.layers * (q.length + 1) * (q.length + 2) // 2,
            Text(
                "That is a full run, with every old query. The old queries have had their answers.",
                "这是全部重算，每个旧查询都算进来了。旧查询早已得到回答。",
            ),
        ),
    ),
    working=Told("{layers} · ({length} + 1).", "{layers} · ({length} + 1)。"),
    way=lambda q: prompt(q.length + 1, 0, q.layers),
    reply=Number(ROW),
    rows=lambda q: (
        Row(
            Text("rows of k in a layer once its own is appended", "接上自己的之后，一层有几行 k"),
            f"{count(q.length)} + 1",
            count(q.length + 1),
        ),
        Row(
            Text("rows of all layers", "所有层合计"),
            f"{q.layers} × {count(q.length + 1)}",
            ROW.after(count(q.layers * (q.length + 1))),
        ),
    ),
    tolerance=Tolerance(RELATIVE, 0.01),
)


# --- the steps through a layer


@dataclass(frozen=True)
class Through:
    """A new token on its way through one layer over a cache."""

    length: int = 6
    layer: int = 1


PROJECT, APPEND, SCORE, SUM, FINISH = range(5)


def _steps(q: Through) -> tuple[Text, ...]:
    n = count(q.length + 1)
    return (
        Text(f"project x to q, k and v with layer {q.layer}’s weights", f"用第 {q.layer} 层的权重把 x 投影成 q、k、v"),
        Text(
            f"append k and v to layer {q.layer}’s tables: now {n} rows",
            f"把 k、v 接到第 {q.layer} 层的表上：现在 {n} 行",
        ),
        Text(f"multiply q with {n} rows of k; softmax", f"q 与 {n} 行 k 相乘，再做 softmax"),
        Text(f"sum {n} rows of v with these weights", f"用这些权重对 {n} 行 v 求和"),
        Text("project with Wo and add to x; then the feed-forward part", "经 Wo 投影后加到 x 上，再做前馈"),
    )


def _places(q: Through) -> tuple[int, ...]:
    return shuffled(5, q.length, q.layer, moved=True)


def _one_after_another(*steps: int) -> Callable[[Through], Answer]:
    return lambda q: tuple(place(_places(q), step) for step in steps)


def _way_through(q: Through) -> tuple[Row, ...]:
    project, append, score, sum_up, finish = _steps(q)
    n, above = count(q.length + 1), q.layer + 1
    return (
        Row(project, Text("x is the layer’s input", "x 是本层的输入"), "q, k, v"),
        Row(append, f"{count(q.length)} + 1", ROW.after(n)),
        Row(score, "softmax(q · k / √d)", Text(f"{n} weights", f"{n} 个权重")),
        Row(sum_up, Text("Σ weight · v", "Σ 权重 · v"), "o"),
        Row(
            finish,
            "x + o · Wo, + FFN",
            Text(f"the input of layer {above}, or of the logits", f"第 {above} 层的输入，或算 logits 的输入"),
        ),
    )


THROUGH: Question[Through] = Question(
    slug="through",
    title=Text("Through one layer, step by step", "逐步走过一层"),
    prompt=Told(
        "{length} token{length| is|s are} cached; a new one enters layer {layer}. What happens in which order?",
        "已缓存 {length} 个 token；一个新 token 进入第 {layer} 层。先后次序是怎样的？",
    ),
    form=form(Through, LENGTH, Whole("layer", Text("Layer (from 0)", "第几层（从 0 数）"), 0, 200)),
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
    way=lambda q: prompt(q.length + 1, 0, min(q.layer + 1, 3)),
    reply=Order(lambda q: tuple(_steps(q)[i] for i in _places(q))),
    rows=lambda q: _way_through(q),
)


# --- which change turns a key


@dataclass(frozen=True)
class Turned:
    """Four changes to a cached prompt: one of MOVES, an adapter, an append and a replacement. `lost` is the row of
    layer 0 that the last token loses alone."""

    length: int = 24
    at: int = 8
    by: int = 4
    move: int = 0
    lost: str = "k"


MOVES = (Operation.INSERT, Operation.SHIFT, Operation.DROP)
_KEEPS = {"k": "v", "v": "k"}


def _options_of(q: Turned) -> tuple[tuple[Operation, Text], ...]:
    move = MOVES[q.move]
    words = {
        Operation.INSERT: Text(f"a token is inserted at position {q.at}", f"在位置 {q.at} 插入一个 token"),
        Operation.SHIFT: Text(f"every position becomes {q.by} larger", f"所有位置号都加 {q.by}"),
        Operation.DROP: Text(
            f"the first {q.by} tokens are dropped, the rest moves up to 0",
            f"丢掉最早的 {q.by} 个 token，其余的从 0 重新排起",
        ),
    }
    return (
        (move, words[move]),
        (Operation.ADAPTER, Text("the v weights of layer 0 get another adapter", "第 0 层的 v 权重换了适配器")),
        (Operation.APPEND, Text("one more token is appended", "末尾再追加一个 token")),
        (Operation.REPLACE, Text(f"the token at position {q.at} is replaced", f"位置 {q.at} 的 token 被替换")),
    )


def lost_by(q: Turned, operation: Operation) -> tuple[float, float]:
    """How far the k and the v of layer 0 of the last cached token are from what they were."""
    experiment = Experiment(operation, length=q.length, position=q.at, layer=0, by=q.by, n_layers=1)
    outcome = measure(experiment, Sight.CAUSAL)
    last = -2 if operation is Operation.APPEND else -1  # the appended token stands behind it
    return float(outcome.k[0, last]), float(outcome.v[0, last])


def _order(q: Turned) -> tuple[int, ...]:
    return shuffled(4, q.length, q.at, q.by, q.move)


def _option(which: int) -> Callable[[Turned], Answer]:
    return lambda q: (place(_order(q), which),)


def _turned(q: Turned, right: bool) -> Answer:
    return _option(0 if (q.lost == "k") == right else 1)(q)


TURNS: Question[Turned] = Question(
    slug="turns",
    title=Text("Which change spoils only one of k and v?", "哪种改动只让 k、v 之一失效？"),
    prompt=lambda q: Text(
        f"{q.length} tokens are cached in a causal model with rotated keys. After which change does the last token’s "
        f"{q.lost} in layer 0 no longer serve, while its {_KEEPS[q.lost]} there still does (positions from 0)?",
        f"因果模型（键按位置旋转）缓存了 {q.length} 个 token。哪种改动之后，最后一个 token 在第 0 层的 {q.lost} 不能"
        f"再用，而它的 {_KEEPS[q.lost]} 仍然可用（位置从 0 数）？",
    ),
    form=Form(
        (
            Whole("length", Text("Prompt length", "提示长度"), 24, 256),
            Whole("at", AT.label, 0, 22),
            Whole("by", Text("Shift or drop by", "移动或丢掉多少"), 1, 22),
        ),
        lambda values: Turned(**values),
        asdict,
    ),
    inputs=Turned(),
    invent=lambda rng: Turned(
        rng.randint(24, 100), rng.randint(1, 20), rng.randint(1, 20), rng.randrange(3), rng.choice("kv")
    ),
    formula=lambda q: _turned(q, True),
    slips=(
        Slip(
            "the_other",
            Text("The one that spoils the other", "让另一个失效的改动"),
            lambda q: _turned(q, False),
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
    way=lambda q: replace(
        Scenario(),
        experiment=Experiment(
            MOVES[q.move] if q.lost == "k" else Operation.ADAPTER,
            length=q.length,
            position=q.at,
            layer=0,
            by=q.by,
            n_layers=2,
        ),
    ),
    reply=Pick(lambda q: tuple(_options_of(q)[i][1] for i in _order(q))),
    rows=lambda q: tuple(
        Row(
            words,
            Text(
                "largest difference of the last token’s k and v in layer 0", "最后一个 token 在第 0 层的 k、v 的最大差"
            ),
            "k {}, v {}".format(*map(delta, lost_by(q, operation))),
        )
        for operation, words in _options_of(q)
    ),
)
