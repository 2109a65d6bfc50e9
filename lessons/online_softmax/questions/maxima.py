"""When the maximum rises, what must shrink, and how far there is to an overflow."""

from __future__ import annotations

import math
import random
from dataclasses import replace

from engine.attention import exp_limit
from engine.online_softmax import CompareMax, Mistake, Scenario, Shrink
from lessons.kit.format import fixed, short, vector
from lessons.kit.question import COUNTED, Question, Row, Slip
from lessons.kit.reply import Answer, Number, Tick
from lessons.kit.text import Text, listed, literal
from lessons.online_softmax.form import KEYS, TILE, form
from lessons.online_softmax.questions.drawn import CHAPTER, keys_in_words
from lessons.online_softmax.steps import trace

# --- how often it must shrink


def _tops(s: Scenario) -> list[float]:
    return [max(s.scores[key] for key in tile.keys) for tile in s.tiles]


def _rises(scores: list[float]) -> float:
    """How often a later visible score passes all before it."""
    seen = [x for x in scores if x > -math.inf]
    return float(sum(x > max(seen[:i]) for i, x in enumerate(seen) if i))


def shrinks(scenario: Scenario) -> int:
    """How often the maximum rises from one tile to a later one."""
    return int(_rises(_tops(scenario)))


def _rising(rng: random.Random) -> Scenario:
    """Five tiles whose maxima rise and fall, their keys in any order."""
    size = rng.choice((2, 3))
    maxima = rng.sample(range(1, 10), 5)
    tiles = [rng.sample((m, *(rng.randint(-2, m) for _ in range(size - 1))), size) for m in maxima]
    scores = tuple(float(s) for tile in tiles for s in tile)
    return Scenario(scores, ((1.0,),) * len(scores), tuple("ABCDEFGHIJKLMNO"[: len(scores)]), size)


SHRINKS: Question[Scenario] = Question(
    slug="shrinks",
    title=Text("How often must it shrink?", "要缩放几次？"),
    prompt=lambda s: (
        keys_in_words(s)
        + Text(
            f"Tiles of {s.tile_size}. How many times must what we hold change scale?",
            f"每个分块 {s.tile_size} 个键。手中的累计要换几次基准？",
        )
    ),
    form=form(KEYS, TILE),
    inputs=Scenario((0.0, 1.0, 2.0, 3.0, 1.0, 2.0, 4.0, 5.0), ((1.0,),) * 8, tuple("ABCDEFGH"), 2),
    invent=_rising,
    formula=lambda s: shrinks(s),
    slips=(
        Slip(
            "first_too",
            Text("Counted the first tile", "把第一个分块也算了"),
            lambda s: (shrinks(s) + 1.0,),
            Text(
                "At the first visible tile nothing is held yet, so nothing changes scale.",
                "第一个可见的分块到来时手中什么也没有，谈不上换基准。",
            ),
        ),
        Slip(
            "by_key",
            Text("Counted keys, not tiles", "按键数了，没有按分块数"),
            lambda s: (_rises([s.scores[key] for key in s.reading]),),
            Text(
                "That is how often the maximum rises key by key. A tile brings its maximum in one go.",
                "这是逐个键读取时最大值上升的次数。一个分块的最大值是一次带来的。",
            ),
            lambda s: replace(s, tile_size=1),
        ),
        Slip(
            "every_tile",
            Text("Counted every tile", "每个分块都算了"),
            lambda s: len(s.tiles),
            Text(
                "A tile whose maximum is not above the running one changes no scale.",
                "最大值没有超过当前值的分块不会引起换基准。",
            ),
        ),
    ),
    working=lambda s: Text(
        f"The running maximum rises {shrinks(s)} time{'s' * (shrinks(s) != 1)} after the first visible tile.",
        f"第一个可见的分块之后，最大值上升了 {shrinks(s)} 次。",
    ),
    way=lambda s: s,
    reply=Number(),
    rows=lambda s: (
        Row(
            Text("The largest score of each tile", "各分块最大的分数"),
            Text("in reading order", "按读取顺序"),
            vector(_tops(s), short),
        ),
        Row(
            Text("The maximum so far, after each", "读完每块后的最大值"),
            Text("the larger of old and new", "旧与新中较大的"),
            vector((max(_tops(s)[: i + 1]) for i in range(len(s.tiles))), short),
        ),
        Row(
            Text("Rises, the first tile left out", "上升的次数（不算第一块）"),
            Text("count them", "数一数"),
            str(shrinks(s)),
        ),
    ),
    tolerance=COUNTED,
)


