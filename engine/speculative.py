"""Guess and verify, in fractions: which tokens come out, how many a pass, and what stays in the cache.

A cheap draft q proposes, the target p decides: accept x with min(1, p(x)/q(x)), else draw from what p has more than q.
Everything is exact: an int, a Fraction, or a float, which is read as the decimal it prints as (0.8 is 4/5).
Source: doc 001, its third shortcut; the rule is that of Leviathan et al. 2023 and vLLM's rejection sampler.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from engine.checked import checked_int

Number = int | float | Fraction
Distribution = tuple[Fraction, ...]
MOST_DRAFTED = 256  # tokens a pass; far beyond use, and fractions stay short


class Rule(Enum):
    """How a proposed token is judged, and what replaces a rejected one. EXACT alone gives the target's distribution."""

    EXACT = "exact"
    GREEDY_DRAFT = "greedy_draft"  # proposes the likeliest token of q, but accepts as if it had been drawn from q
    RESAMPLE_TARGET = "resample_target"  # draws anew from p
    RESAMPLE_DRAFT = "resample_draft"  # draws anew from q
    ABSOLUTE_RESIDUAL = "absolute_residual"  # draws from |p − q| instead of max(0, p − q)
    INVERTED_RATIO = "inverted_ratio"  # accepts with min(1, q/p)
    EQUALITY_RESIDUAL = "equality_residual"  # accepts if the target, drawing by itself, says the same; else residual
    EQUALITY_FRESH = "equality_fresh"  # the same, but then draws from p once more


@dataclass(frozen=True)
class Split:
    """Where the probability of one position goes.

    `accepted` of each token is the probability that it is proposed and accepted, `rejected` the rest of 1, and
    `replacement` the distribution from which the token is then drawn (all 0 where nothing is ever rejected).
    """

    accepted: Distribution
    rejected: Fraction
    replacement: Distribution

    @property
    def replaced(self) -> Distribution:
        """Of each token, the probability that it comes as the replacement."""
        return tuple(self.rejected * r for r in self.replacement)

    @property
    def output(self) -> Distribution:
        """Of each token, the probability that it comes out."""
        return tuple(a + r for a, r in zip(self.accepted, self.replaced, strict=True))


