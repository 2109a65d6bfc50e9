"""Guess and verify drawn with a seed: an illustration beside what engine.speculative computes, with its interval.

Every step of a rule is drawn by itself: the proposal, the judgement, the replacement. Draws are floats, so a
probability is met to about 1e-16, far within the interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from engine.checked import checked_int
from engine.speculative import Distribution, Number, Rule, distribution, exact, likeliest, pmf, split

MOST_DRAWS = 1_000_000
_Z = 1.959963985  # 19 times in 20


@dataclass(frozen=True)
class Share:
    """How often something came in `n` draws, and between which shares its probability lies, 19 times in 20 (Wilson)."""

    count: int
    n: int

    @property
    def share(self) -> float:
        """The part of all draws."""
        return self.count / self.n

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return max(0.0, self._centre - self._spread)

    @property
    def high(self) -> float:
        """Its upper end."""
        return min(1.0, self._centre + self._spread)

    @property
    def _centre(self) -> float:
        return (self.share + _Z**2 / (2 * self.n)) / (1 + _Z**2 / self.n)

    @property
    def _spread(self) -> float:
        inner = self.share * (1 - self.share) / self.n + _Z**2 / (4 * self.n**2)
        return float(_Z * inner**0.5 / (1 + _Z**2 / self.n))


def sampled(
    p: Sequence[Number], q: Sequence[Number], rule: Rule = Rule.EXACT, *, n: int = 10_000, seed: int = 0
) -> tuple[Share, ...]:
    """How often each token comes out at one position in `n` draws. Raises ValueError for n outside 1 … MOST_DRAWS."""
    n = _drawn(n)
    target, draft = distribution("p", p), distribution("q", q)
    found, rng = split(target, draft, rule), np.random.default_rng(seed)
    token = _picked(draft, rng.random(n))
    if rule is Rule.GREEDY_DRAFT:
        token = np.full(n, likeliest(draft))
    if rule in (Rule.EQUALITY_RESIDUAL, Rule.EQUALITY_FRESH):
        kept = _picked(target, rng.random(n)) == token
    else:
        one, other = (draft, target) if rule is Rule.INVERTED_RATIO else (target, draft)
        below = np.array([float(min(Fraction(1), a / b)) if b else 1.0 for a, b in zip(one, other, strict=True)])
        kept = rng.random(n) < below[token]
    if found.rejected:
        token = np.where(kept, token, _picked(found.replacement, rng.random(n)))
    return tuple(Share(int(count), n) for count in np.bincount(token, minlength=len(target)))


def sampled_lengths(alpha: Number, k: int, *, n: int = 10_000, seed: int = 0) -> tuple[Share, ...]:
    """How often a pass gave 1, 2, …, k + 1 tokens, each of k proposals accepted with `alpha` by itself.

    Its expectation is engine.speculative.pmf.
    """
    n, lengths = _drawn(n), len(pmf(alpha, k))
    kept = np.random.default_rng(seed).random((n, lengths - 1)) < float(exact("alpha", alpha))
    accepted = np.cumprod(kept, axis=1, dtype=np.int64).sum(axis=1)
    return tuple(Share(int(count), n) for count in np.bincount(accepted, minlength=lengths))


def _picked(
    weights: Distribution, draws: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    ends = np.cumsum([float(w) for w in weights])
    return np.minimum(np.searchsorted(ends, draws, side="right"), max(i for i, w in enumerate(weights) if w))


def _drawn(n: int) -> int:
    if checked_int("n", n, 1) > MOST_DRAWS:
        raise ValueError(f"n: at most {MOST_DRAWS} draws, got {n}")
    return n
