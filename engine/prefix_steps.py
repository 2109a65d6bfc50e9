"""What there is to see while requests come and go over a prefix cache: one record a stop, complete in itself."""

from __future__ import annotations

from dataclasses import dataclass

from engine.counts import Work
from engine.prefix_cache import Name
from engine.prefix_view import Cached


@dataclass(frozen=True)
class Act:
    """The request `name` does something; `cached` is how things are afterwards."""

    cached: Cached
    name: str


@dataclass(frozen=True)
class Arrived(Act):
    """It is here with its prompt. `names`: what its full blocks would be called."""

    prompt: tuple[int, ...]
    names: tuple[Name, ...]


@dataclass(frozen=True)
class LookUp(Act):
    """Its block `index` is looked for: a walk down the tree, over as soon as a name is missing.

    `hits` are the blocks found so far, None a miss. `asked`: the walk came this far. `last`: the block holds the
    prompt's last token, which has to be run, so it is not used even if found.
    """

    names: tuple[Name, ...]
    index: int
    hits: tuple[int | None, ...]
    asked: bool
    last: bool

    @property
    def hit(self) -> int | None:
        """The block found."""
        return self.hits[-1]


@dataclass(frozen=True)
class Took(Act):
    """It uses what it found, `hit_tokens` tokens in `blocks`; those `rescued` had been free, and would have gone.

    `wanted` more blocks are needed; `spare` of the free ones are left for that. Too few: `refused`, nothing changed.
    """

    blocks: tuple[int, ...]
    hit_tokens: int
    rescued: tuple[int, ...]
    wanted: int
    spare: int

    @property
    def refused(self) -> bool:
        """There is not enough memory."""
        return self.wanted > self.spare


@dataclass(frozen=True)
class Evicted(Act):
    """Blocks taken for the rest of its prompt, and the names that are lost with what lay in them."""

    blocks: tuple[int, ...]
    forgotten: tuple[Name, ...]


@dataclass(frozen=True)
class Ran(Act):
    """A pass over its tokens from `position` on, in blocks of which `allocated` are new. `work` is what it cost.

    `error` is the largest difference of any logit from those of the request alone; `token` what its last logits
    choose, `fresh` what it would choose alone. No row, no logits: None.
    """

    position: int
    allocated: tuple[int, ...]
    forgotten: tuple[Name, ...]
    work: Work
    error: float | None
    token: int | None
    fresh: int


@dataclass(frozen=True)
class Filled(Ran):
    """The rest of the prompt is computed, and all its full blocks are named."""


@dataclass(frozen=True)
class Appended(Ran):
    """One more token. A block that it fills is named as well."""


@dataclass(frozen=True)
class Finished(Act):
    """It has ended. Nobody uses `freed` any more, in the order in which they queue up; their names stay."""

    freed: tuple[int, ...]


@dataclass(frozen=True)
class Bill:
    """All is done. What it cost is in the step's `spent`."""

    cached: Cached


Event = Arrived | LookUp | Took | Evicted | Filled | Appended | Finished | Bill


@dataclass(frozen=True)
class Spent:
    """What a request has computed so far, and what it has not, because others had: of one head of one layer."""

    name: str
    computed: Work
    reused: Work


@dataclass(frozen=True)
class Step:
    """What happens, how things were before, and what everybody has spent so far."""

    before: Cached
    event: Event
    spent: tuple[Spent, ...]

    @property
    def cached(self) -> Cached:
        """How things are afterwards."""
        return self.event.cached

    @property
    def total(self) -> tuple[Work, Work]:
        """Computed and reused by all."""
        return sum((s.computed for s in self.spent), Work()), sum((s.reused for s in self.spent), Work())
