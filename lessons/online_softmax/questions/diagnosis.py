"""Which slip made this output: a program told by what it returns."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from engine.online_softmax import Mistake, Scenario
from lessons.kit.controls import Choice
from lessons.kit.form import Form
from lessons.kit.format import vector
from lessons.kit.places import place, shuffled
from lessons.kit.question import Question, Row, Slip
from lessons.kit.reply import Pick
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.online_softmax.form import BY_TILE, KEYS, TILE
from lessons.online_softmax.presets import CHAPTER
from lessons.online_softmax.questions.keys import ONE_NUMBER, invented, keys_in_words, visible


@dataclass(frozen=True)
class Program:
    """A program that folds these keys with a mistake."""

    scenario: Scenario
    made: Mistake = Mistake.RESCALE_L_ONLY

    def gives(self, mistake: Mistake) -> tuple[float, ...]:
        return tuple(self.making(mistake).end.output.tolist())

    def making(self, mistake: Mistake) -> Scenario:
        return replace(self.scenario, mistake=mistake)

    @property
    def right(self) -> tuple[float, ...]:
        return self.gives(Mistake.NONE)

    @property
    def returned(self) -> tuple[float, ...]:
        return self.gives(self.made)

    @property
    def suspects(self) -> tuple[Mistake, ...]:
        """What it did; the same with ℓ and u changed over; both; another slip altogether."""
        other = Mistake.RESCALE_U_ONLY if self.made is Mistake.RESCALE_L_ONLY else Mistake.RESCALE_L_ONLY
        return self.made, other, Mistake.NO_RESCALE, Mistake.TILE_MAX

    @property
    def order(self) -> tuple[int, ...]:
        """The suspects as they are offered."""
        return shuffled(4, *visible(self.scenario), float(self.made is Mistake.RESCALE_L_ONLY))


FORGOT: dict[Mistake, Text] = {
    Mistake.RESCALE_L_ONLY: Text("to multiply u by α", "u 没有乘 α"),
    Mistake.RESCALE_U_ONLY: Text("to multiply ℓ by α", "ℓ 没有乘 α"),
    Mistake.NO_RESCALE: Text("to multiply u and ℓ by α", "u 和 ℓ 都没有乘 α"),
    Mistake.TILE_MAX: Text("to subtract the running maximum from a lower tile", "较低的分块没有减去当前最大值"),
}
MADE = Choice.among(
    "made",
    Text("What it forgets", "它漏掉的"),
    {mistake: FORGOT[mistake] for mistake in (Mistake.RESCALE_L_ONLY, Mistake.RESCALE_U_ONLY)},
)


def _broken(rng: random.Random) -> Program:
    """Keys on which no two of the slips give the same output."""
    made = rng.choice((Mistake.RESCALE_L_ONLY, Mistake.RESCALE_U_ONLY))
    while True:
        p = Program(invented(rng, d=1), made)
        if _least_apart(p) > 0.05:
            return p


def _least_apart(p: Program) -> float:
    """How far the outputs of the suspects and the right one are apart at least, in their number that differs most; 0
    where one is no number."""
    outputs = [p.gives(mistake) for mistake in (*p.suspects, Mistake.NONE)]
    if not all(math.isfinite(x) for output in outputs for x in output):
        return 0.0
    return min(max(abs(x - y) for x, y in zip(a, b, strict=True)) for a, b in combinations(outputs, 2))


def _alike(p: Program) -> Iterator[Text]:
    if _least_apart(p) < 0.001:
        yield Text(
            "On these keys two of the mistakes return the same output, or one returns the right output: the output "
            "does not tell. The maximum must rise after the first visible tile, a later tile must stay below it, and "
            "the values must not be alike.",
            "在这些键上，有两种错误返回同样的输出，或有一种返回正确的输出，从输出看不出来。第一个可见的分块之后最大值"
            "要上升，后面还要有分块低于它，各个值也不能都一样。",
        )


def _suspected(k: int, name: str, title: Text) -> Slip[Program]:
    """The slip of taking suspect k for the culprit."""
    said = Told("A program that forgot this would return ({o:vector}).", "漏了这一步的程序会返回（{o:vector}）。")
    return Slip(
        name,
        title,
        lambda p: place(p.order, k),
        lambda p: said.on(o=p.gives(p.suspects[k])),
        lambda p: p.making(p.suspects[k]),
    )


def _had_it_forgotten(p: Program) -> tuple[Row, ...]:
    """A line a suspect: the output that it would have led to; the culprit last."""
    _, *others = p.suspects
    if_it, it = Told("If it forgot {what}", "若{what}"), Told("It forgot {what}", "它漏的是：{what}")
    return (
        *(Row(if_it.on(what=FORGOT[mistake]), "u ÷ ℓ", vector(p.gives(mistake))) for mistake in others),
        Row(it.on(what=FORGOT[p.made]), "u ÷ ℓ", vector(p.returned)),
    )


DIAGNOSIS: Question[Program] = Question(
    slug="diagnosis",
    title=Text("What did this program forget?", "这个程序漏了什么？"),
    prompt=lambda p: (
        keys_in_words(p.scenario)
        + Told(
            "A program reads these keys in tiles of {scenario.tile_size:key}. The right output is ({right:vector}), "
            "but it returns ({returned:vector}). What did it forget?",
            "某个程序按每个分块 {scenario.tile_size} 个键读取。正确的输出是（{right:vector}），它却返回（"
            "{returned:vector}）。它漏了什么？",
        ).on(p)
    ),
    form=Form(
        (KEYS, TILE, MADE),
        lambda values: Program(BY_TILE.made(values, CHAPTER), values["made"]),
        lambda p: {**BY_TILE.taken_apart(p.scenario), "made": p.made},
        unfit=_alike,
    ),
    inputs=Program(ONE_NUMBER),
    invent=_broken,
    formula=lambda p: place(p.order, 0),
    slips=(
        _suspected(1, "swapped", Text("Took ℓ and u for each other", "把 ℓ 和 u 弄反了")),
        _suspected(2, "both", Text("Suspected both", "以为两个都漏了")),
        _suspected(3, "weights", Text("Suspected the weights", "以为错在权重")),
    ),
    working=Told(
        "Run the fold with each mistake and compare. Without this factor the output is ({returned:vector}).",
        "把每种错误各算一遍，再作比较。漏掉这个因子，输出就是（{returned:vector}）。",
    ),
    way=lambda p: p.making(p.made),
    reply=Pick(lambda p: tuple(FORGOT[p.suspects[i]] for i in p.order)),
    rows=_had_it_forgotten,
)
