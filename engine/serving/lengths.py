"""How long completions are: fixed sequences that anyone can write down again, no random generator."""

from __future__ import annotations

import math
from statistics import NormalDist

from engine.checked import checked_int

GOLDEN = (math.sqrt(5) - 1) / 2


def chat_lengths(n: int = 1_000, longest: int = 2_048) -> tuple[int, ...]:
    """`n` lengths from 1 to `longest` tokens, the same for everyone: no random generator, a fixed recurrence.

    x₀ = 12345, x ← (1103515245 x + 12345) mod 2³¹, length 1 + ⌊x / 2⁸⌋ mod `longest`.

    >>> chat_lengths(5)
    (1047, 1064, 1309, 663, 1821)
    """
    checked_int("longest", longest, 1)
    x, lengths = 12_345, []
    for _ in range(checked_int("n", n)):
        x = (1_103_515_245 * x + 12_345) % 2**31
        lengths.append(1 + (x >> 8) % longest)
    return tuple(lengths)


def lognormal_lengths(n: int = 1_000, median: int = 256, sigma: float = 1.0, longest: int = 2_048) -> tuple[int, ...]:
    """`n` lengths, half of them below `median`, whose logarithms are normal with deviation `sigma`: many short, a few
    very long. Cut off at 1 and `longest`.

    Length i is median · exp(sigma · Φ⁻¹(uᵢ)), rounded, with uᵢ the fraction of ½ + i φ, φ = (√5 − 1) / 2 and i from 0:
    multiples of the golden ratio fall evenly between 0 and 1 however many there are. Raises ValueError that names the
    argument.

    >>> lognormal_lengths(6)
    (256, 78, 481, 176, 1734, 322)
    """
    longest, median = checked_int("longest", longest, 1), checked_int("median", median, 1)
    if isinstance(sigma, bool) or not isinstance(sigma, int | float) or not 0 <= sigma <= 10:
        raise ValueError(f"sigma: a number from 0 to 10, got {sigma!r}")
    inverse = NormalDist().inv_cdf
    places = ((0.5 + i * GOLDEN) % 1 for i in range(checked_int("n", n)))
    return tuple(min(max(round(median * math.exp(sigma * inverse(u))), 1), longest) for u in places)
