"""A little decoder-only transformer, small enough to check by hand, that runs with a KV cache and without."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.attention import Array
from engine.config import Config, Mistake
from engine.counts import Work
from engine.forward_pass import stages
from engine.kv_cache import KVCache
from engine.stages import Append, Embed, FeedForward, Ints, Logits, Scores, Stage
from engine.weights import Weights, read_only

__all__ = ["Config", "Decoder", "Mistake", "Run"]


@dataclass(frozen=True, eq=False)
class Run:
    """What one call computed; all arrays read-only, T the call's new positions.

    logits (T, vocab_size); hidden (n_layers + 1, T, d_model), the embedding and each layer's end; k and v one
    (n_kv_heads, T_total, head_dim) a layer, cached positions first, keys after rotation. `work` is of one head of one
    layer, counted as the call ran.
    """

    logits: Array
    hidden: Array
    k: tuple[Array, ...]
    v: tuple[Array, ...]
    work: Work


class Decoder:
    """Weights follow from `config`, so two decoders of equal configs are the same model. Holds nothing that changes.

    >>> run = Decoder(Config(n_layers=3)).forward([(7 * i + 3) % 11 for i in range(5)])
    >>> run.logits[-1, :3].round(6).tolist(), run.work
    ([-0.865864, -0.398199, -0.396956], Work(rows=5, pairs=15))
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self.weights = Weights.of(config)

    def forward(
        self, tokens: npt.ArrayLike, cache: KVCache | None = None, positions: npt.ArrayLike | None = None
    ) -> Run:
        """Run the T tokens behind those in `cache`, and append their K and V to it.

        `positions` (T,) are for the rotation alone, cache.length … cache.length + T − 1 unless given; who sees whom
        is decided by order. Raises ValueError that names the argument, and then the cache is as it was.
        """
        hidden: list[Array] = []
        k: list[Array] = []
        v: list[Array] = []
        work, logits = Work(), None
        for stage in self.trace(tokens, cache, positions):
            match stage:
                case Embed(x=x) | FeedForward(after=x):
                    hidden.append(x)
                case Append():
                    k.append(stage.k)
                    v.append(stage.v)
                case Scores(layer=0, visible=visible):
                    work = Work(len(visible), int(np.count_nonzero(visible)))
                case Logits():
                    logits = stage.logits
        assert logits is not None
        if cache is not None:
            n_old = cache.length
            cache.append([a[:, n_old:] for a in k], [a[:, n_old:] for a in v])
        return Run(logits, read_only(np.stack(hidden)), tuple(k), tuple(v), work)

    def trace(
        self, tokens: npt.ArrayLike, cache: KVCache | None = None, positions: npt.ArrayLike | None = None
    ) -> Iterator[Stage]:
        """The same pass stage by stage. Arguments are checked at once; the cache is read then, and never changed.

        For the newest token alone, give its forerunners in `cache`.
        """
        c = self.config
        cache = KVCache(c) if cache is None else cache
        theirs = cache.config
        if (theirs.n_layers, theirs.n_kv_heads, theirs.head_dim) != (c.n_layers, c.n_kv_heads, c.head_dim):
            raise ValueError(
                f"cache: made for {theirs.n_layers} layers of {theirs.n_kv_heads} × {theirs.head_dim} numbers, "
                f"this model has {c.n_layers} of {c.n_kv_heads} × {c.head_dim}"
            )
        ids = _whole_numbers("tokens", tokens)
        if len(ids) == 0 or ids.max() >= c.vocab_size:
            raise ValueError(f"tokens: at least one, each 0 … {c.vocab_size - 1}, got {ids.tolist()}")
        where = cache.length + np.arange(len(ids)) if positions is None else _whole_numbers("positions", positions)
        if len(where) != len(ids):
            raise ValueError(f"positions: {len(where)} of them for {len(ids)} tokens")
        where.setflags(write=False)
        return stages(c, self.weights, ids, where, cache.k, cache.v)


def _whole_numbers(name: str, given: npt.ArrayLike) -> Ints:
    try:
        a = np.array(given)  # a copy: nobody else can change it
    except ValueError:  # rows of different lengths
        a = np.array(None)
    if a.ndim != 1 or (len(a) and not np.issubdtype(a.dtype, np.integer)):
        raise ValueError(f"{name}: one axis of whole numbers, got {given!r}")
    numbers = a.astype(np.int64)
    if (numbers < 0).any():
        raise ValueError(f"{name}: none may be negative, got {given!r}")
    numbers.setflags(write=False)
    return numbers
