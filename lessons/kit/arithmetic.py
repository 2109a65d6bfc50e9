"""Arithmetic as an answer field takes it: `2*32*128`, `2^32`, `1.5×10⁹`, `4,294,967,296`, `42.9亿`."""

from __future__ import annotations

import re

from lessons.kit.controls import BadInput
from lessons.kit.expression import MOST_TYPED, NOTHING, Unreadable, plain, pointed, value
from lessons.kit.text import Text, listed, shown

MOST_LISTED = 400  # characters of several numbers

# Of several numbers, from the coarsest to the finest; then where a comma stands for the point.
_BETWEEN = (r"[;\n]", r"[,;、\n]", r"[\s,;、]")
_BETWEEN_POINTED = (r"[;、\n]", r"[\s;、]")


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


def read_numbers(typed: str, n: int = 1) -> tuple[tuple[float, ...], ...]:
    """What the numbers of an answer may be, likeliest first: each of them arithmetic, in brackets or not; commas,
    semicolons or spaces between.

    Of the ways to take it apart the coarsest that gives `n` numbers is meant: commas and spaces may group digits, and
    spaces may stand in arithmetic. A comma may also stand for the point. Where none gives `n`, the finest that can be
    read is returned, for the caller to count.

    >>> read_numbers("1/4, 2^-1", 2), read_numbers("4,294,967,296"), read_numbers("1 2")
    (((0.25, 0.5),), ((4294967296.0,),), ((1.0, 2.0),))
    >>> read_numbers("(7.10， −5.34)", 2), read_numbers("7,1; 5,3", 2), read_numbers("9,046")
    (((7.1, -5.34),), ((7.1, 5.3),), ((9046.0,), (9.046,)))
    """
    bounded(typed, MOST_LISTED)
    text = _unwrapped(plain(typed))
    whole = ("$",) if n == 1 else ()
    grouping, wrong = _taken_apart(text, (*whole, *_BETWEEN))
    pointing, _ = _taken_apart(pointed(text), (*whole, *_BETWEEN_POINTED)) if "," in text else ([], None)
    found = [next((r for r in ways if len(r) == n), None) for ways in (grouping, pointing)]
    if meant := tuple(dict.fromkeys(reading for reading in found if reading)):
        return meant
    if grouping:
        return (grouping[-1],)
    raise complaint(wrong or NOTHING, typed, "`1.25, −0.5`")


def _taken_apart(text: str, ways: tuple[str, ...]) -> tuple[list[tuple[float, ...]], Text | None]:
    """The numbers between each of these separators, where all can be read, and why the others cannot."""
    found, wrong = [], None
    for between in ways:
        try:
            numbers = tuple(value(part) for part in re.split(between, text) if part.strip())
        except Unreadable as unreadable:
            if between != ways[-1]:  # whose pieces the reader may not recognise
                wrong = unreadable.why
            continue
        if numbers:
            found.append(numbers)
    return found, wrong


def complaint(why: Text, typed: str, *examples: str) -> BadInput:
    """What an answer must be, what was typed, and `why` that cannot be worked out."""
    quoted, right = shown(typed[:MOST_TYPED]), listed(("`0.8125`", "`3*5*7`", *examples))
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
