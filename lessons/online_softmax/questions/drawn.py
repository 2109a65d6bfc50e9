"""What the questions share: the chapter's keys, invented ones, a mistake as a slip, the way in lines."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from functools import lru_cache

import numpy as np

from engine.attention import Array
from engine.online_softmax import AddTile, Mistake, Scenario, Shrink, State, output
from engine.softmax_state import exp
from lessons.kit.format import fixed, short, vector
from lessons.kit.question import Row, Slip
from lessons.kit.reply import Answer
from lessons.kit.text import Text, literal
from lessons.online_softmax.steps import trace

CHAPTER = Scenario((0.0, 2.0, 1.0), ((5.0, 5.0), (10.0, 0.0), (0.0, 20.0)), ("C", "A", "B"))
TWO_TILES = Scenario((1.0, 3.0), ((2.0,), (10.0,)), ("A", "B"))


@lru_cache(maxsize=512)
def last(scenario: Scenario) -> State:
    *_, last = (step for step in trace(scenario) if isinstance(step, AddTile))
    return last.after


@lru_cache(maxsize=64)
def tile_states(scenario: Scenario) -> tuple[State, ...]:
    """Each tile on its own."""
    s, v = np.asarray(scenario.scores), np.asarray(scenario.values)
    return tuple(State.of(s[list(tile.keys)], v[list(tile.keys)]) for tile in scenario.tiles)


def mean(rows: list[Array]) -> Answer:
    return tuple(np.mean(rows, axis=0).tolist())


def with_(scenario: Scenario, mistake: Mistake) -> Scenario:
    return replace(scenario, mistake=mistake)


def output_slip(mistake: Mistake) -> Slip[Scenario]:
    """The slip that ends in the output of this mistake, with the mistake's own trace as its working."""
    title, said = {
        Mistake.NO_RESCALE: (
            Text("Forgot to rescale ℓ and u", "ℓ 和 u 都忘了缩放"),
            Text(
                "The maximum rose, but ℓ and u stayed on the old scale, so keys on two scales were added.",
                "最大值上升了，ℓ 和 u 却留在旧基准上，两种基准上的键被加在了一起。",
            ),
        ),
        Mistake.RESCALE_L_ONLY: (
            Text("Forgot to rescale u", "忘了缩放 u"),
            Text(
                "ℓ was multiplied by α, u was not: the early values count too much.",
                "ℓ 乘了 α，u 没有乘：先读到的值被算得太重。",
            ),
        ),
        Mistake.RESCALE_U_ONLY: (
            Text("Forgot to rescale ℓ", "忘了缩放 ℓ"),
            Text(
                "u was multiplied by α, ℓ was not: everything is divided by too much.", "u 乘了 α，ℓ 没有乘：除数偏大。"
            ),
        ),
        Mistake.TILE_MAX: (
            Text("Used the tile’s own maximum", "用了本分块自己的最大值"),
            Text(
                "The weights of a later tile were measured against that tile’s own maximum, not the running one.",
                "后面的分块用了自己的最大值作基准，而不是当前最大值。",
            ),
        ),
    }[mistake]
    return Slip(
        mistake.value,
        title,
        lambda s: tuple(output(with_(s, mistake)).tolist()),
        lambda s: said,
        lambda s: with_(s, mistake),
    )


def in_base_two(scenario: Scenario) -> Scenario:
    """The scenario whose e^s equal the given one's 2^s."""
    return replace(scenario, scores=tuple(s * math.log(2) for s in scenario.scores))


BASE_TWO = Text(
    "That is 2 to the power of the scores. Kernels do use exp2, but then multiply the scores by log₂ e first.",
    "这是用 2 的幂算的。内核确实用 exp2，但会先把分数乘以 log₂ e。",
)


def invented(rng: random.Random, *, n: tuple[int, int] = (3, 5), d: int = 2) -> Scenario:
    """Small whole numbers whose maximum rises after the first tile and is followed by a lower tile."""
    count = rng.randint(*n)
    scores = tuple(float(rng.randint(-2, 4)) for _ in range(count))
    values = tuple(tuple(float(rng.randint(0, 20)) for _ in range(d)) for _ in range(count))
    return Scenario(scores, values, tuple("ABCDEFGH"[:count]), rng.choice((1, 1, 2)))


def keys_in_words(scenario: Scenario) -> Text:
    """The keys in reading order as a Markdown table, a paragraph before the question."""
    head = " | ".join(literal(scenario.labels[k]) for k in scenario.reading)
    scores = " | ".join(short(scenario.scores[k]) for k in scenario.reading)
    values = " | ".join(f"({vector(scenario.values[k], short)})" for k in scenario.reading)
    line = "---|" * (len(scenario.scores) + 1)
    return Text(
        f"|  | {head} |\n|{line}\n| **score s** | {scores} |\n| **value v** | {values} |\n\n",
        f"|  | {head} |\n|{line}\n| **分数 s** | {scores} |\n| **值 v** | {values} |\n\n",
    )


# --- the first rise


@lru_cache(maxsize=512)
def first_shrink(scenario: Scenario) -> Shrink | None:
    return next((step for step in trace(scenario) if isinstance(step, Shrink)), None)


# --- in lines


def bracketed(x: float) -> str:
    """A subtrahend: negative ones in brackets."""
    return short(x) if x >= 0 else f"({short(x)})"


def weight_rows(s: Scenario) -> tuple[Row, ...]:
    """The final maximum, and each key's weight against it, in reading order."""
    held = last(s)
    m = float(held.m)
    scores = [s.scores[key] for key in s.reading]
    p = exp(np.asarray(scores), held.m).tolist()
    powers = vector(scores, lambda x: f"e^({short(x)} − {bracketed(m)})")
    return (
        Row(Text("The largest score m", "最大的分数 m"), f"max({vector(scores, short)})", short(m)),
        Row(Text("Each key’s weight p", "每个键的权重 p"), powers, vector(p)),
    )


def l_row(s: Scenario) -> Row:
    return Row(Text("ℓ: all weights together", "ℓ：权重之和"), "Σ p", fixed(float(last(s).l)))


def u_row(s: Scenario) -> Row:
    return Row(Text("u: the values times their weights", "u：各值乘以权重之和"), "Σ p v", vector(last(s).u.tolist()))
