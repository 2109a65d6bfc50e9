"""Where the options of a question stand: an order that follows from the question's numbers, so that no place is
always right."""

from __future__ import annotations

from math import factorial
from zlib import crc32


def shuffled(n: int, *numbers: float, moved: bool = False) -> tuple[int, ...]:
    """0 … n − 1 in an order that is the same for the same numbers; with `moved` never the order 0, 1, 2, …

    >>> shuffled(3, 32, 8) == shuffled(3, 32, 8), sorted(shuffled(4, 7))
    (True, [0, 1, 2, 3])
    >>> (0, 1) in {shuffled(2, i, moved=True) for i in range(9)}
    False
    """
    skipped = 1 if moved and n > 1 else 0
    nth = skipped + crc32(repr(tuple(map(float, numbers))).encode()) % (factorial(n) - skipped)
    left, order = list(range(n)), []
    for i in range(n - 1, -1, -1):  # the nth in the alphabet's order, without the ones before
        at, nth = divmod(nth, factorial(i))
        order.append(left.pop(at))
    return tuple(order)


def place(order: tuple[int, ...], item: int) -> float:
    """Where an item stands, counted from 1.

    >>> place((2, 0, 1), 0)
    2.0
    """
    return float(order.index(item) + 1)