def exact(name: str, value: Number) -> Fraction:
    """`value` as a fraction; a float as the decimal it prints as. Raises ValueError that names the argument.

    >>> exact("alpha", 0.8)
    Fraction(4, 5)
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction) or not math.isfinite(value):
        raise ValueError(f"{name}: a number, got {value!r}")
    return Fraction(repr(float(value))) if isinstance(value, float) else Fraction(value)


def distribution(name: str, values: Sequence[Number], *, normalise: bool = False) -> Distribution:
    """Probabilities as fractions. Raises ValueError unless none is negative and they sum to 1, or `normalise` is set.

    >>> distribution("p", (0.5, 0.3, 0.2))
    (Fraction(1, 2), Fraction(3, 10), Fraction(1, 5))
    """
    found = tuple(exact(name, value) for value in values)
    total = sum(found, Fraction(0))
    if not found or min(found) < 0 or total == 0:
        raise ValueError(f"{name}: probabilities, none negative and one above 0, got {list(values)!r}")
    if total != 1 and not normalise:
        raise ValueError(f"{name}: must sum to 1, the sum is {float(total):.6g}")
    return tuple(value / total for value in found)


def split(p: Sequence[Number], q: Sequence[Number], rule: Rule = Rule.EXACT, *, normalise: bool = False) -> Split:
    """What one position of target p and draft q does under `rule`.

    Where a rule rejects although p = q, there is no residual, and the replacement is drawn from p.

    >>> found = split((0.5, 0.25, 0.25), (0.25, 0.25, 0.5))
    >>> found.rejected, found.replacement == (1, 0, 0)
    (Fraction(1, 4), True)
    """
    target, draft = _both(p, q, normalise)
    pairs = list(zip(target, draft, strict=True))
    residual = _scaled([max(Fraction(0), a - b) for a, b in pairs], target)
    match rule:
        case Rule.GREEDY_DRAFT:
            at = likeliest(draft)
            accept = min(Fraction(1), target[at] / draft[at])
            accepted, replacement = [accept if i == at else Fraction(0) for i in range(len(draft))], residual
        case Rule.INVERTED_RATIO:
            accepted = [b if b >= a else b * b / a for a, b in pairs]
            replacement = residual
        case Rule.EQUALITY_RESIDUAL:
            accepted, replacement = [a * b for a, b in pairs], residual
        case Rule.EQUALITY_FRESH:
            accepted, replacement = [a * b for a, b in pairs], target
        case _:
            accepted = [min(a, b) for a, b in pairs]
            replacement = {
                Rule.RESAMPLE_TARGET: target,
                Rule.RESAMPLE_DRAFT: draft,
                Rule.ABSOLUTE_RESIDUAL: _scaled([abs(a - b) for a, b in pairs], target),
            }.get(rule, residual)
    rejected = 1 - sum(accepted, Fraction(0))
    return Split(tuple(accepted), rejected, replacement if rejected else (Fraction(0),) * len(target))


def output_distribution(
    p: Sequence[Number], q: Sequence[Number], rule: Rule = Rule.EXACT, *, normalise: bool = False
) -> Distribution:
    """What comes out at one position. Under EXACT it is p, whatever q is.

    >>> p, q = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)), (Fraction(1, 6), Fraction(1, 3), Fraction(1, 2))
    >>> output_distribution(p, q) == p, output_distribution(p, q, Rule.INVERTED_RATIO) == q
    (True, True)
    """
    return split(p, q, rule, normalise=normalise).output


def acceptance(p: Sequence[Number], q: Sequence[Number], *, normalise: bool = False) -> Fraction:
    """Probability that the proposed token is accepted: Σ min(p, q), 1 less half the distance of p and q.

    >>> acceptance((0.5, 0.5), (1, 0))
    Fraction(1, 2)
    """
    return 1 - split(p, q, normalise=normalise).rejected


def expected_tokens(alpha: Number, k: int) -> Fraction:
    """Tokens a pass of the target gives on average, if each of k proposals is accepted with `alpha` by itself.

    1 + α + … + α^k: summed, not divided, so α = 1 gives k + 1. One token comes even where nothing is accepted.

    >>> expected_tokens(0.8, 4), expected_tokens(1, 4), expected_tokens(0, 4), expected_tokens(0.8, 0)
    (Fraction(2101, 625), Fraction(5, 1), Fraction(1, 1), Fraction(1, 1))
    """
    a, n = _alpha(alpha), _drafted(k)
    up, down = a.numerator, a.denominator
    return Fraction(sum(up**i * down ** (n - i) for i in range(n + 1)), down**n)  # one fraction, reduced once


def pmf(alpha: Number, k: int) -> Distribution:
    """Probabilities of 1, 2, …, k + 1 tokens from a pass, with the same assumption.

    >>> [str(x) for x in pmf(0.8, 2)]
    ['1/5', '4/25', '16/25']
    """
    a, n = _alpha(alpha), _drafted(k)
    return (*(a**i * (1 - a) for i in range(n)), a**n)


def speed_up(alpha: Number, k: int, cost: Number, verify: Number = 1) -> Fraction:
    """Times as many tokens a second as without a draft; below 1 it loses.

    `cost` is the time of one draft pass, `verify` that of the target's pass over k + 1 tokens, both in passes of the
    target over one token. `verify` is 1 while the pass is bound by reading weights, and nears k + 1 in large batches.

    >>> float(round(speed_up(0.8, 4, 0.05), 4)), speed_up(0.5, 4, 0.5) < 1
    (2.8013, True)
    """
    c, v = exact("cost", cost), exact("verify", verify)
    if c < 0:
        raise ValueError(f"cost: at least 0, got {cost!r}")
    if v <= 0:
        raise ValueError(f"verify: above 0, got {verify!r}")
    return expected_tokens(alpha, k) / (_drafted(k) * c + v)


def best_k(alpha: Number, cost: Number, most: int = 16) -> int:
    """The k from 0 to `most` with the greatest speed-up, the smallest of equals; 0: better without a draft.

    >>> best_k(0.8, 0.05), best_k(0.2, 0.5)
    (8, 0)
    """
    return max(range(_drafted(most) + 1), key=lambda k: (speed_up(alpha, k, cost), -k))


def pick(weights: Distribution, draw: Fraction) -> int:
    """The first token at which the running sum exceeds `draw`: each comes as often as it weighs.

    >>> [pick((Fraction(1, 4), Fraction(0), Fraction(3, 4)), Fraction(n, 4)) for n in range(4)]
    [0, 2, 2, 2]
    """
    total = Fraction(0)
    for token, weight in enumerate(weights):
        total += weight
        if draw < total:
            return token
    raise ValueError(f"draw: below the sum of the weights, {total}, got {draw}")


def likeliest(weights: Distribution) -> int:
    """The likeliest token, the first of equals."""
    return weights.index(max(weights))


def certain(weights: Distribution) -> Distribution:
    """1 for the likeliest token: what is left of a distribution without sampling."""
    at = likeliest(weights)
    return tuple(Fraction(i == at) for i in range(len(weights)))


def verify_greedy(draft: Sequence[int], target: Sequence[int]) -> list[int]:
    """Tokens that come out without sampling: the draft's while they are the target's, then the target's own next.

    `target` has the target's choice at each drafted position and at the one behind: k + 1 of them.

    >>> verify_greedy([1, 2, 3], [1, 2, 3, 4]), verify_greedy([1, 2, 3], [1, 5, 3, 4]), verify_greedy([], [5])
    ([1, 2, 3, 4], [1, 5], [5])
    """
    if len(target) != len(draft) + 1:
        raise ValueError(f"target: {len(draft) + 1} tokens for {len(draft)} drafted ones, got {len(target)}")
    agreed = 0
    while agreed < len(draft) and draft[agreed] == target[agreed]:
        agreed += 1
    return [int(token) for token in target[: agreed + 1]]


def cache_verified(n_cached: int, k: int) -> int:
    """Entries right after the target's pass: it ran the newest token, whose K and V were not there yet, and k drafted.

    >>> cache_verified(9, 4)
    14
    """
    return checked_int("n_cached", n_cached) + _drafted(k) + 1


def cache_after(n_cached: int, k: int, accepted: int) -> int:
    """Entries that may stay after `accepted` of k: those before, the newest token's, and the accepted ones'.

    The token that is emitted last, a replacement or a bonus, has no entry yet: the next pass runs it.

    >>> [cache_after(9, 4, accepted) for accepted in (0, 2, 4)]
    [10, 12, 14]
    """
    if checked_int("accepted", accepted) > _drafted(k):
        raise ValueError(f"accepted: at most the {k} drafted tokens, got {accepted}")
    return checked_int("n_cached", n_cached) + 1 + accepted


def _both(p: Sequence[Number], q: Sequence[Number], normalise: bool) -> tuple[Distribution, Distribution]:
    target, draft = distribution("p", p, normalise=normalise), distribution("q", q, normalise=normalise)
    if len(target) != len(draft):
        raise ValueError(f"q: as many probabilities as p has, {len(target)}, got {len(draft)}")
    return target, draft


def _scaled(weights: list[Fraction], otherwise: Distribution) -> Distribution:
    """The weights over their sum, or `otherwise` where all are 0."""
    total = sum(weights, Fraction(0))
    return tuple(w / total for w in weights) if total else otherwise


def _alpha(alpha: Number) -> Fraction:
    a = exact("alpha", alpha)
    if not 0 <= a <= 1:
        raise ValueError(f"alpha: a probability from 0 to 1, got {alpha!r}")
    return a


def _drafted(k: int) -> int:
    n = checked_int("k", k)
    if n > MOST_DRAFTED:
        raise ValueError(f"k: at most {MOST_DRAFTED} tokens a pass, got {k}")
    return n
