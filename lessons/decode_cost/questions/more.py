"""Which takes more pairs: five parts of the same generation, put in order."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from engine.counts import decode, prefill, without_cache
from engine.decode_cost import Scenario
from lessons.decode_cost.form import NEW, PROMPT
from lessons.decode_cost.questions.given import FROM_PREFILL, ONE_HEAD, TEN_FIVE, given, itself, pairs_row, sum_of
from lessons.kit.controls import BadInput
from lessons.kit.form import Form
from lessons.kit.format import count
from lessons.kit.places import place, shuffled
from lessons.kit.question import Question, Slip
from lessons.kit.reply import Answer, Order
from lessons.kit.text import Text, same

_AMOUNTS: tuple[tuple[Text, Callable[[int, int], int]], ...] = (
    (Text("the last decode pass, with a cache", "有缓存时最后一个解码步"), lambda p, m: p + m - 1),
    (
        Text("all decode passes, with a cache", "有缓存时全部解码步"),
        lambda p, m: decode(p, m, first_from_prefill=True).pairs,
    ),
    (Text("the prompt’s pass", "提示的前向"), lambda p, m: prefill(p).pairs),
    (Text("the last pass, without a cache", "没有缓存时最后一步"), lambda p, m: prefill(p + m - 1).pairs),
    (Text("all passes, without a cache", "没有缓存时全部各步"), lambda p, m: without_cache(p, m).pairs),
)
LAST_STEP, ALL_DECODE, PROMPT_PASS, LAST_PASS, ALL_PASSES = range(5)


def _amounts(s: Scenario) -> list[int]:
    return [f(s.n_prompt, s.n_new) for _, f in _AMOUNTS]


def _ascending(s: Scenario) -> list[int]:
    return sorted(range(5), key=_amounts(s).__getitem__)


def _offered(s: Scenario) -> tuple[int, ...]:
    """Which amount stands at each place: never in the right order."""
    right = _ascending(s)
    return tuple(right[i] for i in shuffled(5, s.n_prompt, s.n_new, moved=True))


def _in_order(s: Scenario, wanted: list[int]) -> Answer:
    return tuple(place(_offered(s), item) for item in wanted)


def _swapped(s: Scenario) -> list[int]:
    swap = {ALL_DECODE: PROMPT_PASS, PROMPT_PASS: ALL_DECODE}
    return [swap.get(item, item) for item in _ascending(s)]


def _pass_as_row(s: Scenario) -> list[int]:
    others = [item for item in _ascending(s) if item != LAST_PASS]
    at = others.index(LAST_STEP) + 1
    return [*others[:at], LAST_PASS, *others[at:]]


def _more_build(values: Mapping[str, Any]) -> Scenario:
    s = Scenario(values["prompt"], values["new"])
    if len(set(_amounts(s))) < 5:
        raise BadInput(
            Text(
                "On these numbers two of the amounts are equal. Change P or M.", "在这组数上有两个量相等。请改 P 或 M。"
            )
        )
    return s


def _more(rng: random.Random) -> Scenario:
    while True:
        s = Scenario(rng.randint(3, 40), rng.randint(3, 40))
        if len(set(_amounts(s))) == 5:
            return s


MORE: Question[Scenario] = Question(
    slug="more",
    title=Text("Which takes more pairs?", "哪一个配对更多？"),
    prompt=lambda s: (
        given(s)
        + FROM_PREFILL
        + ONE_HEAD
        + Text(
            "Put these in the order of their query·key pairs, fewest first. Which comes where?",
            "把下面各项按查询·键配对数从少到多排列，顺序是怎样的？",
        )
    ),
    form=Form((PROMPT, NEW), _more_build, lambda s: {"prompt": s.n_prompt, "new": s.n_new}),
    inputs=TEN_FIVE,
    invent=_more,
    formula=lambda s: _in_order(s, _ascending(s)),
    slips=(
        Slip(
            "reversed",
            Text("Most first", "从多到少"),
            lambda s: _in_order(s, _ascending(s)[::-1]),
            Text(
                "The order is right, but it begins with the most. Fewest first was asked for.",
                "次序对，但从最多的开始了。题目要求从少到多。",
            ),
        ),
        Slip(
            "prefill_against_decode",
            Text("Prefill and decode the other way round", "预填充与解码颠倒了"),
            lambda s: _in_order(s, _swapped(s)),
            lambda s: Text(
                f"The prompt’s pass scores {count(prefill(s.n_prompt).pairs)} pairs, the decode passes together "
                f"{count(decode(s.n_prompt, s.n_new, first_from_prefill=True).pairs)}. It is P(P + 1)/2 against (M − "
                "1)P + M(M − 1)/2.",
                f"提示的前向 {count(prefill(s.n_prompt).pairs)} 对，各解码步合计 "
                f"{count(decode(s.n_prompt, s.n_new, first_from_prefill=True).pairs)} 对：P(P + 1)/2 比 (M − 1)P + "
                "M(M − 1)/2。",
            ),
        ),
        Slip(
            "pass_as_row",
            Text("Took a whole pass for one row", "把一整步当成了一行"),
            lambda s: _in_order(s, _pass_as_row(s)),
            lambda s: Text(
                f"Without a cache the last pass runs every row again: {count(prefill(s.n_positions).pairs)} pairs. "
                "That is as much as the prompt’s pass and all decode passes with a cache.",
                f"没有缓存时，最后一步把每一行都重算一遍：{count(prefill(s.n_positions).pairs)} 对，等于有缓存时提示"
                "的前向加上全部解码步。",
            ),
        ),
    ),
    working=lambda s: Text(
        " < ".join(f"{_AMOUNTS[i][0].en} {count(_amounts(s)[i])}" for i in _ascending(s)) + ".",
        " < ".join(f"{_AMOUNTS[i][0].zh} {count(_amounts(s)[i])}" for i in _ascending(s)) + "。",
    ),
    way=itself,
    reply=Order(lambda s: tuple(_AMOUNTS[i][0] for i in _offered(s))),
    rows=lambda s: tuple(
        pairs_row(
            _AMOUNTS[i][0],
            {
                LAST_STEP: Text("one query, all keys", "一个查询，全部键"),
                ALL_DECODE: same(sum_of(s.n_prompt + 1, s.n_positions)),
                PROMPT_PASS: same(sum_of(1, s.n_prompt)),
                LAST_PASS: same(sum_of(1, s.n_positions)),
                ALL_PASSES: Text(
                    f"a triangle for each length from {count(s.n_prompt)} to {count(s.n_positions)}",
                    f"长度 {count(s.n_prompt)} 到 {count(s.n_positions)}，各一个三角形",
                ),
            }[i],
            _amounts(s)[i],
        )
        for i in _ascending(s)
    ),
)
