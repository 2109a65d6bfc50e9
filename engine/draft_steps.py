"""The steps of a round of guess and verify; each holds all that its picture and its sentence need."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from engine.speculative import Distribution, Split


@dataclass(frozen=True)
class Start:
    """Before the round: `entries` in `blocks`; the newest token has been chosen and not yet run."""

    n_tokens: int
    entries: int
    blocks: int


@dataclass(frozen=True)
class Propose:
    """The draft picks `token` for position `at` (0 … k − 1) of the round with `draw`; `tokens` are those so far.

    Where the draft proposes its likeliest token, `draw` is None.
    """

    at: int
    q: Distribution
    draw: Fraction | None
    token: int
    tokens: tuple[int, ...]


@dataclass(frozen=True)
class Verify:
    """One pass of the target over the newest token and the k proposed: p at each of the k + 1 positions."""

    tokens: tuple[int, ...]
    p: tuple[Distribution, ...]
    rows: int
    entries: int
    blocks: int


@dataclass(frozen=True)
class Judge:
    """Position `at`: is the proposed token kept? `split` has where all of the probability goes here, and adds up.

    `threshold` is what `draw` has to stay below; under a rule of equality it is None, and `own` is the token that the
    target draws by itself.
    """

    at: int
    token: int
    p: Distribution
    q: Distribution
    split: Split
    threshold: Fraction | None
    own: int | None
    draw: Fraction
    kept: bool


@dataclass(frozen=True)
class Replace:
    """After a rejection at `at`: `token` is drawn from `weights`."""

    at: int
    weights: Distribution
    draw: Fraction
    token: int


@dataclass(frozen=True)
class Bonus:
    """All k kept: the pass has p for one position more, and `token` is drawn from it."""

    p: Distribution
    draw: Fraction
    token: int


@dataclass(frozen=True)
class RollBack:
    """Entries and blocks before, after verifying, and now; `stale` are entries of rejected tokens that stayed.

    `error` is the largest |difference| of the next logits from a run without a cache, None where no decoder ran.
    """

    accepted: int
    before: int
    verified: int
    now: int
    blocks_before: int
    blocks_verified: int
    blocks_now: int
    stale: int
    error: float | None


@dataclass(frozen=True)
class Done:
    """`emitted` tokens from one pass of the target; how many are `expected` on average along these proposals.

    `output` is what comes out at the first position, beside its p: equal for the right rule.
    """

    emitted: tuple[int, ...]
    accepted: int
    n_tokens: int
    acceptance: tuple[Fraction, ...]
    expected: Fraction
    p: Distribution
    output: Distribution

    @property
    def is_exact(self) -> bool:
        """Whether the target's distribution comes out at the first position."""
        return self.output == self.p


Step = Start | Propose | Verify | Judge | Replace | Bonus | RollBack | Done
