"""Which of several prompts reuses most."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.prefix_cache import reusable_tokens
from engine.shared_blocks import Arrival, Scenario
from lessons.copy_on_write.questions.fields import SIZE, SMALLER
from lessons.kit.controls import Complaint, Whole
from lessons.kit.form import Form
from lessons.kit.places import shuffled
from lessons.kit.question import Question, Row, Slip
from lessons.kit.reply import Answer, Order
from lessons.kit.text import Text
from lessons.kit.told import Told


@dataclass(frozen=True)
class Hits:
    """Prompts as (tokens, the first position with another token than the cached prompt; as many as tokens: none)."""

    size: int
    prompts: tuple[tuple[int, int], ...]

    def reused(self, prompt: tuple[int, int]) -> int:
        return reusable_tokens(*prompt, self.size)

    @property
    def best(self) -> list[tuple[int, int]]:
        """In the right order."""
        return sorted(self.prompts, key=self.reused, reverse=True)

    @property
    def shown(self) -> tuple[tuple[int, int], ...]:
        """Not in the right order."""
        numbers = (n for prompt in self.prompts for n in prompt)
        return tuple(self.best[i] for i in shuffled(len(self.best), self.size, *numbers, moved=True))

    def by(self, value: Callable[[tuple[int, int]], int]) -> Answer:
        """The order of largest `value` first."""
        return tuple(float(self.shown.index(p) + 1) for p in sorted(self.shown, key=value, reverse=True))


_PAIRS = tuple(
    Whole(f"{name}_{i}", Text(f"Prompt {i}, {en}", f"提示 {i}，{zh}"), low, 1000)
    for i in range(1, 5)
    for name, en, zh, low in (("tokens", "tokens", "token 数", 1), ("changed", "position changed", "被改的位置", 0))
)


def _hits(values: Mapping[str, Any]) -> Hits:
    numbers = [values[field.name] for field in _PAIRS]
    return Hits(values["size"], tuple(zip(numbers[::2], numbers[1::2], strict=True)))


def _values(x: Hits) -> dict[str, int]:
    numbers = (n for prompt in x.prompts for n in prompt)
    return {"size": x.size, **{field.name: n for field, n in zip(_PAIRS, numbers, strict=True)}}


def _unfit(x: Hits) -> Iterator[Complaint]:
    for i, (tokens, changed) in enumerate(x.prompts, 1):
        if changed > tokens:
            yield Complaint(
                f"**Prompt {i}**: a position from 0 to {tokens - 1}, or {tokens} if none is changed; it reads "
                f"{changed}.",
                f"**提示 {i}**：位置从 0 到 {tokens - 1}，没有改动则写 {tokens}；现在是 {changed}。",
                f"changed_{i}",
            )
            return
    if len(set(map(x.reused, x.prompts))) < len(x.prompts):
        yield Complaint(
            "**Prompts**: two of them reuse equally many tokens, so there is no one order. Change one.",
            "**提示**：有两个复用的 token 一样多，次序就不唯一了。请改一个。",
        )


def _invent_hits(rng: random.Random) -> Hits:
    size = rng.choice((8, 16, 32))
    while True:
        full = size * rng.randint(2, 6)
        prompts = [(full, full)]  # known altogether
        for _ in range(3):
            changed = rng.randint(size, 6 * size)
            prompts.append((changed + rng.randint(1, 6 * size), changed))
        rng.shuffle(prompts)
        x = Hits(size, tuple(prompts))
        if len(set(map(x.reused, prompts))) == 4 == len({n for n, _ in prompts}) == len({c for _, c in prompts}):
            return x


def _same_but(n: int, changed: int) -> Text:
    if changed == n:
        same = Told("{n:token}, all as in the cache", "{n} 个 token，与缓存的完全相同")
    else:
        same = Told(
            "{n:token}, all as in the cache but the one at position {changed}",
            "{n} 个 token，只有位置 {changed} 与缓存的不同",
        )
    return same.on(n=n, changed=changed)


def _full(x: Hits, prompt: tuple[int, int]) -> str:
    n, changed = prompt
    return f"⌊{min(changed, n - 1)} ÷ {x.size}⌋ × {x.size}"


def _each(x: Hits) -> Text:
    each = [f"{_full(x, prompt)} = {x.reused(prompt)}" for prompt in x.best]
    return Text("; ".join(each), "；".join(each)) + Text(
        ". The last token of a prompt is always run.", "。提示的最后一个 token 总要运行。"
    )


MOST_REUSED: Question[Hits] = Question(
    slug="most_reused",
    title=Text("Prompts by what they reuse", "按复用多少给提示排序"),
    prompt=Told(
        "Four prompts were cached in blocks of {size:token}; they come again, some with a token changed (positions "
        "count from 0). Which reuses the most tokens, which the fewest? Put them in order, the most first.",
        "四个提示已缓存，每块 {size} 个 token；它们再次到来，有的改了一个 token（位置从 0 数起）。哪个复用的 token "
        "最多，哪个最少？按从多到少排好。",
    ),
    form=Form((SIZE, *_PAIRS), build=_hits, values=_values, unfit=_unfit),
    inputs=Hits(16, ((48, 48), (60, 20), (150, 120), (90, 75))),
    invent=_invent_hits,
    formula=lambda x: x.by(x.reused),
    slips=(
        Slip(
            "by_same",
            Text("Ordered by how many tokens are the same", "按相同的 token 数排了"),
            lambda x: x.by(lambda p: p[0] - (p[1] < p[0])),
            Text(
                "Tokens behind the change are the same, but their K and V are not: they have met the changed one.",
                "改动之后的 token 虽然相同，K、V 却不同：它们见过被改的那个。",
            ),
        ),
        Slip(
            "by_behind",
            Text("Ordered by what comes after the change", "按改动之后的 token 数排了"),
            lambda x: x.by(lambda p: p[0] - p[1]),
            Text(
                "That is the part that has to be computed again. What stands before the change is reused.",
                "这是要重算的部分。能复用的是改动之前的。",
            ),
        ),
        Slip(
            "turned",
            Text("The fewest first", "从少到多了"),
            lambda x: x.by(lambda p: -x.reused(p)),
            Text("That begins with the prompt that reuses least.", "这是从复用最少的开始。"),
        ),
    ),
    working=lambda x: _each(x) + SMALLER,
    way=lambda x: Scenario(Arrival.SAME, 8, 4, (), 6, 2),
    reply=Order(lambda x: tuple(_same_but(*prompt) for prompt in x.shown)),
    rows=lambda x: tuple(Row(_same_but(*p), _full(x, p), str(x.reused(p))) for p in x.best),
)
