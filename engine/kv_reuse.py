"""Append a token, prove layer by layer that the old K and V stay, use them, then replace an old token. Chapter 07,
Q025."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import numpy as np

from engine.attention import Array, Mask
from engine.checked import checked_int
from engine.config import Config
from engine.decoder import Decoder, Run
from engine.invalidation import changes, one_layer, one_position
from engine.kv_cache import KVCache
from engine.prompt_edits import ROUNDING, Experiment, Sight, difference, holds, little_model
from engine.stages import Append, AttentionWeights, FeedForward, Logits, Query, Residual, Scores, WeightedSum
from engine.weights import read_only

EXPERIMENT = Experiment()  # position 100 of 128, three layers: cases T16


class Mistake(Enum):
    """Wrong ways to reuse, each run by the same code as the right one."""

    NONE = "none"
    TOP_LAYER = "top_layer"  # only the top layer's K and V were kept, and serve every layer
    LAYER_0 = "layer_0"  # layer 0's K and V serve every layer
    OLD_Q = "old_q"  # q was kept instead of k and v: nothing to look up, so the new token sees itself alone
    KEEP_ALL = "keep_all"  # an old token is replaced, its K and V and all later ones stay
    EDITED_ONLY = "edited_only"  # only the replaced token's own K and V are computed again

    @property
    def on_the_edit(self) -> bool:
        """Whether it comes into play only once a token is replaced."""
        return self in (Mistake.KEEP_ALL, Mistake.EDITED_ONLY)


@dataclass(frozen=True)
class Scenario:
    """`tokens` are cached and `appended` comes; then position `edit_at` becomes `edit_to` and `asked` comes behind.

    Tokens are numbers 0 … 10, positions count from 0. `head` is the query head whose numbers are shown. `experiment`
    is the laboratory's, which shares the rule of sight. Raises ValueError that names the argument."""

    tokens: tuple[int, ...] = (0, 1)
    appended: int = 2
    edit_at: int = 1
    edit_to: int = 3
    asked: int = 4
    n_layers: int = 2
    head: int = 0
    sight: Sight = Sight.CAUSAL
    window: int = 4
    prefix: int = 2
    mistake: Mistake = Mistake.NONE
    experiment: Experiment = EXPERIMENT

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokens", tuple(self.tokens))
        config = self.config  # checks n_layers, window, prefix
        if not self.tokens:
            raise ValueError("tokens: at least one must be cached")
        ids = [("tokens", t) for t in self.tokens]
        ids += [("appended", self.appended), ("edit_to", self.edit_to), ("asked", self.asked)]
        for name, value, most in (
            *((name, t, config.vocab_size - 1) for name, t in ids),
            ("edit_at", self.edit_at, len(self.tokens)),
            ("head", self.head, config.n_heads - 1),
        ):
            if checked_int(name, value) > most:
                raise ValueError(f"{name}: 0 … {most}, got {value}")

    @property
    def config(self) -> Config:
        """The model."""
        return little_model(self.n_layers, self.sight, self.window, self.prefix)

    @property
    def kv_head(self) -> int:
        """The KV head that `head` reads."""
        return self.config.kv_head[self.head]

    @property
    def longer(self) -> tuple[int, ...]:
        """The old tokens and the appended one."""
        return (*self.tokens, self.appended)

    @property
    def n_positions(self) -> int:
        """Of the longer prompt."""
        return len(self.tokens) + 1

    @property
    def last(self) -> int:
        """The appended token's position."""
        return len(self.tokens)

    @property
    def replaced(self) -> int:
        """The token at `edit_at`, before the replacement."""
        return self.longer[self.edit_at]

    @property
    def edited(self) -> tuple[int, ...]:
        """The longer prompt after the replacement."""
        return (*self.longer[: self.edit_at], self.edit_to, *self.longer[self.edit_at + 1 :])

    @property
    def first_to_recompute(self) -> int:
        """The first position that may depend on the replaced token, by the rule of sight alone."""
        match self.sight:
            case Sight.CAUSAL | Sight.WINDOW:
                return self.edit_at
            case Sight.BOTH_WAYS:
                return 0
            case Sight.PREFIX:
                return 0 if self.edit_at < self.prefix else self.edit_at


