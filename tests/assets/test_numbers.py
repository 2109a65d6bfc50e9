"""A number means the same to the server, which judges answers (lessons/kit/expression.py), and to the browser, which
judges predictions (assets/numbers.js)."""

from __future__ import annotations

import contextlib
import json
import math
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lessons.kit.arithmetic import evaluate
from lessons.kit.controls import BadInput
from lessons.kit.expression import CONSTANTS, FUNCTIONS, MOST_TYPED, Unreadable, plain, readings
from tests.assets.deno import ran
from tests.lessons.expressions import tree, write
from tests.lessons.hostile import HOSTILE

CASES: dict[str, Any] = json.loads((Path(__file__).parents[1] / "numbers.json").read_text("utf-8"))
SIGNS = "0123456789.,+-*/^() eE万亿百x⁻²³×÷π_−﹣１．，\u202f\u00a0\ufeff\u2028\x1f\x85萬=≈sqrt√%–ln"


def refused(typed: str) -> bool:
    try:
        evaluate(typed)
    except BadInput:
        return True
    return False


@pytest.mark.parametrize("typed", CASES["read"])
def test_a_number_may_be_spelled_in_any_sensible_way(typed: str) -> None:
    wanted = CASES["read"][typed]
    for spelled in (typed, f"  {typed}\u3000\n"):
        assert evaluate(spelled) == pytest.approx(wanted, rel=1e-15, abs=0)
        assert math.copysign(1, evaluate(spelled)) == math.copysign(1, wanted)


@pytest.mark.parametrize("typed", CASES["refused"])
def test_what_is_no_number_is_refused(typed: str) -> None:
    assert refused(typed)


@pytest.mark.parametrize("typed", CASES["comma"])
def test_a_comma_groups_digits_or_stands_for_the_point_or_may_do_both(typed: str) -> None:
    assert list(readings(plain(typed))) == CASES["comma"][typed]


def predictions(typed: str) -> list[float]:
    """What the browser should make of a text: a share may be asked in %, and % stand behind it."""
    if len(typed) > MOST_TYPED:
        return []
    found: list[float] = []
    for text in dict.fromkeys((plain(typed), plain(typed).removesuffix("%"))):
        with contextlib.suppress(Unreadable):
            found += readings(text)
    return list(dict.fromkeys(found))


def random_texts() -> list[str]:
    """Arithmetic that has a value mostly, and texts that mostly have none."""
    rng = random.Random(1)
    trees = [write(rng, tree(rng, rng.randint(1, 4))) for _ in range(600)]
    called = [f"{rng.choice(list(FUNCTIONS))}({write(rng, tree(rng, 1))})^{rng.randint(-3, 3)}" for _ in range(100)]
    called += [f"{rng.choice(list(CONSTANTS))}^{rng.randint(-9, 9)}*{write(rng, tree(rng, 1))}" for _ in range(50)]
    roots = [f"({write(rng, tree(rng, 1))})^(1/{rng.randint(2, 9)})" for _ in range(100)]
    signs = ["".join(rng.choices(SIGNS, k=rng.randint(1, 12))) for _ in range(1500)]
    floats = [repr(math.ldexp(rng.random() - 0.5, rng.randint(-1080, 1024))) for _ in range(200)]
    return [*trees, *called, *roots, *signs, *floats]


def test_random_expressions_and_hostile_texts_mean_the_same_in_both_languages() -> None:
    texts = [*HOSTILE, *random_texts()]
    theirs = json.loads(ran("run", "tests/assets/read.js", told=json.dumps(texts)))
    seen: Counter[int] = Counter()
    for typed, found in zip(texts, theirs, strict=True):
        ours = predictions(typed)
        seen[len(ours)] += 1
        assert len(found) == len(ours), (typed, ours, found)
        assert found == pytest.approx(ours, rel=1e-12, abs=0), typed
    assert seen[0] > 300, seen
    assert seen[1] > 600, seen
    assert seen[2] > 5, seen
