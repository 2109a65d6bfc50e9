"""What the questions share: keys as a table above the question, invented ones, mistakes as slips, the way in lines."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import accumulate
from typing import SupportsFloat

import numpy as np

from engine.online_softmax import Mistake, Scenario, State
from engine.softmax_state import exp
from lessons.kit.format import short, vector
from lessons.kit.question import Line, Slip
from lessons.kit.reply import Answer
from lessons.kit.text import Text, literal
from lessons.kit.told import Words, say
from lessons.online_softmax.form import BY_TILE
from lessons.online_softmax.mistakes import MISTAKES
from lessons.online_softmax.naming import subtrahend
from lessons.online_softmax.presets import CHAPTER

ONE_NUMBER = replace(CHAPTER, values=((5.0,), (10.0,), (0.0,)))
"""The chapter's keys with one number a value."""


def below_the_keys(words: Words[Scenario]) -> Callable[[Scenario], Text]:
    """The sentence of a question under the table of its keys."""
    return lambda s: keys_in_words(s) + say(words, s)


def keys_in_words(s: Scenario) -> Text:
    """The keys in reading order as a Markdown table."""
    head = " | ".join(literal(s.labels[key]) for key in s.reading)
    scores = " | ".join(short(s.scores[key]) for key in s.reading)
    values = " | ".join(f"({vector(s.values[key], short)})" for key in s.reading)
    line = "---|" * (len(s.scores) + 1)
    return Text(
        f"|  | {head} |\n|{line}\n| **score s** | {scores} |\n| **value v** | {values} |\n\n",
        f"|  | {head} |\n|{line}\n| **分数 s** | {scores} |\n| **值 v** | {values} |\n\n",
    )


def invented(rng: random.Random, *, n: tuple[int, int] = (3, 5), d: int = 2) -> Scenario:
    """Small whole numbers in tiles of one key or two."""
    count = rng.randint(*n)
    scores = tuple(float(rng.randint(-2, 4)) for _ in range(count))
    values = tuple(tuple(float(rng.randint(0, 20)) for _ in range(d)) for _ in range(count))
    return Scenario(scores, values, tuple("ABCDEFGH"[:count]), rng.choice((1, 1, 2)))


def visible(s: Scenario) -> tuple[float, ...]:
    """The scores that are not masked."""
    return tuple(score for score in s.scores if score > -math.inf)


def some_visible(s: Scenario) -> Iterator[Text]:
    """A complaint where every key is masked."""
    if not visible(s):
        yield Text(
            "At least one key must be visible: with every score −∞ there is nothing to add up.",
            "至少要有一个可见的键：分数全是 −∞ 时，没有东西可加。",
        )


SOME_VISIBLE = replace(BY_TILE, unfit=some_visible)

# --- slips


def led_to(
    mistake: Mistake,
    answer: Callable[[State], SupportsFloat | Answer],
    *,
    name: str | None = None,
) -> Slip[Scenario]:
    """The slip of making this mistake all along; `answer` is what is asked of what is then held at the end."""
    return MISTAKES.slip(mistake, lambda s: answer(replace(s, mistake=mistake).end), lambda s: s, name=name)


def mean_of_parts(s: Scenario) -> Answer:
    return tuple(np.mean([part.output for part in s.parts], axis=0))


def in_base_two(s: Scenario) -> Scenario:
    """The scenario whose e^s equal the given one's 2^s."""
    return replace(s, scores=tuple(score * math.log(2) for score in s.scores))


TWO, TWO_SAID = (
    Text("2 instead of e", "用 2 代替了 e"),
    Text(
        r"That takes powers of 2. Kernels do use exp2, but they multiply the scores by $\log_2 e$ first.",
        r"这是用 2 的幂算的。内核确实用 exp2，但会先把分数乘以 $\log_2 e$。",
    ),
)

# --- in lines


def _scores(s: Scenario) -> list[float]:
    return [s.scores[key] for key in s.reading]


def max_of_scores(s: Scenario) -> str:
    return f"max({vector(_scores(s), short)})"


def _powers(s: Scenario) -> str:
    m = subtrahend(float(s.end.m))
    return vector(_scores(s), lambda x: f"e^({short(x)} − {m})")


LARGEST: Line[Scenario] = Line(Text("The largest score m", "最大的分数 m"), max_of_scores, "{end.m:short}")
P: Line[Scenario] = Line(
    Text("Each key’s weight p", "每个键的权重 p"), _powers, lambda s: vector(exp(np.asarray(_scores(s)), s.end.m))
)
L: Line[Scenario] = Line(Text("ℓ: all weights together", "ℓ：权重之和"), "Σ p", "{end.l}")
U: Line[Scenario] = Line(Text("u: the values times their weights", "u：各值乘以权重之和"), "Σ p v", "{end.u:vector}")
MAXIMA: Line[Scenario] = Line(
    Text("The largest score of each tile", "各分块最大的分数"),
    Text("in reading order", "按读取顺序"),
    lambda s: vector(s.maxima, short),
)
RUNNING: Line[Scenario] = Line(
    Text("The maximum so far, after each", "读完每块后的最大值"),
    Text("the larger of old and new", "旧与新中较大的"),
    lambda s: vector(accumulate(s.maxima, max), short),
)
