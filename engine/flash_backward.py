"""The backward pass: gradients of q, k and v from o and the log-sum-exp, the weights rebuilt tile by tile.

Source: Dao et al. 2022, appendix B.4, algorithm 4 (tiles) and algorithm 3 (plain), with m and l in one number, their
log-sum-exp; doc 001 (audit 0.39, 1.30). Letters: do is the gradient that arrives at o; dp, ds those of weights and
scores. Later kernels compute Σ do·o of each query once and store it; here it is computed in every tile.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.attention import Array, softmax
from engine.checked import checked_int
from engine.chip import Chip, Moved, Traffic
from engine.flash import checked_arrays, scores
from engine.flash_scenario import Scenario, gradient, numbers
from engine.tile_state import Rows
from engine.tile_walk import hidden, part, tiles, visible
from engine.traffic_laws import BACKWARD, PLAIN_BACKWARD
from engine.weights import read_only

Gradient = tuple[Array, Array, Array]  # dq, dk, dv


@dataclass(frozen=True, eq=False)
class Forward:
    """What lies in HBM when the backward pass begins: o (T_q, d_v) and lse (T_q,) of the forward pass, but no table of
    scores or weights; and do."""

    q: Array
    k: Array
    v: Array
    o: Array
    lse: Array
    do: Array
    sight: int | None

    @property
    def scale(self) -> float:
        return float(self.q.shape[1] ** -0.5)

    @property
    def room(self) -> Gradient:
        """Room in HBM for dq, dk and dv."""
        return np.empty_like(self.q), np.empty_like(self.k), np.empty_like(self.v)


@dataclass(frozen=True, eq=False)
class Rebuild:
    """One tile: s and p = exp(s − lse) once more, then dp, ds, and what they add up to so far.

    `delta` (rows,) is Σ do·o; dq (rows, d) is written back, dk and dv (keys, …) stay on the chip. `n_rebuilt` scores
    have been computed a second time so far."""

    moved: Moved
    rows: range
    keys: range
    s: Array
    p: Array
    dp: Array
    delta: Array
    ds: Array
    dq: Array
    dk: Array
    dv: Array
    n_rebuilt: int
    flop: int


@dataclass(frozen=True, eq=False)
class WriteKV:
    """The tile of keys has met all queries that see it: its dk and dv go out, once."""

    moved: Moved
    keys: range
    dk: Array
    dv: Array


@dataclass(frozen=True, eq=False)
class Gradients:
    """Both ways at the end, dq, dk, dv each. `flop` are those of the products: five in every tile, four of whole tables
    in the plain way."""

    moved: Moved
    plain: Moved
    tiled: Gradient
    expected: Gradient
    flop: int
    plain_flop: int

    @property
    def error(self) -> float:
        """The largest |difference|."""
        return max(float(np.abs(a - b).max()) for a, b in zip(self.tiled, self.expected, strict=True))


Step = Forward | Rebuild | WriteKV | Gradients


def backward(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    do: npt.ArrayLike,
    *,
    tile_q: int,
    tile_k: int,
    causal: bool = False,
) -> tuple[Array, Array, Array, Traffic]:
    """dq, dk, dv and the bytes of the backward pass alone; o and the log-sum-exp lie in HBM from the forward pass.

    Shapes: q (T_q, d), k (T_k, d), v (T_k, d_v), do (T_q, d_v). Raises ValueError as `engine.flash.tiled_attention`.

    >>> ones = np.ones((4, 2))
    >>> dq, dk, dv, traffic = backward(ones, ones, ones, ones, tile_q=2, tile_k=2)
    >>> dv.tolist()  # every key has a weight of 1/4 with each of four queries
    [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]
    """
    tile_q, tile_k = checked_int("tile_q", tile_q, 1), checked_int("tile_k", tile_k, 1)
    left = _forward(q, k, v, do, causal)
    chip, hbm = Chip(*BACKWARD), left.room
    for _ in _tiled(left, hbm, tile_q, tile_k, chip, Products()):
        pass
    return *hbm, chip.traffic


def plain_backward(
    q: npt.ArrayLike, k: npt.ArrayLike, v: npt.ArrayLike, do: npt.ArrayLike, *, causal: bool = False
) -> tuple[Array, Array, Array, Traffic]:
    """The same from the table of weights that the forward pass left in HBM, with two more: seven passes over tables."""
    left = _forward(q, k, v, do, causal)
    chip, hbm = Chip(*PLAIN_BACKWARD), left.room
    _plain(left, hbm, chip, Products())
    return *hbm, chip.traffic


def backward_trace(scenario: Scenario) -> Iterator[Step]:
    """On the scenario's numbers, key tiles in the outer loop; the right way, whatever its mistake."""
    do = gradient(scenario.n_q, scenario.d)
    left = _forward(*numbers(scenario.n_q, scenario.n_k, scenario.d), do, scenario.causal)
    yield left
    chip, product, tiled = Chip(*BACKWARD, itemsize=scenario.itemsize), Products(), left.room
    yield from _tiled(left, tiled, scenario.tile_q, scenario.tile_k, chip, product)
    plain_chip, plain_product, plain = Chip(*PLAIN_BACKWARD, itemsize=scenario.itemsize), Products(), left.room
    _plain(left, plain, plain_chip, plain_product)
    chip.holds()
    for array in (*tiled, *plain):
        read_only(array)
    yield Gradients(chip.moved, plain_chip.moved, tiled, plain, product.flop, plain_product.flop)