@dataclass(frozen=True)
class Moved:
    """Largest |difference| of one layer's inputs x, of its keys, values and outputs y, at the old positions."""

    x: float
    k: float
    v: float
    y: float

    @property
    def kv(self) -> float:
        return max(self.k, self.v)


@dataclass(frozen=True, eq=False)
class Proof:
    """A run of the n old tokens beside one of n + 1. x (n_layers + 1, n), k and v (n_layers, n): largest |difference|.

    `seen_before` (n, n) and `seen` (n + 1, n + 1) are what each query may see; row l of x is layer l's input.
    """

    before: Run
    after: Run
    x: Array
    k: Array
    v: Array
    seen_before: Mask
    seen: Mask

    @property
    def n_old(self) -> int:
        return len(self.seen_before)

    @property
    def n_seeing(self) -> int:
        """Old queries that see the new token."""
        return int(self.seen[: self.n_old, self.n_old].sum())

    @property
    def same_view(self) -> bool:
        """Whether every old query sees what it saw, and no more."""
        n = self.n_old
        return bool((self.seen[:n, :n] == self.seen_before).all() and not self.n_seeing)

    def moved(self, layer: int) -> Moved:
        """How far this layer's numbers are from what they were."""
        x, k, v, y = (float(row.max()) for row in (self.x[layer], self.k[layer], self.v[layer], self.x[layer + 1]))
        return Moved(x, k, v, y)

    def holds(self, layer: int) -> bool:
        """Whether this layer's old K and V are the same, up to rounding."""
        return holds(self.moved(layer).kv)

    @property
    def n_holding(self) -> int:
        """Layers whose old K and V are the same."""
        return sum(self.holds(layer) for layer in range(len(self.k)))

    @property
    def holds_everywhere(self) -> bool:
        return self.n_holding == len(self.k)


@dataclass(frozen=True, eq=False)
class OnProof:
    """A step that knows the proof; `run` is the longer run."""

    proof: Proof

    @property
    def run(self) -> Run:
        return self.proof.after


@dataclass(frozen=True, eq=False)
class OnLayer(OnProof):
    """A step that compares one layer."""

    layer: int = 0

    @property
    def moved(self) -> Moved:
        return self.proof.moved(self.layer)


@dataclass(frozen=True, eq=False)
class Cached:
    """The old tokens have run; `q` (n, head_dim) are the shown head's queries, which nobody keeps."""

    run: Run
    q: Array
    n_bytes: int

    @property
    def n_numbers(self) -> int:
        """Numbers kept: k and v of every layer, head and token."""
        return sum(rows.size for rows in (*self.run.k, *self.run.v))


@dataclass(frozen=True, eq=False)
class Appended(OnProof):
    """The appended token is looked up; nothing has been compared yet."""


@dataclass(frozen=True, eq=False)
class SameInputs(OnLayer):
    """Layer 0's inputs at the old positions, and so their K and V."""


@dataclass(frozen=True, eq=False)
class SameView(OnLayer):
    """What each old query may see."""


@dataclass(frozen=True, eq=False)
class SameOutputs(OnLayer):
    """Layer 0's outputs at the old positions."""


@dataclass(frozen=True, eq=False)
class NextLayer(OnLayer):
    """A layer above: the same argument in one go."""


@dataclass(frozen=True, eq=False)
class Conclusion(OnProof):
    """All layers are done."""


