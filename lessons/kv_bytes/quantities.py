"""How this lesson writes its numbers: counts, bytes in binary and in decimal units, factors."""

from __future__ import annotations

from fractions import Fraction

from lessons.kit.format import count, short, size

_DECIMAL = ("B", "kB", "MB", "GB", "TB", "PB", "EB")


def big(n: int) -> str:
    """A whole number in full, or as a power of ten where it has more than 16 digits."""
    return count(n) if n < 10**16 else short(float(n))


def bytes_(n: int) -> str:
    """`4 294 967 296 B`."""
    return f"{big(n)} B"


def decimal(n: int) -> str:
    """Bytes in the largest unit of powers of ten that leaves at least 1.

    >>> decimal(4 * 2**30), decimal(131072)
    ('4.29497 GB', '131.072 kB')
    """
    x, unit = float(n), 0
    while x >= 1000 and unit < len(_DECIMAL) - 1:
        x, unit = x / 1000, unit + 1
    return f"{x:.6g} {_DECIMAL[unit]}"


def gib(n: int) -> str:
    """Bytes in GiB, whatever the size."""
    return f"{short(float(f'{n / 2**30:.6g}'))} GiB"


def gb(n: int) -> str:
    """Bytes in GB, whatever the size."""
    return f"{short(float(f'{n / 10**9:.6g}'))} GB"


def rounded(n: int) -> str:
    """Bytes in a binary unit, four digits."""
    number, unit = size(n).split(" ")
    return f"{float(number):.4g} {unit}" if "e" not in number else size(n)


def plain_number(x: int | Fraction) -> str:
    """A factor: `2`, `0.5`."""
    return str(int(x)) if x == int(x) else f"{float(x):g}"


def billions_zh(billions: float) -> str:
    """So many billions as Chinese counts them: in 万, 亿 and 万亿.

    >>> billions_zh(8.0), billions_zh(0.6), billions_zh(671.0), billions_zh(0.05), billions_zh(1500.0), billions_zh(0.0)
    ('80 亿个', '6 亿个', '6710 亿个', '5000 万个', '1.5 万亿个', '0 个')
    """
    yi = billions * 10
    if yi == 0:
        return "0 个"
    if yi < 1:
        return f"{short(yi * 10_000)} 万个"
    return f"{short(yi)} 亿个" if yi < 10_000 else f"{short(yi / 10_000)} 万亿个"


def times(a: int, b: int) -> str:
    """How many times as large: `4`, `0.5`, `5.958`."""
    return "∞" if b == 0 else f"{a / b:.4g}"


def milliseconds(seconds: float) -> str:
    """`1.28 ms`."""
    return f"{seconds * 1e3:.3g} ms" if seconds * 1e3 < 1e4 else f"{seconds:.3g} s"
