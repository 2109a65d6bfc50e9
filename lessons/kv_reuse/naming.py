"""How this lesson writes tokens and small differences."""

from __future__ import annotations

from dataclasses import dataclass

from engine.kv_reuse import Scenario
from lessons.kit.format import fixed, magnitude
from lessons.kit.text import Text, same
from lessons.kit.told import Told

LETTERS = "ABCDEFGHIJK"
"""Token 0 is written A, token 10 is K."""


def letter(token: int) -> str:
    return LETTERS[token]


def named(tokens: tuple[int, ...]) -> Text:
    """A, B and C; from four on only how many."""
    *others, last = map(letter, tokens)
    if len(tokens) > 3:
        return Told("{n:token}", "{n} 个 token").on(n=len(tokens))
    return (
        Told("{others} and {last}", "{others} 和 {last}").on(others=tuple(others), last=last) if others else same(last)
    )


@dataclass(frozen=True)
class Names:
    """What sentences call the tokens of a Scenario: `old` the cached ones, `Old` at the beginning of a sentence, `was`
    and `now` the one replaced and the one in its place."""

    old: Text
    Old: Text
    new: str
    was: str
    now: str
    asked: str


def names(s: Scenario) -> Names:
    n = len(s.tokens)
    who = named(s.tokens) if n <= 3 else Told("the {n} old tokens", "{n} 个旧 token").on(n=n)
    tokens = (s.appended, s.replaced, s.edit_to, s.asked)
    return Names(who, Text(who.en[:1].upper() + who.en[1:], who.zh), *map(letter, tokens))


def brief(x: float) -> str:
    """A measured difference in few characters: 0, the power of ten of a rounding, or two decimals."""
    return "0" if not x else fixed(x, 2) if round(x, 2) else magnitude(x)
