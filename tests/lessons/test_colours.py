"""One meaning a colour: any two tints can be told apart, also from what is no thing; text on them is legible."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import pytest

from lessons import LESSONS
from lessons.kit.colours import DARK, LIGHT, SAME, TINTS, Tint
from lessons.kit.lesson import Lesson
from lessons.kit.roles import Role
from tests.lessons.reading import CASES

Rgb = tuple[float, float, float]

TOLD_APART = 3.2  # hundredths of OKLab's unit; two neighbouring fills are told apart from about 2 on
INK = {LIGHT: "#1F2933", DARK: "#E6E9EC"}
GROUNDS = (LIGHT, DARK)
NO_THING = (("#7F7F7F", 14, 20), ("#D55E00", 13, 26))  # somebody else's; wrong


def rgb(hue: str) -> Rgb:
    r, g, b = (int(hue[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return r, g, b


def over(tint: Tint, ground: str) -> Rgb:
    share = (tint.light if ground == LIGHT else tint.dark) / 100
    r, g, b = (share * x + (1 - share) * y for x, y in zip(rgb(tint.hue), rgb(ground), strict=True))
    return r, g, b


def linear(x: float) -> float:
    return x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4


def oklab(colour: Rgb) -> tuple[float, float, float]:
    r, g, b = map(linear, colour)
    l = math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
    m = math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
    s = math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
    return (
        0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
    )


def distance(a: Rgb, b: Rgb) -> float:
    return 100 * math.dist(oklab(a), oklab(b))


def contrast(a: Rgb, b: Rgb) -> float:
    """WCAG's."""
    low, high = sorted(0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b_) for r, g, b_ in (a, b))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("ground", GROUNDS)
def test_any_two_things_have_tints_that_can_be_told_apart(ground: str) -> None:
    for (a, x), (b, y) in combinations(TINTS.items(), 2):
        assert distance(over(x, ground), over(y, ground)) >= TOLD_APART, (a, b)


@pytest.mark.parametrize("ground", GROUNDS)
def test_no_tint_looks_like_the_ground_like_somebody_elses_or_like_what_is_wrong(ground: str) -> None:
    others = [rgb(ground), *(over(Tint(*other), ground) for other in NO_THING)]
    for role, tint in TINTS.items():
        assert min(distance(over(tint, ground), other) for other in others) >= TOLD_APART, role


@pytest.mark.parametrize("ground", GROUNDS)
def test_text_on_every_tint_is_legible_also_on_the_stronger_ones(ground: str) -> None:
    for role, tint in TINTS.items():
        assert contrast(over(tint, ground), rgb(INK[ground])) >= 4.5, role
        assert contrast(over(tint.strong(), ground), rgb(INK[ground])) >= 3, role


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_a_shape_is_one_thing_only(lesson: Lesson[Any, Any]) -> None:
    things = TINTS.keys() | SAME.keys()
    for case in CASES:
        if case.lesson is lesson:
            for frame in case.frames:
                for shape in frame.scene.shapes:
                    meant = {SAME.get(role, role) for role in shape.roles if role in things} - {Role.AGAIN}
                    assert len(meant) <= 1, (case.id, frame.narration.id, shape.key, meant)
