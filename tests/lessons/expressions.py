"""Random arithmetic: a tree is written with as few brackets as the rules of precedence allow, and worked out in
fractions."""

from __future__ import annotations

import random
from fractions import Fraction

from lessons.kit.format import count

Tree = tuple[str, str, Fraction] | tuple[str, "Tree"] | tuple[str, "Tree", "Tree"]
_LEVEL = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3, "^": 4, "number": 5}
_LEFT, _RIGHT = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 5}, {"+": 2, "-": 2, "*": 3, "/": 3, "^": 3}
_SPELLED = {
    "+": ["+", " + ", "＋"],
    "-": ["-", " − ", "－"],
    "*": ["*", "×", " · ", "＊"],
    "/": ["/", " ÷ ", "／"],
    "^": ["^", "**", " ^ "],
}


def leaf(rng: random.Random) -> Tree:
    n = rng.choice([rng.randint(0, 12), rng.randint(0, 10**7)])
    written = rng.choice(
        [str(n), f"{n:,}", count(n), f"{n}.25", f"{n}e-2", f"{n}万", "".join(chr(ord(c) + 0xFEE0) for c in str(n))]
    )
    exact = Fraction(n)
    exact += Fraction(1, 4) * written.endswith(".25")
    return (
        "number",
        written,
        exact / 100 if written.endswith("e-2") else exact * 10000 if written.endswith("万") else exact,
    )


def tree(rng: random.Random, depth: int) -> Tree:
    if depth == 0 or rng.random() < 0.15:
        return leaf(rng)
    kind = rng.choice("+-*/^n")
    if kind == "n":
        return "neg", tree(rng, depth - 1)
    if kind == "^":
        power: Tree = ("number", str(n := rng.randint(0, 3)), Fraction(n))
        return "^", tree(rng, depth - 1), ("neg", power) if rng.random() < 0.3 else power
    return kind, tree(rng, depth - 1), tree(rng, depth - 1)


def write(rng: random.Random, t: Tree, least: int = 0) -> str:
    match t:
        case ("number", str(written), _):
            text = written
        case ("neg", operand):
            text = rng.choice(["-", "−", "- "]) + write(rng, operand, 4)
        case (kind, a, b):
            text = write(rng, a, _LEFT[kind]) + rng.choice(_SPELLED[kind]) + write(rng, b, _RIGHT[kind])  # type: ignore[arg-type]
    return f"({text})" if _LEVEL[t[0]] < least or rng.random() < 0.05 else text


def exact(t: Tree) -> Fraction:
    match t:
        case ("number", _, Fraction() as x):
            return x
        case ("neg", a):
            return -exact(a)
        case ("+", a, b):
            return exact(a) + exact(b)  # type: ignore[arg-type]
        case ("-", a, b):
            return exact(a) - exact(b)  # type: ignore[arg-type]
        case ("*", a, b):
            return exact(a) * exact(b)  # type: ignore[arg-type]
        case ("/", a, b):
            return exact(a) / exact(b)  # type: ignore[arg-type]
        case (_, a, b):
            return Fraction(exact(a) ** exact(b).numerator)  # type: ignore[arg-type]
    raise AssertionError(t)
