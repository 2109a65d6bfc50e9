"""What the questions on counting share: the generation they speak of, and slips that follow from P and M alone."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from engine.decode_cost import Mistake, Scenario
from lessons.kit.format import count
from lessons.kit.question import Row, Slip
from lessons.kit.text import Text
from lessons.kit.units import PAIR, Unit

TEN_FIVE, HUNDRED = Scenario(10, 5), Scenario(1, 100)
PASS = Unit(Text("passes", "步"), "passes")
POSITION = Unit(Text("positions", "个位置"), "positions")

ONE_HEAD = Text("Attention is causal; count one head of one layer. ", "因果注意力，只计一层的一个头。")
FROM_PREFILL = Text("The prompt’s logits give the first new token. ", "提示的 logits 给出第一个新 token。")


def given(s: Scenario) -> Text:
    return Text(
        f"A prompt of {count(s.n_prompt)} token{'s' * (s.n_prompt > 1)}, {count(s.n_new)} new "
        f"token{'s' * (s.n_new > 1)}. ",
        f"提示 {count(s.n_prompt)} 个 token，新 token {count(s.n_new)} 个。",
    )


def slip(
    name: str, title: Text, formula: Callable[[int, int], float], said: Text, mistake: Mistake | None = None
) -> Slip[Scenario]:
    """A slip whose number follows from P and M; `mistake` is the lesson's, where it has this one."""
    way = None if mistake is None else lambda s: replace(s, mistake=mistake)
    return Slip(name, title, lambda s: formula(s.n_prompt, s.n_new), lambda s: said, way)


def invent(p: tuple[int, int], m: tuple[int, int]) -> Callable[[random.Random], Scenario]:
    return lambda rng: Scenario(rng.randint(*p), rng.randint(*m))


def steps(low: int, high: int) -> Callable[[random.Random], Scenario]:
    """Generations from a single token."""
    return lambda rng: Scenario(1, rng.randint(low, high))


def itself(s: Scenario) -> Scenario:
    """The generation of the question, in the player."""
    return s


def sum_of(first: int, last: int) -> str:
    """first + … + last, in full where it is short.

    >>> sum_of(3, 6), sum_of(10, 100)
    ('3 + 4 + 5 + 6', '10 + 11 + … + 100')
    """
    if last - first < 5:
        return " + ".join(count(n) for n in range(first, last + 1))
    return f"{count(first)} + {count(first + 1)} + … + {count(last)}"


def pairs_row(what: Text, how: Text | str, n: int) -> Row:
    """A line that gives a number of pairs."""
    return Row(what, how, PAIR.after(count(n)))