@dataclass(frozen=True, eq=False)
class Project(OnProof):
    """The new token's q (head_dim,), and k and v (T, head_dim) with its own row appended; NaN where nothing was
    kept."""

    layer: int
    x: Array
    q: Array
    k: Array
    v: Array

    @property
    def n_kept(self) -> int:
        """Rows that were cached."""
        return int(np.isfinite(self.k[:-1]).all(axis=1).sum())


@dataclass(frozen=True, eq=False)
class Look(OnProof):
    """s (T,) the scores, −∞ where masked, NaN where nothing was kept; p (T,) their softmax; o (head_dim,) = p · v."""

    layer: int
    q: Array
    k: Array
    v: Array
    s: Array
    p: Array
    o: Array

    @property
    def n_cached(self) -> int:
        return len(self.s) - 1

    @property
    def n_seen(self) -> int:
        """Rows that q may see, its own among them."""
        return int(np.isfinite(self.s).sum())

    @property
    def n_old_seen(self) -> int:
        return int(np.isfinite(self.s[:-1]).sum())

    @property
    def most(self) -> int:
        """The position with the most weight."""
        return int(np.argmax(self.p))


@dataclass(frozen=True, eq=False)
class Finish(OnProof):
    """`before` + `attended` = `between`; + `fed` = `after`, the layer's end: all (d_model,)."""

    layer: int
    before: Array
    attended: Array
    between: Array
    fed: Array
    after: Array


@dataclass(frozen=True, eq=False)
class NextToken(OnProof):
    """`logits` (V,) over the cache, `plain` (V,) with everything computed anew, and their largest |difference|."""

    logits: Array
    plain: Array
    error: float


@dataclass(frozen=True, eq=False)
class Replaced:
    """Before any repair: how far the old cache is from the edited prompt's own. k, v (L, T), x (L + 1, T)."""

    run: Run  # of the prompt as it was cached
    x: Array
    k: Array
    v: Array

    def changed(self, layer: int) -> tuple[int, int]:
        """How many positions' keys, and how many positions' values, no longer hold in `layer`."""
        k, v = (int(np.count_nonzero(table[layer] > ROUNDING)) for table in (self.k, self.v))
        return k, v


@dataclass(frozen=True, eq=False)
class Mended:
    """`computed`: the positions computed again. k, v (L, T): how far the cache now used is from the right one."""

    run: Run  # of the edited prompt
    computed: tuple[int, ...]
    k: Array
    v: Array

    @property
    def n_kept(self) -> int:
        """Positions that were not computed again."""
        return len(self.k[0]) - len(self.computed)


@dataclass(frozen=True, eq=False)
class AskedNext:
    """The token behind the edited prompt: `logits` over the cache in use, `plain` with everything computed anew."""

    run: Run
    logits: Array
    plain: Array
    error: float


ProofStep = Appended | SameInputs | SameView | SameOutputs | NextLayer | Conclusion
PathStep = Project | Look | Finish
Step = Cached | ProofStep | PathStep | NextToken | Replaced | Mended | AskedNext


def apart(right: Step, wrong: Step) -> bool:
    """Whether a wrong way's numbers differ from the right way's at the same step, by more than rounding."""
    return any(
        not np.allclose(a, b, rtol=0, atol=ROUNDING, equal_nan=True)
        for a, b in zip(_reused(right), _reused(wrong), strict=True)
    )


def _reused(step: Step) -> tuple[Array, ...]:
    """The step's numbers that depend on what was reused."""
    match step:
        case Project():
            return step.x, step.q, step.k, step.v
        case Look():
            return step.s, step.p, step.o
        case Finish():
            return (step.after,)
        case Mended():
            return step.k, step.v
        case NextToken() | AskedNext():
            return (step.logits,)
        case _:
            return ()