# --- room before the overflow


def _lowest(scenario: Scenario) -> float:
    return min((s for s in scenario.scores if s > -math.inf), default=0.0)


def _highest(scenario: Scenario) -> float:
    return max((s for s in scenario.scores if s > -math.inf), default=0.0)


OVERFLOW: Question[Scenario] = Question(
    slug="overflow",
    title=Text("Room before the overflow", "离溢出还有多远"),
    prompt=lambda s: (
        keys_in_words(s)
        + Text(
            "No maximum is subtracted. What is the largest number that can be added to every score, in float64, "
            "before exp of one of them overflows?",
            "假如不减最大值。在 float64 下给每个分数都加上同一个数：这个数最大是多少，才不会有任何一个 exp 溢出？",
        )
    ),
    form=form(KEYS),
    inputs=replace(CHAPTER, scores=(30.0, -20.0, 60.0)),
    invent=lambda rng: Scenario(
        tuple(float(rng.randint(-90, 90)) for _ in range(4)), ((1.0,), (2.0,), (3.0,), (4.0,)), tuple("ABCD")
    ),
    formula=lambda s: (exp_limit("float64") - _highest(s),),
    slips=(
        Slip(
            "forgot_scores",
            Text("Forgot the scores", "忘了分数本身"),
            lambda s: (exp_limit("float64"),),
            Text(
                "That is the limit of exp itself. The largest score uses up part of it.",
                "这是 exp 自己的界限，最大的分数已经占去一部分。",
            ),
        ),
        Slip(
            "lowest",
            Text("Used the lowest score", "用了最低分"),
            lambda s: (exp_limit("float64") - _lowest(s),),
            Text("The highest score overflows first.", "最先溢出的是最高分。"),
        ),
        Slip(
            "float32",
            Text("The limit of float32", "用了 float32 的界限"),
            lambda s: (exp_limit("float32") - _highest(s),),
            Text("That is where float32 overflows.", "这是 float32 溢出的地方。"),
        ),
        Slip(
            "base_two",
            Text("Powers of 2", "按 2 的幂算"),
            lambda s: (exp_limit("float64") / math.log(2) - _highest(s),),
            Text("That is where 2^s overflows. e^s gets there sooner.", "这是 2^s 溢出的地方，e^s 更早。"),
        ),
    ),
    working=lambda s: Text(
        f"exp overflows above {fixed(exp_limit('float64'))}; the largest score is {short(_highest(s))}. The steps "
        "add 1 more than "
        "that and subtract nothing.",
        f"exp 在 {fixed(exp_limit('float64'))} 以上溢出；最大的分数是 {short(_highest(s))}。下面的步骤比这个数再多加 "
        "1，并且什么也不减。",
    ),
    way=lambda s: replace(
        s, scores=tuple(x + exp_limit("float64") - _highest(s) + 1 for x in s.scores), mistake=Mistake.NO_MAX
    ),
    reply=Number(),
    rows=lambda s: (
        Row(
            Text("The highest score", "最高分"),
            f"max({vector([s.scores[key] for key in s.reading], short)})",
            short(_highest(s)),
        ),
        Row(
            Text("exp overflows in float64 above", "float64 的 exp 溢出界限"),
            Text("ln of its largest number", "最大数的自然对数"),
            fixed(exp_limit("float64")),
        ),
        Row(
            Text("Room between", "之间的余地"),
            f"{fixed(exp_limit('float64'))} − {short(_highest(s)) if _highest(s) >= 0 else f'({short(_highest(s))})'}",
            fixed(exp_limit("float64") - _highest(s)),
        ),
    ),
)


# --- what each tile changes


def _changes(s: Scenario) -> list[tuple[bool, bool]]:
    """For each tile: whether m changes, and whether what is held shrinks."""
    steps = list(trace(s))
    shrinking = {step.tile.index for step in steps if isinstance(step, Shrink)}
    return [(step.m_new > step.m_old, step.tile.index in shrinking) for step in steps if isinstance(step, CompareMax)]


