"""One round of guess and verify: k tokens proposed, one pass of the target, each judged, the cache rolled back.

Nothing is random here: a scenario brings its draws, numbers from 0 up to 1, and the same draws give the same round.
Source: doc 001, its third shortcut; the entries of the cache as in vLLM.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from engine.checked import checked_int
from engine.draft_steps import Bonus, Done, Judge, Propose, Replace, RollBack, Start, Step, Verify
from engine.small_draft import drafted, logits_error
from engine.speculative import (
    Distribution,
    Number,
    Rule,
    acceptance,
    cache_after,
    cache_verified,
    certain,
    distribution,
    exact,
    likeliest,
    pick,
    split,
)

MOST_K = 16  # proposals of a round that is shown
MOST_TOKENS = 64
MOST_WORDS = 32  # tokens of a vocabulary


class Mistake(Enum):
    """Wrong ways: a wrong rule for what comes out, or rejected entries that stay in the cache."""

    NONE = "none"
    GREEDY_DRAFT = "greedy_draft"
    RESAMPLE_TARGET = "resample_target"
    RESAMPLE_DRAFT = "resample_draft"
    ABSOLUTE_RESIDUAL = "absolute_residual"
    INVERTED_RATIO = "inverted_ratio"
    EQUALITY_RESIDUAL = "equality_residual"
    EQUALITY_FRESH = "equality_fresh"
    NO_ROLLBACK = "no_rollback"

    @property
    def rule(self) -> Rule:
        """The rule by which tokens are judged."""
        return Rule.EXACT if self in (Mistake.NONE, Mistake.NO_ROLLBACK) else Rule(self.value)


class Source(Enum):
    """Where p and q come from."""

    GIVEN = "given"  # the scenario's own, the same at each position
    DECODER = "decoder"  # the little decoder, and its first layer alone as the draft; see engine.small_draft


@dataclass(frozen=True)
class Scenario:
    """`n_tokens` are written, all but the newest are in the cache, and k more are guessed.

    `draws` are 2k + 1 numbers from 0 up to 1: k that pick the proposals, k against which they are judged, one that
    picks the replacement or the bonus. `greedy`: the likeliest token always, p and q become 1 for it. p and q are
    used with Source.GIVEN only. Raises ValueError that names the argument; p and q must sum to 1 (`normalise` them).
    """

    p: tuple[Number, ...] = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))
    q: tuple[Number, ...] = (Fraction(1, 6), Fraction(1, 3), Fraction(1, 2))
    k: int = 4
    draws: tuple[Number, ...] = (0.1, 0.4, 0.9, 0.6, 0.5, 0.3, 0.7, 0.2, 0.4)
    n_tokens: int = 10
    block_size: int = 4
    source: Source = Source.GIVEN
    greedy: bool = False
    mistake: Mistake = Mistake.NONE

    def __post_init__(self) -> None:
        if checked_int("k", self.k) > MOST_K:
            raise ValueError(f"k: at most {MOST_K}, got {self.k}")
        if checked_int("n_tokens", self.n_tokens, 1) > MOST_TOKENS:
            raise ValueError(f"n_tokens: at most {MOST_TOKENS}, got {self.n_tokens}")
        checked_int("block_size", self.block_size, 1)
        for name, values in (("p", self.p), ("q", self.q)):
            if len(distribution(name, values)) > MOST_WORDS:
                raise ValueError(f"{name}: at most {MOST_WORDS} tokens, got {len(values)}")
        if len(self.p) != len(self.q):
            raise ValueError(f"q: as many probabilities as p has, {len(self.p)}, got {len(self.q)}")
        if len(self.draws) != 2 * self.k + 1:
            raise ValueError(f"draws: 2 × {self.k} + 1 of them, got {len(self.draws)}")
        if any(not 0 <= exact("draws", draw) < 1 for draw in self.draws):
            raise ValueError(f"draws: each from 0 up to 1, got {list(self.draws)!r}")

    @property
    def exact_draws(self) -> tuple[Fraction, ...]:
        """The draws as fractions."""
        return tuple(exact("draws", draw) for draw in self.draws)

    @property
    def n_cached(self) -> int:
        """Entries in the cache before the round: the newest token has not been run."""
        return self.n_tokens - 1

    def blocks(self, entries: int) -> int:
        """Blocks that so many entries take."""
        return -(-entries // self.block_size)


def trace(s: Scenario) -> Iterator[Step]:
    """The round, step by step."""
    rule, draws, k = s.mistake.rule, s.exact_draws, s.k
    yield Start(s.n_tokens, s.n_cached, s.blocks(s.n_cached))
    p_rows, q_rows, tokens = _proposed(s)
    for at in range(k):
        picked_blindly = s.greedy or rule is Rule.GREEDY_DRAFT
        yield Propose(at, q_rows[at], None if picked_blindly else draws[at], tokens[at], tokens[: at + 1])
    verified = cache_verified(s.n_cached, k)
    yield Verify(tokens, p_rows, k + 1, verified, s.blocks(verified))
    accepted, emitted = 0, list[int]()
    for at in range(k):
        judged = _judged(at, tokens[at], p_rows[at], q_rows[at], rule, draws[k + at])
        yield judged
        if not judged.kept:
            token = pick(judged.split.replacement, draws[-1])
            yield Replace(at, judged.split.replacement, draws[-1], token)
            emitted.append(token)
            break
        accepted += 1
        emitted.append(tokens[at])
    else:
        token = pick(p_rows[k], draws[-1])
        yield Bonus(p_rows[k], draws[-1], token)
        emitted.append(token)
    right = cache_after(s.n_cached, k, accepted)
    now = verified if s.mistake is Mistake.NO_ROLLBACK else right
    error = None
    if s.source is Source.DECODER:
        error = logits_error(s.n_tokens, tokens, now, emitted)
    entries = (s.n_cached, verified, now)
    before, during, after = (s.blocks(n) for n in entries)
    yield RollBack(accepted, *entries, before, during, after, now - right, error)
    rates = tuple(acceptance(p, q) for p, q in zip(p_rows, q_rows, strict=False))
    first = split(p_rows[0], q_rows[0], rule).output if k else p_rows[0]
    expected = _expected(rates)
    yield Done(tuple(emitted), accepted, s.n_tokens + len(emitted), rates, expected, p_rows[0], first)


def _judged(at: int, token: int, p: Distribution, q: Distribution, rule: Rule, draw: Fraction) -> Judge:
    found = split(p, q, rule)
    if rule in (Rule.EQUALITY_RESIDUAL, Rule.EQUALITY_FRESH):
        own = pick(p, draw)
        return Judge(at, token, p, q, found, None, own, draw, own == token)
    one, other = (q, p) if rule is Rule.INVERTED_RATIO else (p, q)
    threshold = min(Fraction(1), one[token] / other[token]) if other[token] else Fraction(1)
    return Judge(at, token, p, q, found, threshold, None, draw, draw < threshold)


def _proposed(s: Scenario) -> tuple[tuple[Distribution, ...], tuple[Distribution, ...], tuple[int, ...]]:
    """p at k + 1 positions, q at k, and the tokens that the draft proposes."""
    draws, blindly = s.exact_draws, s.greedy or s.mistake.rule is Rule.GREEDY_DRAFT
    if s.source is Source.DECODER:
        return drafted(s.n_tokens, s.k, None if blindly else draws[: s.k], greedy=s.greedy)
    p, q = distribution("p", s.p), distribution("q", s.q)
    if s.greedy:
        p, q = certain(p), certain(q)
    tokens = tuple(likeliest(q) if blindly else pick(q, draw) for draw in draws[: s.k])
    return (p,) * (s.k + 1), (q,) * s.k, tokens


def _expected(rates: tuple[Fraction, ...]) -> Fraction:
    """1 + α₁ + α₁α₂ + …: tokens of the pass on average, if the proposals are these."""
    total, alive = Fraction(1), Fraction(1)
    for rate in rates:
        alive *= rate
        total += alive
    return total
