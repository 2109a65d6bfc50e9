"""Words with places for numbers: `{position}` is an attribute of the step, `{n:token}` a count with its noun.

| place | is written as |
|---|---|
| `{n}` | an int by `count`, a float by `fixed`, words as they are, a tuple as a list |
| `{n:token}` | count and noun, in English alone: "1 token", "2 tokens" |
| `{n\\|is\\|are}` | the first word where n is 1, else the second; in English alone |
| `{x:fixed2}`, `{x:short}`, `{x:delta}`, `{x:size}`, `{x:vector}` | as that function of `lessons.kit.format` |
| `{x:B}`, `{x:GiB}`, `{x:GB}` | bytes in that unit, whatever their size |
| `{x:plain}` | digits alone |
| `{a.b}` | the attribute b of a |
| `{{`, `}}` | a brace, as in LaTeX |

Both languages have the same places, so that they state the same numbers: checked when a Told is made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

from lessons.kit.format import count, delta, fixed, gb, gib, in_bytes, many, short, size, vector
from lessons.kit.text import Lang, Text

S = TypeVar("S")
Value = object

_PLACE = re.compile(r"\{\{|\}\}|\{([A-Za-z_][\w.]*)(?::([^{}|]+)|\|([^{}|]*)\|([^{}|]*))?\}")
_FIXED = re.compile(r"fixed(\d?)")
_BYTES = {"B": in_bytes, "GiB": gib, "GB": gb}
_COMMA = {"en": ", ", "zh": "、"}


@dataclass(frozen=True)
class Told:
    """A Text with places. Raises ValueError where the languages have different places, or a noun stands in Chinese."""

    en: str
    zh: str

    def __post_init__(self) -> None:
        en, zh = (_names(words) for words in (self.en, self.zh))
        if en != zh:
            raise ValueError(f"places differ: {sorted(en ^ zh)} in {self.en!r}")
        if any(how is not None and not _is_format(how) for _, how in _places(self.zh)):
            raise ValueError(f"Chinese has no plural: {self.zh!r}")

    def on(self, *things: object, **values: Value) -> Text:
        """The words with every place filled: from `values` by name, else from the first of the things that has it.

        Raises LookupError where nothing has a place's name.

        >>> Told("{n:row} {n|is|are} read, {left} left", "读了 {n} 行，剩 {left} 行").on(n=1, left=3).en
        '1 row is read, 3 left'
        """
        return Text(_filled(self.en, "en", things, values), _filled(self.zh, "zh", things, values))

    def __add__(self, other: Told | Text) -> Told:
        other = _without_places(other)
        return Told(self.en + other.en, self.zh + other.zh)

    def __radd__(self, other: Text) -> Told:
        return _without_places(other) + self


def _without_places(words: Told | Text) -> Told:
    return Told(*(re.sub(r"([{}])", r"\1\1", w) for w in (words.en, words.zh))) if isinstance(words, Text) else words


Words = Text | Told | Callable[[S], Text]
"""What is said of a thing: the same always, with its numbers, or a function where the sentence really branches."""


def say(words: Words[S], thing: S) -> Text:
    """The words on this thing.

    >>> from types import SimpleNamespace
    >>> say(Told("{n:block}", "{n} 块"), SimpleNamespace(n=2)).en
    '2 blocks'
    """
    match words:
        case Told():
            return words.on(thing)
        case Text():
            return words
        case _:
            return words(thing)


@lru_cache(maxsize=4096)
def _places(words: str) -> tuple[tuple[str, str | None], ...]:
    """Name and format of each place; places that choose a word are left out."""
    found = (m for m in _PLACE.finditer(words) if m[1] is not None)
    return tuple((m[1], m[2]) for m in found if m[3] is None)


def _names(words: str) -> set[str]:
    return {name for name, _ in _places(words)}


def _is_format(how: str) -> bool:
    return how in ("short", "delta", "size", "vector", "plain", *_BYTES) or _FIXED.fullmatch(how) is not None


def _filled(words: str, lang: Lang, things: tuple[object, ...], values: dict[str, Value]) -> str:
    def fill(m: re.Match[str]) -> str:
        if m[1] is None:
            return m[0][0]
        value = _look_up(m[1], things, values)
        return (m[3] if value == 1 else m[4]) if m[3] is not None else _written(value, m[2], lang)

    return _PLACE.sub(fill, words)


def _look_up(path: str, things: tuple[object, ...], values: dict[str, Value]) -> Value:
    first, *rest = path.split(".")
    if first in values:
        found = values[first]
    else:
        owner = next((thing for thing in things if hasattr(thing, first)), None)
        if owner is None:
            raise LookupError(f"{{{path}}}: none of {', '.join(type(t).__name__ for t in things)} has {first}")
        found = getattr(owner, first)
    for name in rest:
        found = getattr(found, name)
    return found


def _written(value: Value, how: str | None, lang: Lang) -> str:
    match how, value:
        case None, Text():
            return value.of(lang)
        case None, str():
            return value
        case None, tuple():
            return _COMMA[lang].join(_written(item, None, lang) for item in value)
        case None, int() if not isinstance(value, bool):
            return count(value)
        case None, float() | Fraction():
            return fixed(float(value))
        case "plain", int():
            return str(value)
        case "size", int():
            return size(value)
        case "B" | "GiB" | "GB", int():
            return _BYTES[how](value)
        case "short", int() | float() | Fraction():
            return short(float(value))
        case "delta", float():
            return delta(value)
        case "vector", Iterable():
            return vector(value)
        case str(), int() | float() | Fraction() if decimals := _FIXED.fullmatch(how):
            return fixed(float(value), int(decimals[1] or 4))
        case str(), int() | Fraction() if not _is_format(how):
            return many(value, how)
    raise TypeError(f"{value!r} has no place {how!r}")
