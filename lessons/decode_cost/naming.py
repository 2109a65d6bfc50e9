"""How this lesson writes its things: sides, units, sums."""

from __future__ import annotations

from lessons.kit.format import count
from lessons.kit.text import Text

PLAIN, CACHED = Text("without a cache", "没有缓存"), Text("with a cache", "有缓存")
ROWS, PAIRS = Text("query rows", "查询行"), Text("query·key pairs", "查询·键配对")


def sum_of(first: int, last: int, most: int = 6) -> str:
    """first + … + last, in full where it has at most so many terms.

    >>> sum_of(3, 6), sum_of(10, 100)
    ('3 + 4 + 5 + 6', '10 + 11 + … + 100')
    """
    if last - first < most:
        return " + ".join(count(n) for n in range(first, last + 1))
    return f"{count(first)} + {count(first + 1)} + … + {count(last)}"
