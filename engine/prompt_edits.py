"""Change a prompt or its model, and measure which cached keys and values still hold. Chapter 07, Q025."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from engine.attention import Array
from engine.checked import checked_int
from engine.config import Config
from engine.decoder import Decoder, Run
from engine.invalidation import one_position
from engine.kv_cache import KVCache
from engine.weights import read_only

ROUNDING = 1e-9  # far above what another order of summation does in float64, far below what an edit does
ADAPTER_SCALE = 0.1


def holds(difference: float) -> bool:
    """Whether a measured difference is none, or rounding."""
    return difference <= ROUNDING


class Sight(Enum):
    """Which keys a query may see. PREFIX: the first tokens see each other in both directions, the rest is causal."""

    CAUSAL = "causal"
    BOTH_WAYS = "bidirectional"
    WINDOW = "window"
    PREFIX = "prefix"


@lru_cache(maxsize=128)
def little_model(n_layers: int, sight: Sight = Sight.CAUSAL, window: int = 4, prefix: int = 2) -> Config:
    """The little decoder with this rule of sight; `window` counts the query itself, `prefix` is in tokens."""
    base = Config(n_layers=n_layers)
    match sight:
        case Sight.CAUSAL:
            return base
        case Sight.BOTH_WAYS:
            return replace(base, causal=False)
        case Sight.WINDOW:
            return replace(base, window=window)
        case Sight.PREFIX:
            return replace(base, prefix=prefix)


class Operation(Enum):
    """What is done to the prompt (or its model) after it was cached."""

    APPEND = "append"
    REPLACE = "replace"
    INSERT = "insert"
    ADAPTER = "adapter"  # a rank-one change to one layer's V weights
    SHIFT = "shift"  # the same tokens, every position `by` larger
    DROP = "drop"  # the first `by` tokens are forgotten, the rest moves down: a context shift

    @property
    def used(self) -> tuple[str, ...]:
        """The arguments of an Experiment that it looks at, besides length and n_layers."""
        match self:
            case Operation.REPLACE | Operation.INSERT:
                return ("position",)
            case Operation.ADAPTER:
                return ("layer",)
            case Operation.SHIFT | Operation.DROP:
                return ("by",)
            case Operation.APPEND:
                return ()

    def last(self, length: int) -> int:
        """The last position, in a prompt of that length, at which it can be done."""
        return length - (self is not Operation.INSERT)


@dataclass(frozen=True)
class Experiment:
    """One operation on tokens (7i + 3) mod 11, i = 0 … length − 1, of a model of `n_layers`.

    `position` (0-based) is for REPLACE and INSERT, `layer` for ADAPTER, `by` for SHIFT and DROP; the rest ignore them.
    Raises ValueError that names the argument.
    """

    operation: Operation = Operation.REPLACE
    length: int = 128
    position: int = 100
    layer: int = 1
    by: int = 4
    n_layers: int = 3

    def __post_init__(self) -> None:
        checked_int("length", self.length, 1)
        checked_int("n_layers", self.n_layers, 1)
        for name, value, least, most in (
            ("position", self.position, 0, self.operation.last(self.length)),
            ("layer", self.layer, 0, self.n_layers - 1),
            ("by", self.by, 1, self.length - 1),
        ):
            if name in self.operation.used and checked_int(name, value, least) > most:
                raise ValueError(f"{name}: {least} … {most}, got {value}")

    @property
    def tokens(self) -> tuple[int, ...]:
        """The prompt as it was cached."""
        return tuple((7 * i + 3) % 11 for i in range(self.length))


@dataclass(frozen=True, eq=False)
class Outcome:
    """Largest |difference| of keys and of values, k and v (n_layers, T), T the positions after the operation.

    Token by token: an inserted token has nothing to be compared with and is NaN, what follows it is compared with
    itself one position earlier. `reusable` counts the leading positions at which every layer's K and V hold.
    """

    k: Array
    v: Array
    reusable: int

    def changed(self, layer: int) -> tuple[int, int]:
        """How many positions' keys, and how many positions' values, no longer hold in `layer`."""
        k, v = (int(np.count_nonzero(a[layer] > ROUNDING)) for a in (self.k, self.v))
        return k, v

    @property
    def compared(self) -> int:
        """Positions that have something to be compared with."""
        return int(np.count_nonzero(~np.isnan(self.k[0])))


@lru_cache(maxsize=64)
def measure(experiment: Experiment, sight: Sight = Sight.CAUSAL, window: int = 4, prefix: int = 2) -> Outcome:
    """Run the model before and after, and compare. Stored keys are compared as stored, after rotation.

    >>> outcome = measure(Experiment())
    >>> outcome.reusable, [outcome.changed(layer) for layer in range(3)]
    (100, [(1, 1), (28, 28), (28, 28)])
    """
    config = little_model(experiment.n_layers, sight, window, prefix)
    tokens, n = experiment.tokens, experiment.length
    before = Decoder(config).forward(tokens)
    at = experiment.position
    old: npt.NDArray[np.int64] = np.arange(n)  # the old position of each new one, −1 where there is none
    match experiment.operation:
        case Operation.APPEND:
            after = Decoder(config).forward((*tokens, (7 * n + 3) % 11))
        case Operation.REPLACE:
            after = Decoder(config).forward((*tokens[:at], other_than(tokens[at]), *tokens[at + 1 :]))
        case Operation.INSERT:
            after = Decoder(config).forward((*tokens[:at], 0, *tokens[at:]))
            old = np.concatenate([np.arange(at), [-1], np.arange(at, n)])
        case Operation.ADAPTER:
            after = Decoder(replace(config, adapter=(experiment.layer, ADAPTER_SCALE))).forward(tokens)
        case Operation.SHIFT:
            after = Decoder(config).forward(tokens, positions=np.arange(n) + experiment.by)
        case Operation.DROP:
            after = Decoder(config).forward(tokens[experiment.by :])
            old = np.arange(experiment.by, n)
    k, v = (_largest(a, b, old) for a, b in ((before.k, after.k), (before.v, after.v)))
    holds = np.concatenate([np.maximum(k, v).max(axis=0) <= ROUNDING, [False]])  # NaN does not hold
    reusable = int(holds.argmin())
    return Outcome(k, v, reusable)


def other_than(token: int) -> int:
    """The token that replaces another: 0, or 1 where 0 stood."""
    return 1 if token == 0 else 0


def _largest(before: tuple[Array, ...], after: tuple[Array, ...], old: npt.NDArray[np.int64]) -> Array:
    """(n_layers, len(old)): over heads and numbers, new position i against old[i], NaN where old[i] is −1."""
    rows = [np.abs(a[:, old] - b[:, : len(old)]).max(axis=(0, 2)) for a, b in zip(before, after, strict=True)]
    return read_only(np.where(old < 0, np.nan, np.stack(rows)))


def kept_tokens(index: int, block_size: int = 1) -> int:
    """Leading tokens whose whole blocks lie before `index` (0-based), the first that changed. Source: cases T53.

    >>> [kept_tokens(index, 16) for index in (0, 15, 16, 95, 96, 99, 100)]
    [0, 0, 16, 80, 96, 96, 96]
    """
    return checked_int("index", index) // checked_int("block_size", block_size, 1) * block_size


def last_reached(position: int, n_layers: int, window: int) -> int:
    """The last position whose final hidden state depends on `position`, in layers of a window that counts itself.

    >>> last_reached(3, 3, 4)
    12
    """
    return checked_int("position", position) + n_layers * (checked_int("window", window, 1) - 1)


def difference(before: Run, after: Run) -> Array:
    """(n_layers + 1, T): largest |difference| of the hidden states at each position that both have."""
    t = min(before.hidden.shape[1], after.hidden.shape[1])
    return read_only(np.abs(before.hidden[:, :t] - after.hidden[:, :t]).max(axis=2))


def reuse_costs(
    tokens: Sequence[int], positions: Sequence[int], asked: int, config: Config
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Largest |logit error| of `asked` behind `tokens` with one of them replaced, for each of `positions`: with the
    whole old cache kept, and with the replaced position's row alone renewed (engine.invalidation's EVERYTHING,
    ALL_BUT_EDITED).

    >>> costs = reuse_costs(Experiment().tokens, [100], 5, little_model(3))
    >>> [round(error, 7) for (error,) in costs]
    [0.0241428, 0.0008212]
    """
    decoder, old = Decoder(config), KVCache(config)
    decoder.forward(tokens, old)
    kept = decoder.forward([asked], old.fork()).logits
    everything: list[float] = []
    alone: list[float] = []
    for at in positions:
        new = KVCache(config)
        decoder.forward((*tokens[:at], other_than(tokens[at]), *tokens[at + 1 :]), new)
        mixed = one_position(old, new, at)
        right = decoder.forward([asked], new).logits
        everything.append(float(np.abs(kept - right).max()))
        alone.append(float(np.abs(decoder.forward([asked], mixed).logits - right).max()))
    return tuple(everything), tuple(alone)
