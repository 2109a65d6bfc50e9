"""When the maximum rises, what must shrink, and how far there is to an overflow."""

from __future__ import annotations

import math
import random
from dataclasses import replace

from engine.attention import exp_limit
from engine.online_softmax import CompareMax, Mistake, Scenario, Shrink
from lessons.kit.format import fixed, short, vector
from lessons.kit.question import COUNTED, Line, Question, Slip
from lessons.kit.reply import Answer, Tick
from lessons.kit.text import Text, literal
from lessons.kit.told import Told
from lessons.online_softmax.form import BY_TILE, FORM, KEYS
from lessons.online_softmax.naming import subtrahend
from lessons.online_softmax.presets import CHAPTER
from lessons.online_softmax.questions.keys import (
    MAXIMA,
    RUNNING,
    below_the_keys,
    max_of_scores,
    some_visible,
    visible,
)
from lessons.online_softmax.trace import trace

# --- how often it must shrink


def _key_by_key(s: Scenario) -> Scenario:
    return replace(s, tile_size=1)


def _rising(rng: random.Random) -> Scenario:
    """Five tiles whose maxima rise and fall, their keys in any order."""
    size = rng.choice((2, 3))
    maxima = rng.sample(range(1, 10), 5)
    tiles = [rng.sample((m, *(rng.randint(-2, m) for _ in range(size - 1))), size) for m in maxima]
    scores = tuple(float(s) for tile in tiles for s in tile)
    return Scenario(scores, ((1.0,),) * len(scores), tuple("ABCDEFGHIJKLMNO"[: len(scores)]), size)


SHRINKS: Question[Scenario] = Question(
    slug="shrinks",
    title=Text("How often are ℓ and u rescaled?", "要缩放几次？"),
    prompt=below_the_keys(
        Told(
            "The kernel reads tiles of {tile_size:key}. How many times must ℓ and u be rescaled?",
            "内核按每个分块 {tile_size} 个键读取。ℓ 和 u 要缩放几次？",
        )
    ),
    form=BY_TILE,
    inputs=Scenario((0.0, 1.0, 2.0, 3.0, 1.0, 2.0, 4.0, 5.0), ((1.0,),) * 8, tuple("ABCDEFGH"), 2),
    invent=_rising,
    formula=lambda s: s.n_shrinks,
    slips=(
        Slip(
            "first_too",
            Text("Counted the first tile", "把第一个分块也算了"),
            lambda s: s.n_shrinks + 1,
            Text(
                "At the first visible tile ℓ and u are still 0, so there is nothing to rescale.",
                "第一个可见的分块到来时，ℓ 和 u 还是 0，没有东西要缩放。",
            ),
        ),
        Slip(
            "by_key",
            Text("Counted keys, not tiles", "按键数了，没有按分块数"),
            lambda s: _key_by_key(s).n_shrinks,
            Text(
                "That is how often the maximum rises when single keys are read. A tile raises it once at most.",
                "这是逐个键读取时最大值上升的次数。一个分块最多让它上升一次。",
            ),
            _key_by_key,
        ),
        Slip(
            "every_tile",
            Text("Counted every tile", "每个分块都算了"),
            lambda s: s.n_tiles,
            Text(
                "That is the number of tiles. Only a tile whose maximum exceeds the running one makes ℓ and u change "
                "scale.",
                "这是分块的个数。只有最大值超过当前最大值的分块，才使 ℓ 和 u 换基准。",
            ),
        ),
    ),
    working=Told(
        "The running maximum rises {n_shrinks:time} after the first visible tile.",
        "第一个可见的分块之后，最大值上升了 {n_shrinks} 次。",
    ),
    way=lambda s: s,
    rows=(
        MAXIMA,
        RUNNING,
        Line(
            Text("Rises after the first visible tile", "第一个可见分块之后的上升次数"),
            Text("count them", "数一数"),
            "{n_shrinks}",
        ),
    ),
    tolerance=COUNTED,
)


# --- room before the overflow

LIMIT = exp_limit("float64")


def _highest(s: Scenario) -> float:
    return max(visible(s), default=0.0)


def _too_far(s: Scenario) -> Scenario:
    """1 more added to every score than there is room for, and nothing subtracted."""
    return replace(s, scores=tuple(score + LIMIT - _highest(s) + 1 for score in s.scores), mistake=Mistake.NO_MAX)


