"""What the questions "find the error" share: claims as they stand in texts about the cache, and numbers that tell them
apart."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

from engine.kv_formats import BF16
from engine.kv_size import Scenario
from lessons.kit.finding import Finding
from lessons.kit.form import Form
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_bytes.form import TOKENS, unfit
from lessons.kv_bytes.questions.drawn import GIVEN, GROUPED, ONE_SEQUENCE, invented, without_hidden

ASKED = (
    GIVEN
    + ONE_SEQUENCE
    + Text(
        ". One of these claims is wrong. Which one, and what should it say?",
        "。下面有一条说法是错的。是哪一条，应当怎么说？",
    )
)


def drawn(finding: Finding[Scenario]) -> Callable[[random.Random], Scenario]:
    """Inventions on which every sentence says something else."""

    def invent(rng: random.Random) -> Scenario:
        while True:
            s = without_hidden(replace(invented(rng), format=BF16, batch=1))
            if finding.told_apart(s):
                return s

    return invent


def finding_form(finding: Finding[Scenario]) -> Form[Scenario]:
    """The model's numbers, refused where two sentences say the same."""

    def alike(s: Scenario) -> Iterator[Text]:
        wrong = tuple(unfit(s))
        yield from wrong
        if not wrong and not finding.told_apart(s):
            yield Text(
                "With these numbers two of the sentences say the same thing; change the heads.",
                "用这些数，有两句话说的是一回事；请改动头数。",
            )

    return Form((*GROUPED, TOKENS), unfit=alike)


def whole_takes(n_bytes: int) -> Text:
    return Told("The whole sequence takes {n:GiB}.", "整条序列占 {n:GiB}。").on(n=n_bytes)


def unshared_takes(n_bytes: int) -> Text:
    return Told(
        "With a KV head for every query head it would be {n:GiB}.", "若每个查询头各有一个 KV 头，就是 {n:GiB}。"
    ).on(n=n_bytes)
