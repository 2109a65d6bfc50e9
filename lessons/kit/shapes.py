"""The few shapes of which pictures are made: frozen, with a key and roles, built as XML elements and written as SVG.

Every label is escaped, because readers type labels. No colour stands in the SVG, only the role of each shape, so that
both themes and the legend follow from one vocabulary."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from itertools import pairwise
from xml.etree import ElementTree as ET

from lessons.kit.hatch import Area, around, hatch
from lessons.kit.roles import Role
from lessons.kit.text import Lang, Text

CELL_W, CELL_H = 92.0, 40.0

Words = Text | str


@dataclass(frozen=True)
class Shape:
    """A group at (x, y). `key` is the same in two steps where the reader sees the same thing."""

    key: str
    x: float
    y: float
    roles: tuple[Role, ...] = field(default=(), kw_only=True)

    kind = "label"

    def draw(self, g: ET.Element, lang: Lang) -> None:
        raise NotImplementedError

    def svg(self, lang: Lang) -> str:
        """The shape as one well-formed `<g data-key=…>`."""
        return _written(self, lang)


@dataclass(frozen=True)
class Cell(Shape):
    """A box with a number or word. `value` is the number it stands for, by which two ways are compared; `name` is
    what a cell is called that may be picked and has no text of its own."""

    text: Words
    w: float = CELL_W
    h: float = CELL_H
    small: Words = ""
    value: float | None = None
    name: Text | None = None

    kind = "cell"

    def draw(self, g: ET.Element, lang: Lang) -> None:
        _rect(g, "box", 0, 0, self.w, self.h, 6)
        if Role.SHARED in self.roles:
            _rect(g, "outer", -4, -4, self.w + 8, self.h + 8, 9)
        if Role.WRONG in self.roles or Role.STALE in self.roles:
            d = hatch(self.w, self.h, max(16.0, self.w / 8), self.kept_clear(lang))
            ET.SubElement(g, "path", {"class": "hatch", "d": d})
        word, tight = self._word(lang)
        if word:
            _text(g, f"num middle{tight}", self.w / 2, self.h / 2 + (1 if self.small else 6), word)
        if self.small:
            _text(g, "small muted middle", self.w / 2, self.h - 6, _say(self.small, lang))
        if Role.MASK in self.roles:
            ET.SubElement(g, "path", {"class": "strike", "d": f"M6 {self.h - 6:g}L{self.w - 6:g} 6"})
        if Role.WRONG in self.roles:
            _text(g, "mark small bad end", self.w - 3, 10.5, "✗")
        if Role.REUSED in self.roles:
            _text(g, "mark small start", 3, 9.5, "⚓")
        if Role.STALE in self.roles:
            _text(g, "mark small bad end", self.w - 2, 8.5, "≠")

    def _word(self, lang: Lang) -> tuple[str, str]:
        """The main text, and the class that makes it fit."""
        word = _say(self.text, lang)
        return word, " tight" if width_of(word) * 10.5 > self.w - 8 else ""

    def kept_clear(self, lang: Lang) -> list[Area]:
        """Where no hatch goes, so that it crosses no number and no sign: (left, top, right, bottom)."""
        word, tight = self._word(lang)
        areas = [(self.w - 14, 0.0, self.w, 13.0)]
        if word:
            baseline = self.h / 2 + (1 if self.small else 6)
            areas.append(around(self.w / 2, baseline, width_of(word) * (8.0 if tight else 10.0), 17))
        if self.small:
            areas.append(around(self.w / 2, self.h - 6, width_of(_say(self.small, lang)) * 7.5, 14))
        return areas


@dataclass(frozen=True)
class Strip(Cell):
    """A vector as one cell: its numbers side by side. `value` is one number by which two ways are compared."""

    texts: tuple[str, ...] = ()

    def draw(self, g: ET.Element, lang: Lang) -> None:
        super().draw(g, lang)
        for x, text in self._places():
            _text(g, "num tight middle", x, self.h / 2 + 5, text)

    def kept_clear(self, lang: Lang) -> list[Area]:
        own = (around(x, self.h / 2 + 5, width_of(text) * 8.0, 14) for x, text in self._places())
        return [*super().kept_clear(lang), *own]

    def _places(self) -> list[tuple[float, str]]:
        room = self.w - (10 if Role.WRONG in self.roles else 0)  # the sign in its corner touches no number
        pitch = room / max(1, len(self.texts))
        return [((i + 0.5) * pitch, text) for i, text in enumerate(self.texts)]


@dataclass(frozen=True)
class Pill(Shape):
    """What is done between two cells: `× 0.1353`. (x, y) is its left middle."""

    text: Words
    w: float = 104.0
    h: float = 32.0

    kind = "pill"

    def draw(self, g: ET.Element, lang: Lang) -> None:
        _rect(g, "box", 0, -self.h / 2, self.w, self.h, self.h / 2)
        word = _say(self.text, lang)
        tight = " tight" if width_of(word) * 9.5 > self.w - 16 else ""
        _text(g, f"num middle{tight}", self.w / 2, 5.5, word)


@dataclass(frozen=True)
class Bar(Shape):
    """A bar of height `h` standing on (x … x + w, y), its number on top."""

    text: Words
    w: float
    h: float

    kind = "bar"

    def draw(self, g: ET.Element, lang: Lang) -> None:
        _rect(g, "fill", 0, -self.h, self.w, self.h, min(5.0, self.h / 2))
        word = _say(self.text, lang)
        tight = " tight" if width_of(word) * 10 > self.w + 14 else ""
        if word:
            _text(g, f"num middle{tight}", self.w / 2, -self.h - 9, word)
        if Role.MASK in self.roles:
            ET.SubElement(g, "path", {"class": "strike", "d": f"M0 0L{self.w:g} {-self.h:g}"})


@dataclass(frozen=True)
class Label(Shape):
    """Words at (x, y), the baseline. `style` is any of small body num big · strong muted accent bad italic ·
    start middle end."""

    text: Words
    style: str = "body"

    def draw(self, g: ET.Element, lang: Lang) -> None:
        _text(g, self.style, 0, 0, _say(self.text, lang))


@dataclass(frozen=True)
class Arrow(Shape):
    """From (x, y) by (dx, dy), head at the end."""

    dx: float
    dy: float = 0.0

    kind = "arrow"

    def draw(self, g: ET.Element, lang: Lang) -> None:
        length = math.hypot(self.dx, self.dy) or 1.0
        ux, uy = self.dx / length, self.dy / length
        bx, by = self.dx - 11 * ux, self.dy - 11 * uy
        ET.SubElement(g, "path", {"class": "line", "d": f"M0 0L{bx:.1f} {by:.1f}"})
        head = f"M{self.dx:.1f} {self.dy:.1f}L{bx - 6 * uy:.1f} {by + 6 * ux:.1f}L{bx + 6 * uy:.1f} {by - 6 * ux:.1f}z"
        ET.SubElement(g, "path", {"class": "head", "d": head})


@dataclass(frozen=True)
class Route(Shape):
    """An arrow from (x, y) along straight legs with rounded corners; `legs` are (dx, dy) one after the other."""

    legs: tuple[tuple[float, float], ...]

    kind = "arrow"

    def draw(self, g: ET.Element, lang: Lang) -> None:
        x, y, path = 0.0, 0.0, "M0 0"
        legs = [leg for leg in self.legs if leg != (0, 0)]
        for (dx, dy), (nx, ny) in pairwise(legs):
            a, b = math.hypot(dx, dy), math.hypot(nx, ny)
            r = min(8.0, a / 2, b / 2)
            x, y = x + dx, y + dy
            path += (
                f"L{x - r * dx / a:.1f} {y - r * dy / a:.1f}Q{x:.1f} {y:.1f} {x + r * nx / b:.1f} {y + r * ny / b:.1f}"
            )
        dx, dy = legs[-1]
        length = math.hypot(dx, dy)
        x, y, ux, uy = x + dx, y + dy, dx / length, dy / length
        bx, by = x - 11 * ux, y - 11 * uy
        ET.SubElement(g, "path", {"class": "line", "d": f"{path}L{bx:.1f} {by:.1f}"})
        head = f"M{x:.1f} {y:.1f}L{bx - 6 * uy:.1f} {by + 6 * ux:.1f}L{bx + 6 * uy:.1f} {by - 6 * ux:.1f}z"
        ET.SubElement(g, "path", {"class": "head", "d": head})


@dataclass(frozen=True)
class Line(Shape):
    """A straight line by (dx, dy); `style` is rule, dash or dots."""

    dx: float
    dy: float = 0.0
    style: str = "rule"

    kind = "axis"

    def draw(self, g: ET.Element, lang: Lang) -> None:
        ET.SubElement(g, "line", {"class": self.style, "x2": f"{self.dx:g}", "y2": f"{self.dy:g}"})


@dataclass(frozen=True)
class Bracket(Shape):
    """A square bracket below w units, opening upwards, with a word under its middle."""

    w: float
    text: Words = ""

    kind = "bracket"

    def draw(self, g: ET.Element, lang: Lang) -> None:
        ET.SubElement(g, "path", {"d": f"M0 0V8H{self.w:g}V0"})
        if self.text:
            _text(g, "small muted middle", self.w / 2, 26, _say(self.text, lang))


@dataclass(frozen=True)
class Box(Shape):
    """A plain rectangle behind or around other shapes; `style` is panel, frame, heat or sheet (in its role's
    colour)."""

    w: float
    h: float
    style: str = "panel"
    opacity: float = 1.0

    kind = "area"

    def draw(self, g: ET.Element, lang: Lang) -> None:
        rect = _rect(g, self.style, 0, 0, self.w, self.h, 2 if self.style in ("heat", "sheet") else 8)
        if self.opacity != 1.0:
            rect.set("opacity", f"{self.opacity:g}")


@dataclass(frozen=True)
class Table(Shape):
    """A small table: the first row is its head; columns `widths` wide, numbers flush right."""

    rows: tuple[tuple[Words, ...], ...]
    widths: tuple[float, ...]
    strong: int | None = None  # this row's text is emphasised

    kind = "grid"

    def draw(self, g: ET.Element, lang: Lang) -> None:
        for i, row in enumerate(self.rows):
            right, y = 0.0, 22 + 32 * i
            for j, word in enumerate(row):
                right += self.widths[j]
                style = "small muted" if i == 0 else "num strong" if i == self.strong else "num"
                _text(
                    g,
                    f"{style} {'start' if j == 0 else 'end'}",
                    right - self.widths[j] if j == 0 else right,
                    y,
                    _say(word, lang),
                )
            ET.SubElement(
                g, "line", {"class": "rule", "x2": f"{sum(self.widths):g}", "y1": f"{y + 10}", "y2": f"{y + 10}"}
            )


@lru_cache(maxsize=8192)  # an edit changes few of a lesson's shapes
def _written(shape: Shape, lang: Lang) -> str:
    roles = "".join(f" {role.css}" for role in shape.roles)
    g = ET.Element(
        "g",
        {"data-key": shape.key, "class": shape.kind + roles, "transform": f"translate({shape.x:g} {shape.y:g})"},
    )
    if isinstance(shape, Cell) and shape.name is not None:
        g.set("data-name", shape.name.of(lang))
    shape.draw(g, lang)
    return _xml(g)


def _xml(e: ET.Element) -> str:
    """As ET.tostring writes an element without tails, in a third of its time: hundreds of shapes are written at an
    edit."""
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in e.items())
    inner = escape(e.text or "", quote=False) + "".join(map(_xml, e))
    return f"<{e.tag}{attributes}>{inner}</{e.tag}>" if inner else f"<{e.tag}{attributes} />"


def _say(words: Words, lang: Lang) -> str:
    return words if isinstance(words, str) else words.of(lang)


def width_of(word: str) -> float:
    """About how many letters wide a word is: a Chinese character counts 1.8, a capital 1.3."""
    return sum(1.8 if ord(c) > 0x2E7F else 1.3 if c.isupper() or c in "mw@%…" else 1.0 for c in word)


def cut(word: str, most: float) -> str:
    """The word, or as much of it as `most` letters' width holds, with an ellipsis."""
    if width_of(word) <= most:
        return word
    while word and width_of(word) > most - width_of("…"):
        word = word[:-1]
    return f"{word}…"


def _rect(g: ET.Element, css: str, x: float, y: float, w: float, h: float, rx: float) -> ET.Element:
    size = {"width": f"{w:g}", "height": f"{h:g}", "rx": f"{rx:g}"}
    return ET.SubElement(g, "rect", {"class": css, **_at(x, y), **size})


def _text(g: ET.Element, css: str, x: float, y: float, word: str) -> None:
    ET.SubElement(g, "text", {"class": css, **_at(x, y)}).text = word


def _at(x: float, y: float) -> dict[str, str]:
    """A place; 0 is the default, and a lesson's message holds hundreds of them."""
    return {name: f"{at:g}" for name, at in (("x", x), ("y", y)) if at}
