"""What the questions on counting share: the generation they speak of, and how they write numbers of rows and pairs."""

from __future__ import annotations

import random
from collections.abc import Callable

from engine.decode_cost import Scenario
from lessons.decode_cost.naming import sum_of as _sum_of
from lessons.kit.format import count
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import Unit

TEN_FIVE, HUNDRED = Scenario(10, 5), Scenario(1, 100)
PASS = Unit(Text("passes", "步"), "passes")
POSITION = Unit(Text("positions", "个位置"), "positions")

ONE_HEAD = Text("Attention is causal; count one head of one layer. ", "因果注意力，只计一层的一个头。")
GIVEN = Told(
    "A prompt of {n_prompt:token}, {n_new:new token}. The prompt’s logits give the first new token. ",
    "提示 {n_prompt} 个 token，新 token {n_new} 个。提示的 logits 给出第一个新 token。",
)
FROM_ONE = Told("{n_new:step} from a single token. ", "从单个 token 起走 {n_new} 步。") + ONE_HEAD


def invent(p: tuple[int, int], m: tuple[int, int]) -> Callable[[random.Random], Scenario]:
    return lambda rng: Scenario(rng.randint(*p), rng.randint(*m))


def steps(low: int, high: int) -> Callable[[random.Random], Scenario]:
    """Generations from a single token."""
    return lambda rng: Scenario(1, rng.randint(low, high))


def itself(s: Scenario) -> Scenario:
    """The generation of the question, in the player."""
    return s


def as_rows(path: str) -> Told:
    """The number in this attribute, with its unit."""
    return Told(f"{{{path}:row}}", f"{{{path}}} 行")


def as_pairs(path: str) -> Told:
    """The number in this attribute, with its unit."""
    return Told(f"{{{path}:pair}}", f"{{{path}}} 对")


def sum_of(first: int, last: int) -> str:
    """A sum in a line of a worked solution, where there is less room than in a sentence."""
    return _sum_of(first, last, most=5)


def over_passes(first: int, last: int) -> Text | str:
    """What decode passes meet or read, summed."""
    return sum_of(first, last) if first <= last else Text("no pass at all", "没有解码步")


def triangle(n: int) -> str:
    """n(n + 1)/2, in numbers."""
    return f"{count(n)} × {count(n + 1)} / 2"


def triangles(n: int) -> str:
    """n(n + 1)(n + 2)/6, the triangles 1 to n, in numbers."""
    return f"{count(n)} × {count(n + 1)} × {count(n + 2)} / 6"
