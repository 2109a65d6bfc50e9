"""Work of a causal decoder, counted: query rows and query·key pairs, always of one head of one layer.

The whole model does n_layers times the rows and n_layers · n_heads times the pairs. "Operations" alone is no unit:
5,050 is the rows of 100 steps without a cache, and also the pairs of 100 steps with one.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.checked import checked_int


@dataclass(frozen=True)
class Work:
    """`rows`: positions that went through the layer as queries. `pairs`: query·key scores that were not masked."""

    rows: int = 0
    pairs: int = 0

    def __add__(self, other: Work) -> Work:
        return Work(self.rows + other.rows, self.pairs + other.pairs)


def naive(n: int) -> Work:
    """n steps, each a forward pass over its whole prefix of 1, 2, …, n positions. Source: audit of doc 001, 1.2 and
    1.49.

    >>> naive(100)
    Work(rows=5050, pairs=171700)
    """
    n = checked_int("n", n)
    return Work(n * (n + 1) // 2, n * (n + 1) * (n + 2) // 6)


def naive_squares(n: int) -> int:
    """Scores in the unmasked tables of the same n passes: 1² + 2² + … + n², masked pairs included.

    >>> naive_squares(100)
    338350
    """
    n = checked_int("n", n)
    return n * (n + 1) * (2 * n + 1) // 6


def cached(n: int) -> Work:
    """n steps, each one row against all keys so far: linear in rows, still quadratic in pairs.

    >>> cached(100)
    Work(rows=100, pairs=5050)
    """
    n = checked_int("n", n)
    return Work(n, n * (n + 1) // 2)


def prefill(p: int) -> Work:
    """One pass over a prompt of p positions: as many pairs as p cached steps, in one pass instead of p.

    >>> prefill(10)
    Work(rows=10, pairs=55)
    """
    return cached(checked_int("p", p))


def decode(p: int, m: int, *, first_from_prefill: bool) -> Work:
    """m new tokens after a prompt of p, with a cache; the prefill itself is not in it.

    Each pass is one row. Where the prefill's last logits give the first new token, m − 1 passes are left to do:
    (m − 1)p + m(m − 1)/2 pairs. Where every new token goes through the model, m passes: mp + m(m + 1)/2 pairs.

    >>> decode(10, 5, first_from_prefill=False), decode(10, 5, first_from_prefill=True)
    (Work(rows=5, pairs=65), Work(rows=4, pairs=50))
    >>> decode(10, 1, first_from_prefill=True)
    Work(rows=0, pairs=0)
    """
    p, m = checked_int("p", p), checked_int("m", m)
    passes = max(m - 1, 0) if first_from_prefill else m
    return Work(passes, passes * p + passes * (passes + 1) // 2)


def without_cache(p: int, m: int) -> Work:
    """m new tokens after a prompt of p, each from a pass over everything before it: p, p + 1, …, p + m − 1 positions.

    >>> without_cache(10, 5).pairs
    395
    """
    p, m = checked_int("p", p), checked_int("m", m)
    if p == 0:
        raise ValueError("p: at least one position, for the first new token comes from the prompt's logits")
    after, before = naive(p + m - 1), naive(p - 1)
    return Work(after.rows - before.rows, after.pairs - before.pairs)
