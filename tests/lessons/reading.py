"""What a reader gets to read, taken apart again: numbers, words, tags, where words stand. And all that must be read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from functools import lru_cache, wraps
from html.parser import HTMLParser
from itertools import product
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from lessons import LESSONS
from lessons.home import CHECK
from lessons.kit.lesson import Facts, Frame, Lesson, Narration, Preset
from lessons.kit.prose import to_html
from lessons.kit.question import Question
from lessons.kit.scene import Scene
from lessons.kit.text import Lang, Text
from lessons.kit.units import Unit

LANGS: tuple[Lang, Lang] = ("en", "zh")

# --- numbers

_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_LINK = re.compile(r"\]\([^)\s]*\)")
_GROUPED = re.compile(r"(?<=\d)[\u202f\u2009\u00a0, ](?=\d{3}(?!\d))")
_NUMBER = re.compile(r"(?:(?<![A-Za-z0-9)\]}])-)?(?:\d+(?:\.\d+)?|∞)|NaN")
_LARGE = re.compile(r"(\d+(?:\.\d+)?) (billion|万亿|亿|万)")
_TIMES = {"billion": 10**9, "万亿": 10**12, "亿": 10**8, "万": 10**4}
_DIGITS = str.maketrans("−⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789")


def numbers(words: str) -> Counter[str]:
    """Each number of a text (Markdown, LaTeX or plain) and how often it stands there, however it is grouped: 8
    billion is 80 亿."""
    plain = _ESCAPED.sub(r"\1", _LINK.sub("]", words)).replace(r"\infty", "∞").translate(_DIGITS)
    whole = _LARGE.sub(lambda large: str(Fraction(large[1]) * _TIMES[large[2]]), _GROUPED.sub("", plain))
    return Counter(_NUMBER.findall(whole))


def differing(text: Text) -> Counter[str]:
    """The numbers that one language states and the other does not."""
    en, zh = numbers(text.en), numbers(text.zh)
    return (en - zh) + (zh - en)


# --- one thing is not several

_COUNTED = (
    "layers|(?:query |KV )?heads|tokens|bytes|bits|numbers|sequences|positions|(?:query "
    ")?rows|vectors|scales|groups|layers with a "
    "window|pairs|passes|steps|slots|blocks|keys|values|queries|entries|tiles|scores|requests"
)
ONE = re.compile(
    r"(?<![\d.,·×=+−/^–÷-])(?<![·×=+−/^–÷-] )(?<!layer )(?<!position )(?<!block )\b1 (?:more |old |new |full "
    rf")?(?:{_COUNTED})\b"
    r"|\ball 1\b|(?<!of )(?<!to )(?<!positions )\b1 [^;,:.]{0,25}\b(?:have|are|keep|grow|share)\b"
)

# --- Chinese

CHINESE = re.compile(r"[\u4e00-\u9fff]")
HALF_WIDTH = re.compile(r"[\u4e00-\u9fff][,.;:?!]")


# --- HTML


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self.skip = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def handle_comment(self, data: str) -> None:
        self.tags.append("!--")

    def handle_decl(self, decl: str) -> None:
        self.tags.append("!")

    def unknown_decl(self, data: str) -> None:
        self.tags.append("!")

    def handle_pi(self, data: str) -> None:
        self.tags.append("?")


@dataclass(frozen=True)
class Html:
    """What a browser makes of a piece of HTML: its elements in order, their attributes, the text it shows."""

    tags: tuple[str, ...]
    attributes: tuple[tuple[str, str | None], ...]
    text: str


def parsed(html: str) -> Html:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return Html(tuple(reader.tags), tuple(reader.attributes), "".join(reader.words))


@lru_cache(maxsize=10_000)
def rendered(markdown: str) -> Html:
    return parsed(to_html(markdown))


# --- SVG

SVG = "{http://www.w3.org/2000/svg}"
_SIZES = {"small": 14.0, "tight": 14.0, "mark": 14.0, "body": 15.0, "num": 17.0, "big": 18.0}


@dataclass(frozen=True)
class Written:
    """A text of a picture and roughly the box that it fills."""

    text: str
    left: float
    top: float
    right: float
    bottom: float


def svg(scene: Scene, lang: Lang) -> ET.Element:
    """The picture as the browser's parser sees it; ParseError where it is not well-formed."""
    return ET.fromstring(scene.to_svg(lang))


def written(root: ET.Element) -> list[Written]:
    found = []
    for group in root.iter(f"{SVG}g"):
        gx, gy = map(float, group.get("transform", "").removeprefix("translate(").removesuffix(")").split())
        for element in group.iter(f"{SVG}text"):
            text, css = element.text or "", (element.get("class") or "").split()
            size = min((_SIZES[name] for name in css if name in _SIZES), default=15.0)
            width = sum(1.0 if ord(c) > 0x2E7F else 0.5 for c in text) * size
            x, y = gx + float(element.get("x", 0)), gy + float(element.get("y", 0))
            left = x - (width / 2 if "middle" in css else width if "end" in css else 0.0)
            found.append(Written(text, left, y - 0.8 * size, left + width, y + 0.25 * size))
    return found


# --- every Text there is