def _ticks(pairs: list[tuple[bool, bool]]) -> Answer:
    return tuple(float(mark) for pair in pairs for mark in pair)


def _first_too(s: Scenario) -> Answer:
    return _ticks([(rises, rises) for rises, _ in _changes(s)])


def _beside_the_one_before(s: Scenario) -> Answer:
    tops = _tops(s)
    return _ticks([(i == 0 or top > tops[i - 1], i > 0 and top > tops[i - 1]) for i, top in enumerate(tops)])


def _equal_too(s: Scenario) -> Answer:
    tops = _tops(s)
    rises = [i == 0 or top >= max(tops[:i]) for i, top in enumerate(tops)]
    return _ticks([(up, up and i > 0) for i, up in enumerate(rises)])


def _lower_shrinks(s: Scenario) -> Answer:
    tops = _tops(s)
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
    names = [listed(tuple(literal(s.labels[key]) for key in tile.keys)) for tile in s.tiles]
    return tuple(Text(f"tile {i}: {name.en}", f"分块 {i}：{name.zh}") for i, name in enumerate(names, 1))


CHANGES: Question[Scenario] = Question(
    slug="changes",
    title=Text("What does each tile change?", "每个分块改变什么？"),
    prompt=lambda s: (
        keys_in_words(s)
        + Text(
            f"Tiles of {s.tile_size}. At which tiles does m change, and at which must the ℓ and u held so far shrink "
            "before the tile is added?",
            f"每个分块 {s.tile_size} 个键。读到哪些分块时 m 改变？加入哪些分块之前，已有的 ℓ 和 u 要先缩小？",
        )
    ),
    form=form(KEYS, TILE),
    inputs=Scenario((1.0, 3.0, 0.0, 1.0, 2.0, 1.0, 1.0, 3.0, 4.0, 0.0), ((1.0,),) * 10, tuple("ABCDEFGHIJ"), 2),
    invent=_five,
    formula=lambda s: _ticks(_changes(s)),
    slips=(
        Slip(
            "first_too",
            Text("Shrank at the first tile", "第一个分块也缩放了"),
            _first_too,
            Text(
                "At the first visible tile m is set, but nothing is held yet that could shrink.",
                "第一个可见的分块给出 m，但手中还没有可缩小的东西。",
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
            Text("An equal maximum changes nothing: α = e^0 = 1.", "最大值相等时什么也不变：α = e^0 = 1。"),
        ),
        Slip(
            "lower_shrinks",
            Text("Shrank at lower tiles", "在较低的分块处缩放了"),
            _lower_shrinks,
            Text(
                "A lower tile leaves the scale as it is; its own weights are small. What is held shrinks when the "
                "maximum rises.",
                "较低的分块不改变基准，只是自己的权重小。最大值上升时，已有累计才缩小。",
            ),
        ),
    ),
    working=lambda s: Text(
        f"The largest scores of the tiles: {vector(_tops(s), short)}.", f"各分块最大的分数：{vector(_tops(s), short)}。"
    ),
    way=lambda s: s,
    reply=Tick(_tile_names, lambda s: (Text("m changes", "m 改变"), Text("ℓ and u shrink", "ℓ 和 u 缩小"))),
    rows=lambda s: (
        Row(
            Text("The largest score of each tile", "各分块最大的分数"),
            Text("in reading order", "按读取顺序"),
            vector(_tops(s), short),
        ),
        Row(
            Text("The maximum so far, after each", "读完每块后的最大值"),
            Text("the larger of old and new", "旧与新中较大的"),
            vector((max(_tops(s)[: i + 1]) for i in range(len(s.tiles))), short),
        ),
        Row(Text("m changes at tiles", "m 改变的分块"), Text("where it grew", "它变大的地方"), _numbered(s, 0)),
        Row(
            Text("ℓ and u shrink at tiles", "ℓ 和 u 缩小的分块"),
            Text("where it grew and something was held", "它变大且手中已有累计的地方"),
            _numbered(s, 1),
        ),
    ),
)


def _numbered(s: Scenario, column: int) -> str:
    return ", ".join(str(i) for i, pair in enumerate(_changes(s), 1) if pair[column]) or "–"