def trace(scenario: Scenario) -> Iterator[Step]:
    """The proof on measured numbers, the appended token's own path, then an edit. Where it yields is independent of
    the mistake."""
    config = scenario.config
    decoder, cache = Decoder(config), KVCache(config)
    (first_query,) = (s for s in decoder.trace(scenario.tokens) if isinstance(s, Query) and s.layer == 0)
    before = decoder.forward(scenario.tokens, cache)
    yield Cached(before, first_query.q[scenario.head], cache.n_bytes)

    n = len(scenario.tokens)
    after = decoder.forward(scenario.longer)
    moved = changes(before, after)
    seen = config.visible(0, n), config.visible(0, n + 1)
    proof = Proof(before, after, difference(before, after), moved.k, moved.v, *seen)
    yield Appended(proof)
    yield from (SameInputs(proof), SameView(proof), SameOutputs(proof))
    yield from (NextLayer(proof, layer) for layer in range(1, config.n_layers))
    yield Conclusion(proof)

    yield from _own_path(scenario, decoder, cache, proof)
    yield from _edit(scenario, decoder)


def _own_path(scenario: Scenario, decoder: Decoder, cache: KVCache, proof: Proof) -> Iterator[Step]:
    """The appended token alone, over whatever was kept."""
    n, head, kv_head = len(scenario.tokens), scenario.head, scenario.kv_head
    match scenario.mistake:
        case Mistake.TOP_LAYER:
            cache = one_layer(cache, scenario.n_layers - 1)
        case Mistake.LAYER_0:
            cache = one_layer(cache, 0)
        case Mistake.OLD_Q:
            cache = KVCache(scenario.config)

    def padded(rows: Array) -> Array:  # rows that were not kept, as NaN in front
        missing = np.full((n + 1 - len(rows), *rows.shape[1:]), np.nan)
        return read_only(np.concatenate([missing, rows]))

    x: Array = np.zeros(0)
    q = k = v = s = p = between = attended = x
    for stage in decoder.trace([scenario.appended], cache, [n]):
        match stage:
            case Query():
                q = stage.q[head, 0]
            case Append(layer=layer):
                k, v = padded(stage.k[kv_head]), padded(stage.v[kv_head])
                x = x if layer else decoder.weights.embedding[scenario.appended]
                yield Project(proof, layer, x, q, k, v)
            case Scores():
                s = padded(stage.s[head, 0])
            case AttentionWeights():
                p = padded(stage.p[head, 0])
            case WeightedSum(layer=layer):
                yield Look(proof, layer, q, k, v, s, p, stage.o[head, 0])
            case Residual():
                attended, between = stage.added[0], stage.after[0]
            case FeedForward(layer=layer):
                yield Finish(proof, layer, x, attended, between, stage.added[0], stage.after[0])
                x = stage.after[0]
            case Logits():
                logits = stage.logits[0]
                plain = proof.after.logits[-1]
                yield NextToken(proof, logits, plain, float(np.abs(logits - plain).max()))


def _edit(scenario: Scenario, decoder: Decoder) -> Iterator[Step]:
    """Replace a token of the cached prompt, mend the cache (or not), and ask with one token more."""
    old, right = KVCache(decoder.config), KVCache(decoder.config)
    before, after = decoder.forward(scenario.longer, old), decoder.forward(scenario.edited, right)
    moved = changes(before, after)
    yield Replaced(before, difference(before, after), moved.k, moved.v)

    first, at = scenario.first_to_recompute, scenario.edit_at
    match scenario.mistake:
        case Mistake.KEEP_ALL:
            computed, used = range(0), old
        case Mistake.EDITED_ONLY:
            computed, used = range(at, at + 1), one_position(old, right, at)
        case _:
            computed, used = range(first, len(scenario.edited)), old.fork()
            used.truncate(first)
            decoder.forward(scenario.edited[first:], used)
    off = changes(used, right)
    yield Mended(after, tuple(computed), off.k, off.v)

    logits = decoder.forward([scenario.asked], used.fork()).logits[0]
    plain = decoder.forward((*scenario.edited, scenario.asked)).logits[-1]
    yield AskedNext(after, logits, plain, float(np.abs(logits - plain).max()))