class Products:
    """Matrix products, and the FLOP they take: 2 for every multiplication with its addition."""

    def __init__(self) -> None:
        self.flop = 0

    def __call__(self, a: Array, b: Array) -> Array:
        self.flop += 2 * a.shape[0] * a.shape[1] * b.shape[1]
        return np.asarray(a @ b)


def _tiled(
    left: Forward, hbm: Gradient, tile_q: int, tile_k: int, chip: Chip, product: Products
) -> Iterator[Rebuild | WriteKV]:
    dq_hbm, dk_hbm, dv_hbm = hbm
    chip.store("dq", dq_hbm, np.zeros_like(dq_hbm))
    n_rebuilt = 0
    for keys in tiles(len(left.k), tile_k):
        k, v = chip.load("k", part(left.k, keys)), chip.load("v", part(left.v, keys))
        dk, dv = np.zeros_like(k), np.zeros_like(v)
        for rows in tiles(len(left.q), tile_q):
            if hidden(rows, keys, left.sight):
                continue
            q, o, do = (chip.load(name, part(a, rows)) for name, a in (("q", left.q), ("o", left.o), ("do", left.do)))
            lse, dq = chip.load("lse", part(left.lse, rows)), chip.load("dq", part(dq_hbm, rows))

            s = np.where(
                visible(rows, keys, left.sight), product(q, k.T) * left.scale, q.dtype.type(-np.inf)
            )  # (rows, keys)
            p = np.exp(s - np.where(lse == -np.inf, 0, lse)[:, None])  # the forward pass's weights once more
            n_rebuilt += s.size
            dp = product(do, v.T)
            delta = (do * o).sum(axis=1)  # = Σ p dp over all keys, without seeing them
            ds = p * (dp - delta[:, None])
            dq = dq + product(ds, k) * left.scale
            dk = dk + product(ds.T, q) * left.scale
            dv = dv + product(p.T, do)

            chip.holds(q, k, v, o, do, lse, s, p, dp, delta, ds, dq, dk, dv)
            chip.store("dq", part(dq_hbm, rows), dq)
            s, p, dp, delta, ds, dq, dk, dv = map(read_only, (s, p, dp, delta, ds, dq, dk, dv))
            yield Rebuild(chip.moved, rows, keys, s, p, dp, delta, ds, dq, dk, dv, n_rebuilt, product.flop)
        chip.store("dk", part(dk_hbm, keys), dk)
        chip.store("dv", part(dv_hbm, keys), dv)
        chip.holds()
        yield WriteKV(chip.moved, keys, dk, dv)


def _plain(left: Forward, hbm: Gradient, chip: Chip, product: Products) -> None:
    dq_hbm, dk_hbm, dv_hbm = hbm
    everyone, everything = range(len(left.q)), range(len(left.k))
    mask = visible(everyone, everything, left.sight)
    p_hbm = softmax(np.where(mask, scores(left.q, left.k), left.q.dtype.type(-np.inf)))  # kept by the forward pass
    dp_hbm, ds_hbm = np.empty_like(p_hbm), np.empty_like(p_hbm)

    p, do = chip.load("p", p_hbm), chip.load("do", left.do)
    chip.store("dv", dv_hbm, product(p.T, do))

    do, v = chip.load("do", left.do), chip.load("v", left.v)
    chip.store("dp", dp_hbm, product(do, v.T))

    p, dp = chip.load("p", p_hbm), chip.load("dp", dp_hbm)
    chip.store("ds", ds_hbm, p * (dp - (p * dp).sum(axis=1, keepdims=True)))

    ds, k = chip.load("ds", ds_hbm), chip.load("k", left.k)
    chip.store("dq", dq_hbm, product(ds, k) * left.scale)

    ds, q = chip.load("ds", ds_hbm), chip.load("q", left.q)
    chip.store("dk", dk_hbm, product(ds.T, q) * left.scale)


def _forward(q: npt.ArrayLike, k: npt.ArrayLike, v: npt.ArrayLike, do: npt.ArrayLike, causal: bool) -> Forward:
    q, k, v = checked_arrays(q, k, v)
    arrived = np.array(do, q.dtype)
    if arrived.shape != (len(q), v.shape[1]):
        raise ValueError(f"do: one row for each query, as wide as a value, {(len(q), v.shape[1])}; got {arrived.shape}")
    if not np.isfinite(arrived).all():
        raise ValueError("do: every number must be finite")
    sight = len(k) - len(q) if causal else None
    s = np.where(visible(range(len(q)), range(len(k)), sight), scores(q, k), q.dtype.type(-np.inf))
    held = Rows.empty(len(q), v.shape[1], q.dtype)
    held = held.fold(s, v).after if len(k) else held
    q, k, v, o, lse, arrived = map(read_only, (q, k, v, held.output, held.lse, arrived))
    return Forward(q, k, v, o, lse, arrived, sight)
