"""Arithmetic as an answer field takes it: `2*32*128`, `2^32`, `1.5×10⁹`, `4,294,967,296`, `42.9亿`."""

from __future__ import annotations

import re

from lessons.kit.controls import BadInput, shown
from lessons.kit.expression import NOTHING, Unreadable, plain, value
from lessons.kit.text import Text, listed

MOST_TYPED = 200  # characters of one number's arithmetic
MOST_LISTED = 400  # characters of several numbers

_BETWEEN = (r"[;\n]", r"[,;、\n]", r"[\s,;、]")  # of several numbers, from the coarsest to the finest


def bounded(typed: str, most: int = MOST_TYPED) -> None:
    """Raises BadInput where more was typed than is read."""
    if len(typed) > most:
        raise BadInput(
            Text(
                f"**Your answer** may have at most {most} characters; it has {len(typed)}.",
                f"**你的答案**最多 {most} 个字符，现在有 {len(typed)} 个。",
            )
        )


def evaluate(typed: str) -> float:
    """The value of arithmetic over numbers with + − × ÷ ^ and brackets; a power binds tighter than a sign and groups
    to the right.

    Raises BadInput for all that has no finite real value.

    >>> evaluate("2*32*128"), evaluate("-2^2"), evaluate("2^3^2"), evaluate("1.2万"), evaluate("42亿9496万7296")
    (8192.0, -4.0, 512.0, 12000.0, 4294967296.0)
    """
    bounded(typed)
    try:
        return value(plain(typed))
    except Unreadable as wrong:
        raise complaint(wrong.why, typed) from None


def read_numbers(typed: str, n: int = 1) -> tuple[float, ...]:
    """The numbers of an answer, each of them arithmetic, in brackets or not; commas, semicolons or spaces between.

    Of the ways to take it apart the coarsest that gives `n` numbers is meant: commas and spaces may group digits, and
    spaces may stand in arithmetic. Where none gives `n`, the finest that can be read is returned, for the caller to
    count.

    >>> read_numbers("1/4, 2^-1", 2), read_numbers("4,294,967,296")
    ((0.25, 0.5), (4294967296.0,))
    >>> read_numbers("(7.10， −5.34)", 2), read_numbers("1 2")
    ((7.1, -5.34), (1.0, 2.0))
    """
    bounded(typed, MOST_LISTED)
    text, reading = _unwrapped(plain(typed)), None
    wrong = NOTHING
    for between in ("$", *_BETWEEN) if n == 1 else _BETWEEN:
        parts = [part for part in re.split(between, text) if part.strip()]
        try:
            values = tuple(value(part) for part in parts)
        except Unreadable as w:
            if between != _BETWEEN[-1]:  # whose pieces the reader may not recognise
                wrong = w.why
            continue
        if len(values) == n:
            return values
        reading = values or reading
    if reading:
        return reading
    raise complaint(wrong, typed, "`7.10, 5.34`")


def complaint(why: Text, typed: str, *examples: str) -> BadInput:
    """What an answer must be, what was typed, and `why` that cannot be worked out."""
    quoted, right = shown(typed[:MOST_TYPED]), listed(("`0.1353`", "`2*32*128`", *examples))
    if not quoted:
        return BadInput(
            Text(
                f"**Your answer** has no number yet: write one, or arithmetic, such as {right.en}.",
                f"**你的答案**里还没有数：请写一个数或算式，例如 {right.zh}。",
            )
        )
    return BadInput(
        Text(
            f"**Your answer** must be a number or arithmetic, such as {right.en}; it reads “{quoted}”: {why.en}.",
            f"**你的答案**应写成数或算式，例如 {right.zh}；现在是“{quoted}”：{why.zh}。",
        )
    )


def _unwrapped(text: str) -> str:
    """Without the brackets round all of it: `(7.1, 5.3)`, but not `(1+2)*(3+4)`."""
    while text[:1] + text[-1:] in ("()", "[]"):
        inner, depth = text[1:-1].strip(), 0
        for c in inner:
            depth += (c in "([") - (c in ")]")
            if depth < 0:
                return text
        text = inner
    return text
