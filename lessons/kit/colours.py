"""One meaning a colour, through the whole course: a key is not a denominator is not request A.

Hues are Okabe and Ito's where they reach (q, k, v, scores), others chosen so that any two tints, on light and on dark
ground, can be told apart. Blue outlines and fills mean what is changed or looked at now, vermilion what is wrong;
neither is the tint of a thing.
"""

from __future__ import annotations

from dataclasses import dataclass

from lessons.kit.roles import Role


@dataclass(frozen=True)
class Tint:
    """A hue, and how much of it lies over the ground: on light, on dark; in percent."""

    hue: str
    light: int
    dark: int

    def strong(self) -> Tint:
        """For a weak projector."""
        return Tint(self.hue, min(80, round(self.light * 1.7)), min(85, round(self.dark * 1.3)))


TINTS: dict[Role, Tint] = {
    Role.Q: Tint("#009E73", 20, 36),
    Role.K: Tint("#56B4E9", 28, 36),
    Role.V: Tint("#E69F00", 25, 32),
    Role.SCORE: Tint("#CC79A7", 28, 36),
    Role.DENOMINATOR: Tint("#71A53A", 38, 42),
    Role.ACCUMULATOR: Tint("#BC11E1", 22, 43),
    Role.OUTPUT: Tint("#505426", 26, 41),
    Role.LATENT: Tint("#64188C", 27, 42),
    Role.FIRST: Tint("#1029B1", 19, 50),
    Role.SECOND: Tint("#B20B55", 23, 45),
    Role.THIRD: Tint("#5B4636", 34, 75),
    Role.FOURTH: Tint("#104675", 30, 45),
    Role.PAIRS: Tint("#337D7B", 44, 60),
    Role.VECTORS: Tint("#447ED6", 51, 66),
    Role.KEPT: Tint("#A9713B", 45, 62),
    Role.AGAIN: Tint("#D9B300", 50, 50),
}
SAME: dict[Role, Role] = {Role.TABLES: Role.SCORE}  # another shape of the same thing
LIGHT, DARK = "#FFFFFF", "#14181D"  # the grounds of the two themes


def css() -> str:
    """The rules that give each role its tint, in both themes, and stronger where the reader asks for contrast. They
    come before the figure's own, which put outlines, hatching and what is wrong above them."""
    dark, high = '[data-theme="dark"]', '[data-contrast="high"]'
    rules = []
    tints = TINTS | {role: TINTS[like] for role, like in SAME.items()}
    for role, tint in tints.items():
        strong = tint.strong()
        rules += [
            f".{role.css} {{ --tint: {_mixed(tint.hue, tint.light)}; }}",
            f":where({dark}) .{role.css} {{ --tint: {_mixed(tint.hue, tint.dark)}; }}",
            f":where({high}) .{role.css} {{ --tint: {_mixed(strong.hue, strong.light)}; }}",
            f":where({dark}{high}) .{role.css} {{ --tint: {_mixed(strong.hue, strong.dark)}; }}",
        ]
    return "\n".join(rules) + "\n"


def _mixed(hue: str, percent: int) -> str:
    return f"color-mix(in srgb, {hue} {percent}%, var(--bg))"
