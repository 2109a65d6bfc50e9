"""What the bench types into each lesson: its own example with other numbers, and the most that online_softmax takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any
from urllib.parse import urlencode

from engine import decode_cost
from engine.generation import MOST_RUN
from engine.online_softmax import Mistake, Scenario
from lessons.kit.lesson import Lesson
from lessons.online_softmax import LESSON

KEYS, VALUES = 16, 4  # bounds of online_softmax's form
LETTERS = "ABCDEFGHIJK"  # tokens of kv_reuse


def _kv_reuse(draw: Random) -> dict[str, str]:
    first, second, *others = draw.sample(LETTERS, 5)
    return {"tokens": f"{first} {second}"} | dict(zip(("appended", "edit_to", "asked"), others, strict=True))


def _decode_cost(draw: Random) -> dict[str, str]:
    return {"prompt": str(draw.randint(1, 16)), "new": str(draw.randint(1, 16))}


def _kv_bytes(draw: Random) -> dict[str, str]:
    return {"tokens": str(draw.randint(1, 10**6)), "batch": str(draw.randint(1, 64))}


def _online_softmax(draw: Random) -> dict[str, str]:
    return LESSON.form.write(_numbers(LESSON.scenario, draw))


def _block_table(draw: Random) -> dict[str, str]:
    blocks = draw.sample(range(20), 6)
    return {"table": _listed(blocks[:3]), "free": _listed(blocks[3:]), "position": str(draw.randrange(10))}


def _copy_on_write(draw: Random) -> dict[str, str]:
    writers = "".join(draw.choices("AB", k=draw.randint(1, 4)))
    return {"tokens": str(draw.randint(1, 12)), "block": str(draw.randint(2, 8)), "writers": writers}


def _three_savings(draw: Random) -> dict[str, str]:
    return {"prompt": _listed(draw.sample(range(11), 10))}


TYPED: dict[str, Callable[[Random], dict[str, str]]] = {
    "kv_reuse": _kv_reuse,
    "decode_cost": _decode_cost,
    "kv_bytes": _kv_bytes,
    "online_softmax": _online_softmax,
    "block_table": _block_table,
    "copy_on_write": _copy_on_write,
    "three_savings": _three_savings,
}


def fresh(lesson: Lesson[Any, Any], seed: int, mistake: str = "none") -> Any:
    """A Scenario of the lesson with numbers of the seed's own."""
    return lesson.form.read(TYPED[lesson.slug](Random(seed)) | {"mistake": mistake}, lesson.scenario)


def mistakes(lesson: Lesson[Any, Any]) -> list[str]:
    """What can be chosen under "mistake"; the first is none.

    >>> mistakes(LESSON)[0]
    'none'
    """
    (choice,) = lesson.player_choices
    return [value for value, _ in choice.options]


def examples(lesson: Lesson[Any, Any]) -> Iterator[Any]:
    """Each preset with each mistake."""
    for preset in lesson.presets:
        for mistake in mistakes(lesson):
            yield lesson.form.read({"mistake": mistake}, preset.scenario)


def worst(seed: int) -> Scenario:
    """As much as online_softmax lets in: every key a tile of its own, and a wrong way beside the right one."""
    most = Scenario(
        (0.0,) * KEYS, ((0.0,) * VALUES,) * KEYS, tuple(f"key {i:02}" for i in range(KEYS)), 1, Mistake.NO_RESCALE
    )
    return _numbers(most, Random(seed))


def longest(seed: int) -> decode_cost.Scenario:
    """As many positions of decode_cost as are run and not only counted."""
    n_prompt = 1 + seed
    return decode_cost.Scenario(n_prompt, MOST_RUN - n_prompt)


def _numbers(like: Scenario, draw: Random) -> Scenario:
    scores = tuple(round(draw.uniform(-9, 9), 3) for _ in like.scores)
    return replace(
        like, scores=scores, values=tuple(tuple(round(draw.uniform(-9, 9), 3) for _ in v) for v in like.values)
    )


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


def query(lesson: Lesson[Any, Any], scenario: Any) -> str:
    """The address's query string that carries it."""
    default = lesson.form.write(lesson.scenario)
    return urlencode({name: text for name, text in lesson.form.write(scenario).items() if text != default[name]})
