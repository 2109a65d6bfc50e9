"""A picture as data: a Scene is a few frozen shapes with keys; the browser morphs between equal keys."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from xml.etree import ElementTree as ET

from lessons.kit.roles import Role
from lessons.kit.shapes import Bar, Cell, Shape
from lessons.kit.text import Lang, Text

ROUNDING = 1e-9  # far above float64's, far below what a mistake makes


def marked(wrong: Iterable[Shape], right: Iterable[Shape], *, prefix: str) -> tuple[Shape, ...]:
    """`wrong` with every cell hatched whose value differs from the right way's cell.

    A cell `prefix + k` is compared with the right way's cell `k`. Two NaN count as equal, and so do numbers that
    differ by no more than rounding."""
    values = {shape.key: shape.value for shape in right if isinstance(shape, Cell)}

    def differs(cell: Cell) -> bool:
        other = values.get(cell.key.removeprefix(prefix))
        if other is None or cell.value is None or (math.isnan(other) and math.isnan(cell.value)):
            return False
        return not math.isclose(other, cell.value, rel_tol=ROUNDING, abs_tol=ROUNDING)

    return tuple(replace(s, roles=(*s.roles, Role.WRONG)) if isinstance(s, Cell) and differs(s) else s for s in wrong)


@dataclass(frozen=True)
class Scene:
    """One picture: `width` × `height` units, `label` for those who cannot see it, shapes from back to front.

    Raises ValueError where two shapes have one key, for then the browser could not tell them apart.
    """

    width: float
    height: float
    label: Text
    shapes: tuple[Shape, ...]

    def __post_init__(self) -> None:
        keys = [shape.key for shape in self.shapes]
        if len(set(keys)) != len(keys):
            raise ValueError(f"shapes: keys must differ, repeated {sorted({k for k in keys if keys.count(k) > 1})}")

    @property
    def roles(self) -> frozenset[Role]:
        return frozenset(role for shape in self.shapes for role in shape.roles)

    @property
    def parts(self) -> bool:
        """Whether some cell of a wrong way differs here from the right one."""
        return Role.WRONG in self.roles

    def to_svg(self, lang: Lang) -> str:
        """The whole picture as one SVG document."""
        svg = ET.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "viewBox": f"0 0 {self.width:g} {self.height:g}",
                "role": "img",
                "aria-label": self.label.of(lang),
            },
        )
        opening = ET.tostring(svg, encoding="unicode").removesuffix("/>").rstrip()
        return f"{opening}>{''.join(shape.svg(lang) for shape in self.shapes)}</svg>"


def legend(scenes: Iterable[Scene], lang: Lang) -> list[dict[str, str]]:
    """A swatch and its words for each role the scenes use, in the order of `Role`; a bar for what only bars show."""
    kinds: dict[Role, set[str]] = {}
    for scene in scenes:
        for shape in scene.shapes:
            for role in shape.roles:
                kinds.setdefault(role, set()).add(shape.kind)
    return [
        {
            "svg": f'<svg viewBox="-4 -4 36 28" width="36" height="28" aria-hidden="true">'
            f"{_swatch(role, kinds[role]).svg(lang)}</svg>",
            "text": role.value.of(lang),
        }
        for role in Role
        if role in kinds
    ]


def _swatch(role: Role, kinds: set[str]) -> Shape:
    if kinds == {Bar.kind}:
        return Bar(f"legend.{role.name}", 3, 20, "", 22, 20, roles=(role,))
    return Cell(f"legend.{role.name}", 0, 0, "", 28, 20, roles=(role,))