OVERFLOW: Question[Scenario] = Question(
    slug="overflow",
    title=Text("Room before the overflow", "离溢出还有多远"),
    prompt=below_the_keys(
        Text(
            "A program subtracts no maximum. It adds one number to every score and takes exp in float64. How large may "
            "this number be before one of the powers overflows?",
            "某个程序不减最大值。它给每个分数加上同一个数，再用 float64 取 exp。这个数最大是多少，才没有任何一个幂溢"
            "出？",
        )
    ),
    form=replace(FORM.only(KEYS), unfit=some_visible),
    inputs=replace(CHAPTER, scores=(30.0, -20.0, 60.0)),
    invent=lambda rng: Scenario(
        tuple(float(rng.randint(-90, 90)) for _ in range(4)), ((1.0,), (2.0,), (3.0,), (4.0,)), tuple("ABCD")
    ),
    formula=lambda s: LIMIT - _highest(s),
    slips=(
        Slip(
            "forgot_scores",
            Text("Forgot the scores", "忘了分数本身"),
            lambda _: LIMIT,
            Text(
                "That is where exp itself overflows. The highest score has to be taken off.",
                "这是 exp 自己的溢出界限，还要减去最高分。",
            ),
        ),
        Slip(
            "lowest",
            Text("Used the lowest score", "用了最低分"),
            lambda s: LIMIT - min(visible(s), default=0.0),
            Text("The highest score overflows first.", "最先溢出的是最高分。"),
        ),
        Slip(
            "float32",
            Text("The limit of float32", "用了 float32 的界限"),
            lambda s: exp_limit("float32") - _highest(s),
            Text("That is where float32 overflows.", "这是 float32 溢出的地方。"),
        ),
        Slip(
            "base_two",
            Text("Powers of 2", "按 2 的幂算"),
            lambda s: LIMIT / math.log(2) - _highest(s),
            Text("That is where $2^s$ overflows; $e^s$ does sooner.", "这是 $2^s$ 溢出的地方，$e^s$ 更早溢出。"),
        ),
    ),
    working=lambda s: Told(
        "exp overflows above {limit}, and the highest score is {highest:short}. The steps add 1 more than the "
        "difference and subtract nothing.",
        "exp 在 {limit} 以上溢出，最高分是 {highest:short}。下面的步骤比两者之差再多加 1，并且什么也不减。",
    ).on(limit=LIMIT, highest=_highest(s)),
    way=_too_far,
    rows=(
        Line(Text("The highest score", "最高分"), max_of_scores, lambda s: short(_highest(s))),
        Line(
            Text("exp overflows in float64 above", "float64 的 exp 溢出界限"),
            Text("ln of its largest number", "最大数的自然对数"),
            fixed(LIMIT),
        ),
        Line(
            Text("Room between", "之间的余地"),
            lambda s: f"{fixed(LIMIT)} − {subtrahend(_highest(s))}",
            lambda s: fixed(LIMIT - _highest(s)),
        ),
    ),
)


# --- what each tile changes


def _changes(s: Scenario) -> list[tuple[bool, bool]]:
    """For each tile: whether m changes, and whether what is held shrinks."""
    shrinking = {step.tile for step in trace(s) if isinstance(step, Shrink)}
    return [(step.m_new > step.m_old, step.tile in shrinking) for step in trace(s) if isinstance(step, CompareMax)]


def _ticks(pairs: list[tuple[bool, bool]]) -> Answer:
    return tuple(float(mark) for pair in pairs for mark in pair)


def _first_too(s: Scenario) -> Answer:
    return _ticks([(rises, rises) for rises, _ in _changes(s)])


def _beside_the_one_before(s: Scenario) -> Answer:
    tops = s.maxima
    return _ticks([(i == 0 or top > tops[i - 1], i > 0 and top > tops[i - 1]) for i, top in enumerate(tops)])


def _equal_too(s: Scenario) -> Answer:
    rises = [i == 0 or top >= max(s.maxima[:i]) for i, top in enumerate(s.maxima)]
    return _ticks([(up, up and i > 0) for i, up in enumerate(rises)])


def _lower_shrinks(s: Scenario) -> Answer:
    tops = s.maxima
    return _ticks([(rises, i > 0 and tops[i] < max(tops[:i])) for i, (rises, _) in enumerate(_changes(s))])


