"""Which takes more pairs: five parts of the same generation, put in order."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.decode_cost import Scenario
from lessons.decode_cost.form import NEW, PROMPT
from lessons.decode_cost.questions.given import GIVEN, ONE_HEAD, TEN_FIVE, itself, sum_of
from lessons.kit.form import Form
from lessons.kit.format import count
from lessons.kit.places import shuffled
from lessons.kit.question import Question, Row, Slip
from lessons.kit.reply import Answer, Order
from lessons.kit.text import Text, same
from lessons.kit.told import Told, Words, say
from lessons.kit.units import PAIR


@dataclass(frozen=True)
class Part:
    """A part of a generation: its pairs, and how they come about."""

    name: Text
    pairs: Callable[[Scenario], int]
    how: Words[Scenario]

    def row(self, s: Scenario) -> Row:
        return Row(self.name, say(self.how, s), PAIR.after(count(self.pairs(s))))


LAST_STEP = Part(
    Text("the last decode pass, with a cache", "有缓存时最后一个解码步"),
    lambda s: s.n_positions,
    Text("one query, all keys", "一个查询，全部键"),
)
ALL_DECODE = Part(
    Text("all decode passes, with a cache", "有缓存时全部解码步"),
    lambda s: s.decode.pairs,
    lambda s: same(sum_of(s.n_prompt + 1, s.n_positions)),
)
PROMPT_PASS = Part(
    Text("the prompt’s pass", "提示的前向"), lambda s: s.prefill.pairs, lambda s: same(sum_of(1, s.n_prompt))
)
LAST_PASS = Part(
    Text("the last pass, without a cache", "没有缓存时最后一步"),
    lambda s: s.last_plain.pairs,
    lambda s: same(sum_of(1, s.n_positions)),
)
ALL_PASSES = Part(
    Text("all passes, without a cache", "没有缓存时全部各步"),
    lambda s: s.plain.pairs,
    Told(
        "a triangle for each length from {n_prompt} to {n_positions}", "长度 {n_prompt} 到 {n_positions}，各一个三角形"
    ),
)
PARTS = LAST_STEP, ALL_DECODE, PROMPT_PASS, LAST_PASS, ALL_PASSES


def _ascending(s: Scenario) -> list[Part]:
    return sorted(PARTS, key=lambda part: part.pairs(s))


def _offered(s: Scenario) -> list[Part]:
    """Never in the right order."""
    right = _ascending(s)
    return [right[i] for i in shuffled(len(PARTS), s.n_prompt, s.n_new, moved=True)]


def _places(s: Scenario, wanted: list[Part]) -> Answer:
    offered = _offered(s)
    return tuple(float(offered.index(part) + 1) for part in wanted)


def _swapped(s: Scenario) -> list[Part]:
    swap = {ALL_DECODE: PROMPT_PASS, PROMPT_PASS: ALL_DECODE}
    return [swap.get(part, part) for part in _ascending(s)]


def _pass_as_row(s: Scenario) -> list[Part]:
    others = [part for part in _ascending(s) if part is not LAST_PASS]
    at = others.index(LAST_STEP) + 1
    return [*others[:at], LAST_PASS, *others[at:]]


def _equal(s: Scenario) -> Iterator[Text]:
    if len({part.pairs(s) for part in PARTS}) < len(PARTS):
        yield Text(
            "On these numbers two of the amounts are equal. Change P or M.", "在这组数上有两个量相等。请改 P 或 M。"
        )


def _invent(rng: random.Random) -> Scenario:
    while True:
        s = Scenario(rng.randint(3, 40), rng.randint(3, 40))
        if not any(_equal(s)):
            return s


MORE: Question[Scenario] = Question(
    slug="more",
    title=Text("Which takes more pairs?", "哪一个配对更多？"),
    prompt=GIVEN
    + ONE_HEAD
    + Text(
        "Put these in the order of their query·key pairs, fewest first. Which comes where?",
        "把下面各项按查询·键配对数从少到多排列，顺序是怎样的？",
    ),
    form=Form((PROMPT, NEW), unfit=_equal),
    inputs=TEN_FIVE,
    invent=_invent,
    formula=lambda s: _places(s, _ascending(s)),
    slips=(
        Slip(
            "reversed",
            Text("Most first", "从多到少"),
            lambda s: _places(s, _ascending(s)[::-1]),
            Text(
                "The order is right, but it begins with the most. Fewest first was asked for.",
                "次序对，但从最多的开始了。题目要求从少到多。",
            ),
        ),
        Slip(
            "prefill_against_decode",
            Text("Prefill and decode the other way round", "预填充与解码颠倒了"),
            lambda s: _places(s, _swapped(s)),
            Told(
                "The prompt’s pass scores {prefill.pairs} pairs, the decode passes together {decode.pairs}. It is "
                "P(P + 1)/2 against (M − 1)P + M(M − 1)/2.",
                "提示的前向 {prefill.pairs} 对，各解码步合计 {decode.pairs} 对：P(P + 1)/2 比 (M − 1)P + M(M − 1)/2。",
            ),
        ),
        Slip(
            "pass_as_row",
            Text("Took a whole pass for one row", "把一整步当成了一行"),
            lambda s: _places(s, _pass_as_row(s)),
            Told(
                "Without a cache the last pass runs every row again: {last_plain.pairs} pairs. That is as much as "
                "the prompt’s pass and all decode passes with a cache.",
                "没有缓存时，最后一步把每一行都重算一遍：{last_plain.pairs} 对，等于有缓存时提示的前向加上全部解码步。",
            ),
        ),
    ),
    working=lambda s: Text(
        " < ".join(f"{part.name.en} {count(part.pairs(s))}" for part in _ascending(s)) + ".",
        " < ".join(f"{part.name.zh} {count(part.pairs(s))}" for part in _ascending(s)) + "。",
    ),
    way=itself,
    reply=Order(lambda s: tuple(part.name for part in _offered(s))),
    rows=lambda s: tuple(part.row(s) for part in _ascending(s)),
)
