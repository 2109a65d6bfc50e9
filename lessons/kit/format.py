"""How numbers are written: the same digits in every picture, sentence, table and answer."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from fractions import Fraction

MINUS = "−"
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_PLAIN = {ord(up): digit for up, digit in zip("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789", strict=True)}
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def fixed(x: float, places: int = 4) -> str:
    """A computed number with `places` decimals, fewer from 10 000 on; powers of ten where those would hide or flood it.

    >>> fixed(0.13533528), fixed(-2.0), fixed(36652.47811), fixed(1.5e-7), fixed(float("-inf"))
    ('0.1353', '−2.0000', '36652.48', '1.50×10⁻⁷', '−∞')
    """
    if not math.isfinite(x):
        return _special(x)
    written = f"{x + 0.0:.{places if abs(x) < 1e4 else min(places, 2)}f}"
    if abs(x) >= 1e6 or (x != 0 and float(written) == 0):
        return _scientific(x)
    return written.replace("-", MINUS)


def short(x: float) -> str:
    """A typed number as the reader would write it: no trailing zeros, at most eight significant digits.

    >>> short(2.0), short(-0.5), short(10000.0), short(1e-9)
    ('2', '−0.5', '10000', '1.00×10⁻⁹')
    """
    if not math.isfinite(x):
        return _special(x)
    if x != 0 and not 1e-4 <= abs(x) < 1e6:
        return _scientific(x)
    return f"{x + 0.0:.8g}".replace("-", MINUS)


def delta(x: float) -> str:
    """A measured difference: `0` only where it is exactly 0.

    >>> delta(0.0), delta(2e-16)
    ('0', '2.00×10⁻¹⁶')
    """
    return fixed(x) if x else "0"


def vector(xs: Iterable[float], write: Callable[[float], str] = fixed) -> str:
    """Numbers side by side: `7.1026, 5.3447`."""
    return ", ".join(write(x) for x in xs)


def few(xs: Iterable[float], write: Callable[[float], str] = fixed, most: int = 3) -> str:
    """The first numbers, and whether there are more: `7.1026, 5.3447, 1.0000, …`."""
    all_ = [*xs]
    return vector(all_[:most], write) + ", …" * (len(all_) > most)


def count(n: int) -> str:
    """A whole number with thin groups of three: `32 768`.

    >>> count(32768)
    '32\\u202f768'
    """
    return f"{n:,}".replace(",", "\u202f")


def many(n: int | Fraction, what: str) -> str:
    """A number and what it counts, in English: the noun is a plural unless there is one.

    >>> many(1, "KV head"), many(8, "KV head"), many(Fraction(1, 2), "byte"), many(2048, "token")
    ('1 KV head', '8 KV heads', '0.5 bytes', '2\\u202f048 tokens')
    """
    return f"{count(int(n)) if n == int(n) else f'{float(n):g}'} {what if n == 1 else plural(what)}"


def plural(noun: str) -> str:
    """An English noun, of several.

    >>> plural("block"), plural("query"), plural("key"), plural("pass")
    ('blocks', 'queries', 'keys', 'passes')
    """
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}{'es' if re.search(r'(s|x|ch|sh)$', noun) else 's'}"


def size(n_bytes: int, digits: int = 6) -> str:
    """Bytes in the largest binary unit that leaves at least 1: `2 GiB`.

    >>> size(2 * 2**30), size(18), size(1536), size(123_456, 4)
    ('2 GiB', '18 B', '1.5 KiB', '120.6 KiB')
    """
    x, unit = float(n_bytes), 0
    while x >= 1024 and unit < len(_UNITS) - 1:
        x, unit = x / 1024, unit + 1
    return f"{x:.{digits}g} {_UNITS[unit]}"


def whole(n: int) -> str:
    """A whole number in full, or as a power of ten where it has more than 16 digits."""
    return count(n).replace("-", MINUS) if abs(n) < 10**16 else short(float(n))


def six(x: float) -> str:
    """At most six significant digits.

    >>> six(2**32 / 10**9)
    '4.29497'
    """
    return short(float(f"{x:.6g}"))


def in_bytes(n: int) -> str:
    """Bytes in full: `4 294 967 296 B`."""
    return f"{whole(n)} B"


def gib(n_bytes: int) -> str:
    """Bytes in GiB, whatever their size."""
    return f"{six(n_bytes / 2**30)} GiB"


def gb(n_bytes: int) -> str:
    """Bytes in GB, whatever their size."""
    return f"{six(n_bytes / 10**9)} GB"


def _special(x: float) -> str:
    return "NaN" if math.isnan(x) else "∞" if x > 0 else f"{MINUS}∞"


def _scientific(x: float) -> str:
    return f"{f'{x:.2e}'.partition('e')[0]}×{magnitude(x)}".replace("-", MINUS)


def magnitude(x: float) -> str:
    """The power of ten of a number, as `fixed` would write it.

    >>> magnitude(2e-16), magnitude(9.999e-4)
    ('10⁻¹⁶', '10⁻³')
    """
    return f"10{str(int(f'{x:.2e}'.partition('e')[2])).translate(_SUPERSCRIPT)}"


def tex(written: str) -> str:
    """A number from this module inside `$math$`.

    >>> tex("−1.50×10⁻⁷"), tex("−∞")
    ('-1.50\\\\times 10^{-7}', '-\\\\infty')
    """
    plain = written.replace(MINUS, "-").replace("∞", r"\infty")
    if "×10" not in plain:
        return plain
    mantissa, exponent = plain.split("×10")
    return rf"{mantissa}\times 10^{{{exponent.translate(_PLAIN)}}}"


def as_typed(written: str) -> str:
    """A text in which this module's numbers stand as a keyboard would write them.

    >>> as_typed(count(5050)), as_typed(fixed(1.5e-7))
    ('5050', '1.50e-7')
    """
    ungrouped = re.sub(r"(?<=\d)[\u202f\u2009](?=\d{3})", "", written)
    return re.sub("×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda power: f"e{power[1].translate(_PLAIN)}", ungrouped)
