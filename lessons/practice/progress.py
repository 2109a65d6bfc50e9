"""What a reader has answered, as their browser and their own file keep it: JSON, versioned, bounded, nothing about a
person.

    {"schema": "attention-progress", "version": 1, "answers": [
      {"id": "5f0c…", "at": "2026-03-01T09:30:00.000", "question": "kv_bytes.total", "seed": 71, "right": false,
      "hints": 0,
       "slips": ["query-heads"]}]}

`at` is the reader's own clock; `seed` null stands for the template's own numbers. Two tabs, or a file and a browser,
are put together by the answers' ids, so that neither loses what the other has. Every field is a name of a few plain
letters or a bounded number: there is no place in it for a text that could be anything else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from datetime import date, datetime
from typing import Any

from lessons.kit.controls import BadInput
from lessons.kit.text import Text

SCHEMA, VERSION = "attention-progress", 1
MOST = 600  # answers; the oldest go first
MOST_CHARACTERS = 400_000  # of a file: MOST answers with the longest names fit
SEEDS = 10**6
_MOST_SLIPS = 4

_ID = re.compile(r"[a-z0-9]{8,32}")
_AT = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}")
_QUESTION = re.compile(r"[a-z0-9_-]{1,40}\.[a-z0-9_-]{1,40}")
_SLIP = re.compile(r"[a-z0-9_+-]{1,90}")


@dataclass(frozen=True)
class Answered:
    """One answer that was judged. `question` is its lesson's slug, a point, its own slug; `hints` how many had been
    asked for."""

    id: str
    at: str
    question: str
    seed: int | None
    right: bool
    hints: int
    slips: tuple[str, ...] = ()

    @property
    def day(self) -> date:
        return date.fromisoformat(self.at[:10])


_NAMES = {field.name for field in fields(Answered)}


def merged(*kept: Iterable[Answered]) -> tuple[Answered, ...]:
    """All of them once, in the order in which they were given; the oldest are let go where there are too many."""
    by_id = {answer.id: answer for answers in kept for answer in answers}
    return tuple(sorted(by_id.values(), key=lambda answer: (answer.at, answer.id))[-MOST:])


def write(answers: Iterable[Answered]) -> str:
    """The JSON text."""
    kept = {"schema": SCHEMA, "version": VERSION, "answers": [asdict(answer) for answer in answers]}
    return json.dumps(kept, separators=(",", ":"))


def read(text: str) -> tuple[Answered, ...]:
    """A file's answers. Raises BadInput, with a sentence that says what is wrong, where any part of it is no progress
    file."""
    kept = _listed(text)
    answers = [_answer(entry) for entry in kept]
    for number, answer in enumerate(answers, 1):
        if answer is None:
            raise _refused(Text(f"its answer {number} cannot be read", f"第 {number} 条记录无法读取"))
    return merged(answer for answer in answers if answer is not None)


def salvaged(text: str) -> tuple[tuple[Answered, ...], bool]:
    """What can be used of a browser's own storage, and whether that is all of it. Never raises: it may have been
    tampered with."""
    if not text:
        return (), True
    try:
        answers = [_answer(entry) for entry in _listed(text)]
    except BadInput:
        return (), False
    return merged(answer for answer in answers if answer is not None), None not in answers


def too_large() -> BadInput:
    return _refused(Text("it is far larger than one", "它比进度文件大得多"))


def _listed(text: str) -> list[Any]:
    if len(text) > MOST_CHARACTERS:
        raise too_large()
    try:
        kept = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):  # ValueError: also of a number with thousands of digits
        raise _refused(Text("it is not JSON", "它不是 JSON")) from None
    if not isinstance(kept, dict) or kept.get("schema") != SCHEMA or not isinstance(kept.get("answers"), list):
        raise _refused(Text("it is JSON of another kind", "它是别的 JSON"))
    if type(kept.get("version")) is not int or kept["version"] != VERSION:
        raise _refused(Text("it was written by another version of this app", "它由本应用的另一个版本写成"))
    if len(kept["answers"]) > MOST:
        raise too_large()
    return list(kept["answers"])


def _answer(entry: Any) -> Answered | None:
    """One answer, or None where anything about it is not as it should be."""
    if not isinstance(entry, dict) or entry.keys() != _NAMES:
        return None
    slips = entry["slips"]
    good = (
        _is(_ID, entry["id"])
        and _is(_AT, entry["at"])
        and _is(_QUESTION, entry["question"])
        and (entry["seed"] is None or _within(entry["seed"], SEEDS - 1))
        and isinstance(entry["right"], bool)
        and _within(entry["hints"], 9)
        and isinstance(slips, list)
        and len(slips) <= _MOST_SLIPS
        and all(_is(_SLIP, slip) for slip in slips)
    )
    if not good:
        return None
    try:
        datetime.fromisoformat(entry["at"])
    except ValueError:  # the 31st of June
        return None
    return Answered(**entry | {"slips": tuple(slips)})


def _is(shape: re.Pattern[str], value: Any) -> bool:
    return isinstance(value, str) and shape.fullmatch(value) is not None


def _within(value: Any, most: int) -> bool:
    return type(value) is int and 0 <= value <= most


def _refused(why: Text) -> BadInput:
    return BadInput(
        Text(
            f"This is no progress file of this app: {why.en}. Nothing has been changed.",
            f"这不是本应用的进度文件：{why.zh}。什么也没有改变。",
        )
    )