def _five(rng: random.Random) -> Scenario:
    """Five tiles of two; some maximum comes back, some falls and rises again without passing the highest."""
    while True:
        tops = [rng.randint(1, 5) for _ in range(5)]
        later = range(1, 5)
        comes_back = any(tops[i] == max(tops[:i]) for i in later)
        up_but_not_above = any(tops[i - 1] < tops[i] < max(tops[:i]) for i in later)
        if comes_back and up_but_not_above and any(tops[i] > max(tops[:i]) for i in later):
            break
    tiles = [rng.sample((top, top - rng.randint(1, 4)), 2) for top in tops]
    return Scenario(tuple(float(x) for tile in tiles for x in tile), ((1.0,),) * 10, tuple("ABCDEFGHIJ"), 2)


def _tile_names(s: Scenario) -> tuple[Text, ...]:
    named = Told("tile {i}: {labels}", "分块 {i}：{labels}")
    labels = [tuple(literal(s.labels[key]) for key in tile.keys) for tile in s.tiles]
    return tuple(named.on(i=i, labels=each) for i, each in enumerate(labels, 1))


def _tiles_where(s: Scenario, column: int) -> str:
    return ", ".join(str(i) for i, marks in enumerate(_changes(s), 1) if marks[column]) or "–"


CHANGES: Question[Scenario] = Question(
    slug="changes",
    title=Text("What does each tile change?", "每个分块改变什么？"),
    prompt=below_the_keys(
        Told(
            "The kernel reads tiles of {tile_size:key}. At which tiles does m change, and at which must ℓ and u be "
            "rescaled before the tile joins them?",
            "内核按每个分块 {tile_size} 个键读取。读到哪些分块时 m 改变？加入哪些分块之前，ℓ 和 u 要先缩放？",
        )
    ),
    form=BY_TILE,
    inputs=Scenario((1.0, 3.0, 0.0, 1.0, 2.0, 1.0, 1.0, 3.0, 4.0, 0.0), ((1.0,),) * 10, tuple("ABCDEFGHIJ"), 2),
    invent=_five,
    formula=lambda s: _ticks(_changes(s)),
    slips=(
        Slip(
            "first_too",
            Text("Rescaled at the first tile", "第一个分块也缩放了"),
            _first_too,
            Text(
                "At the first visible tile m changes from −∞, but ℓ and u are still 0: there is nothing to rescale.",
                "第一个可见的分块使 m 从 −∞ 改变，但 ℓ 和 u 还是 0：没有东西要缩放。",
            ),
        ),
        Slip(
            "one_before",
            Text("Compared with the tile before", "只与前一个分块比"),
            _beside_the_one_before,
            Text(
                "A tile is compared with the largest score so far, not with the tile before it.",
                "要与目前为止最大的分数比，不是与前一个分块比。",
            ),
        ),
        Slip(
            "equal_too",
            Text("Took an equal maximum for a rise", "把相等当成上升"),
            _equal_too,
            Text(
                r"An equal maximum changes nothing: $\alpha = e^0 = 1$.",
                r"最大值相等时什么也不变：$\alpha = e^0 = 1$。",
            ),
        ),
        Slip(
            "lower_shrinks",
            Text("Rescaled at lower tiles", "在较低的分块处缩放了"),
            _lower_shrinks,
            Text(
                "A lower tile leaves the scale as it is; only its own weights are below 1. ℓ and u are rescaled where "
                "the maximum rises.",
                "较低的分块不改变基准，只是自己的权重小于 1。最大值上升时，ℓ 和 u 才缩放。",
            ),
        ),
    ),
    working=lambda s: Told("The largest scores of the tiles: {tops}.", "各分块最大的分数：{tops}。").on(
        tops=vector(s.maxima, short)
    ),
    way=lambda s: s,
    reply=Tick(_tile_names, (Text("m changes", "m 改变"), Text("ℓ and u are rescaled", "ℓ 和 u 缩放"))),
    rows=(
        MAXIMA,
        RUNNING,
        Line(
            Text("m changes at tiles", "m 改变的分块"),
            Text("where it exceeds all before", "超过此前所有最大值处"),
            lambda s: _tiles_where(s, 0),
        ),
        Line(
            Text("ℓ and u are rescaled at tiles", "ℓ 和 u 缩放的分块"),
            Text("of these, all but the first", "其中除第一个之外"),
            lambda s: _tiles_where(s, 1),
        ),
    ),
)