def texts(thing: Any, path: str = "") -> Iterator[tuple[str, Text]]:
    """Every Text inside a value made of dataclasses, tuples and dictionaries, and where it stands."""
    match thing:
        case Text():
            yield path, thing
        case Unit() if not thing.name.en:  # a plain number
            return
        case tuple() | list() | frozenset():
            for i, part in enumerate(thing):
                yield from texts(part, f"{path}[{i}]")
        case dict():
            for name, part in thing.items():
                yield from texts(part, f"{path}[{name!r}]")
        case type():
            return
        case _ if is_dataclass(thing):
            for field in fields(thing):
                yield from texts(getattr(thing, field.name), f"{path}.{field.name}")


def cells(facts: Facts | None) -> Iterator[Text]:
    """The small table beside a sentence, cell by cell, a bare word in both languages."""
    if facts is not None:
        for line in (facts.head, *facts.rows):
            for word in line:
                yield word if isinstance(word, Text) else Text(word, word)


def said(narration: Narration) -> Iterator[Text]:
    """All that a step says in words."""
    yield from (narration.title, narration.headline, narration.text)
    yield from cells(narration.facts)


# --- every scenario to be looked at


@dataclass(frozen=True)
class Picture:
    """One step's picture as the browser's parser sees it."""

    frame: Frame
    root: ET.Element
    words: list[Written]


@dataclass(frozen=True)
class Case:
    """A preset with one choice of every list that the player offers."""

    lesson: Lesson[Any, Any]
    preset: Preset[Any]
    chosen: tuple[str, ...]

    @property
    def scenario(self) -> Any:
        names = (choice.name for choice in self.lesson.player_choices)
        return self.lesson.form.read(dict(zip(names, self.chosen, strict=True)), self.preset.scenario)

    @property
    def frames(self) -> tuple[Frame, ...]:
        return _frames(self.lesson.slug, self.scenario)

    def pictures(self, lang: Lang) -> Iterator[Picture]:
        """What is drawn, step by step."""
        for frame in self.frames:
            root = svg(frame.scene, lang)
            yield Picture(frame, root, written(root))

    @property
    def shape_texts(self) -> Iterator[Text]:
        """Every Text of the pictures, each shape once."""
        for shape in {shape for frame in self.frames for shape in frame.scene.shapes}:
            for _, text in texts(shape):
                yield text

    @property
    def id(self) -> str:
        return "-".join((self.lesson.slug, self.preset.slug, *self.chosen))


@lru_cache(maxsize=64)  # the cases of a lesson, which its tests walk one after another
def _frames(slug: str, scenario: Any) -> tuple[Frame, ...]:
    return next(lesson for lesson in LESSONS if lesson.slug == slug).frames(scenario)


# Every preset, every mistake with the first of them, and each mistake with every third of the others in turn.
CASES = tuple(
    Case(lesson, preset, chosen)
    for lesson in LESSONS
    for i, preset in enumerate(lesson.presets)
    for j, chosen in enumerate(product(*([value for value, _ in choice.options] for choice in lesson.player_choices)))
    if 0 in (i, j) or (i + j) % 3 == 0
)


def slug(lesson: Lesson[Any, Any]) -> str:
    return lesson.slug


def in_every_case(check: Callable[[Case], None]) -> Callable[[Lesson[Any, Any]], None]:
    """A test for each lesson that walks all its cases; a failure says in which."""

    @wraps(check)
    def walk(lesson: Lesson[Any, Any]) -> None:
        for case in CASES:
            if case.lesson is lesson:
                with named(case.id):
                    check(case)

    test: Callable[[Lesson[Any, Any]], None] = pytest.mark.parametrize("lesson", LESSONS, ids=slug)(_forgetting(walk))
    return test


def of_every_question(check: Callable[[Question[Any]], None]) -> Callable[[str], None]:
    """A test for each lesson, and for home, that asks all its questions; a failure says which."""

    @wraps(check)
    def walk(room: str) -> None:
        for question in BANK[room]:
            with named(question.slug):
                check(question)

    test: Callable[[str], None] = pytest.mark.parametrize("room", BANK)(_forgetting(walk))
    return test


BANK: dict[str, tuple[Question[Any], ...]] = {
    "home": (CHECK,),
    **{lesson.slug: lesson.questions for lesson in LESSONS},
}


def _forgetting(walk: Callable[..., None]) -> Callable[..., None]:
    """Without what it wraps, whose argument pytest would take for a fixture."""
    del walk.__wrapped__  # type: ignore[attr-defined]
    return walk


@contextmanager
def named(what: str) -> Iterator[None]:
    """A failure inside is said to be of this."""
    try:
        yield
    except Exception as failure:
        failure.add_note(f"in {what}")
        raise


# --- what is good to read

MARKUP = re.compile(r"\*\*|\]\(|(?<!\\)\$|`|<[a-z/]|\\[a-z]+|&[a-z]+;")


def is_good(text: Text, *, sentence: bool) -> bool:
    """Both languages say something and the same numbers, with Chinese punctuation in the Chinese; a sentence is in
    Chinese."""
    return (
        bool(text.en.strip() and text.zh.strip())
        and not HALF_WIDTH.search(text.zh)
        and not differing(text)
        and bool(CHINESE.search(text.zh) or not sentence)
        and not CHINESE.search(text.en)
    )


def shows_no_markup(markdown: str) -> bool:
    """Whether nothing that was meant as Markdown is still visible after rendering."""
    html = rendered(markdown)
    formulas = html.tags.count("math")
    return not MARKUP.search(html.text) and formulas == len(re.findall(r"(?<!\\)\$", markdown)) / 2
