"""A deployment reckoned through: what fits, how fast at most, what reuse and guessing give, and what nobody can know.

Every figure has its formula, its unit and its standing. Speeds are bounds: the time to read what must be read, or to
multiply what must be multiplied, at the device's peak, whichever is longer. Nothing runs that fast.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from engine.block_names import reusable_tokens
from engine.deployment import BLOCK_SIZE, UTILISATION, Deployment, Draft, Priority
from engine.deployment_costs import (
    Batch,
    expected_step,
    held_bytes,
    held_of,
    least_seconds,
    paged_of,
    prefill_flop,
    reserved_of,
    rest_flop,
    shared_bytes,
    speculation,
    step_of,
    weight_bytes,
)
from engine.speculative import exact, expected_tokens
from engine.standing import Standing

__all__ = ["Batch", "Deployment", "Draft", "Figure", "Plan", "Priority", "Unit", "Unknown", "plan"]


class Unit(Enum):
    """What a figure counts."""

    BYTES = "B"
    BYTES_A_TOKEN = "B/token"
    TOKENS = "token"
    REQUESTS = "request"
    SECONDS = "s"
    TOKENS_A_SECOND = "token/s"
    FLOP = "FLOP"
    FLOP_A_BYTE = "FLOP/B"
    TIMES = "×"


@dataclass(frozen=True)
class Figure:
    """A number, how it was made, what it counts, how well it is known."""

    value: Fraction
    unit: Unit
    formula: str
    standing: Standing = Standing.COMPUTED


class Unknown(Enum):
    """What the plan cannot know."""

    ACTIVATIONS = "activations"  # memory for intermediate results, graphs, the runtime
    EFFICIENCY = "efficiency"  # how near to the peaks the kernels come
    LENGTHS = "lengths"  # how long requests really are, and when they arrive
    QUALITY = "quality"  # what fewer bits do to the answers
    COMMUNICATION = "communication"  # time between devices
    ROUTING = "routing"  # which experts are chosen together
    ACCEPTANCE = "acceptance"  # how often the draft is right
    RECURRENT_STATE = "recurrent_state"  # layers without K and V keep a state of their own
    MIXED_WEIGHTS = "mixed_weights"  # embeddings and others usually stay in 16 bits
    DEVICE_FIGURES = "device_figures"  # not all were read at their maker's
    FLOPS = "flops"  # the device's are not known: no bound by arithmetic
    BEYOND_CONTEXT = "beyond_context"  # the model was not made for this length
    PREFIX_IN_WINDOWS = "prefix_in_windows"  # reuse where layers forget or keep a state depends on the engine


@dataclass(frozen=True)
class Plan:
    """Figures of a deployment; bytes are of one device unless their name says otherwise.

    `most_requests` are two numbers: with an engine that reserves every layer of every request at full length in the
    memory it takes by default, and with every byte used, windows and the shared prefix counted once.
    """

    deployment: Deployment
    memory: Figure
    weights: Figure
    draft_weights: Figure
    cache_a_token: Figure
    held: Figure
    in_blocks: Figure
    reserved: Figure
    left: Figure
    most_requests: tuple[Figure, Figure]
    ridge: Figure | None
    step: Figure
    tokens_a_second: Figure
    intensity: Figure
    by_memory: bool
    expected_step: Figure
    prefill: Figure
    prefill_flop: Figure
    reused_tokens: Figure
    prefill_saved: Figure
    cache_saved: Figure
    speculation: Figure | None
    tokens_a_pass: Figure | None
    batches: tuple[Batch, ...]
    unknown: tuple[Unknown, ...]

    @property
    def fits(self) -> bool:
        """Whether weights and the held cache of all requests fit at all."""
        return self.left.value >= 0

    @property
    def fits_reserved(self) -> bool:
        """Whether they fit an engine that reserves every layer, in the memory that it takes by default."""
        return self.deployment.requests <= self.most_requests[0].value


def plan(d: Deployment) -> Plan:
    """All figures. Raises ValueError only for what Deployment refuses.

    >>> found = plan(Deployment(requests=1, context=8_192))
    >>> int(found.held.value) == 2**30, found.fits, found.by_memory
    (True, True, True)
    """
    m, n, bits = d.model, d.n_devices, exact("weight_bits", d.weight_bits)
    weights = weight_bytes(m, bits, n)
    draft = d.draft.model if d.draft is not None else None
    draft_weights = Fraction(0) if draft is None else weight_bytes(draft, bits, n)
    held = held_bytes(d, d.requests)
    reserved_one = reserved_of(d)
    shared = shared_bytes(d)
    memory = d.device.memory.value
    room_low = max(Fraction(0), memory * UTILISATION - weights - draft_weights)
    room_high = max(Fraction(0), memory - weights - draft_weights - shared)
    own = held_bytes(d, 1) - shared
    low = Fraction(room_low // reserved_one) if reserved_one else Fraction(d.requests)
    high = Fraction(room_high // own) if own else Fraction(d.requests)
    now = step_of(d, d.requests)
    least = reusable_tokens(d.context, d.shared_prefix, BLOCK_SIZE)
    whole = prefill_flop(m, d.context)
    saved_flop = whole - rest_flop(m, d.context, least)
    held_kind = f"{d.requests} × {m.name}.kv_bytes({d.context})"
    pass_tokens = None if d.draft is None else expected_tokens(d.draft.alpha, d.draft.k)
    return Plan(
        d,
        Figure(memory, Unit.BYTES, "memory as printed × 10⁹", d.device.memory.standing),
        Figure(weights, Unit.BYTES, f"{m.known_parameters} × {bits} ÷ 8 ÷ {n}"),
        Figure(draft_weights, Unit.BYTES, "0" if draft is None else f"{draft.known_parameters} × {bits} ÷ 8 ÷ {n}"),
        Figure(held_of(m, d, 1) - held_of(m, d, 0), Unit.BYTES_A_TOKEN, "kv_bytes(1) − kv_bytes(0), one device"),
        Figure(held, Unit.BYTES, held_kind + (f" − {d.requests - 1} × {shared} shared" if shared else "")),
        Figure(paged_of(d) * d.requests, Unit.BYTES, f"the same in blocks of {BLOCK_SIZE} tokens, nothing shared"),
        Figure(reserved_one * d.requests, Unit.BYTES, "the same, every layer as if it kept all"),
        Figure(memory - weights - draft_weights - held, Unit.BYTES, "memory − weights − held"),
        (
            Figure(
                low, Unit.REQUESTS, f"⌊(memory × {float(UTILISATION)} − weights) ÷ reserved of one⌋", Standing.ASSUMED
            ),
            Figure(max(low, high), Unit.REQUESTS, "⌊(memory − weights − shared) ÷ held of one⌋", Standing.BOUND),
        ),
        _ridge(d),
        Figure(now.seconds, Unit.SECONDS, _step_formula(d, now), Standing.BOUND),
        Figure(now.tokens_a_second, Unit.TOKENS_A_SECOND, f"{d.requests} ÷ step", Standing.BOUND),
        Figure(now.intensity, Unit.FLOP_A_BYTE, "FLOP of the step ÷ bytes read"),
        now.by_memory,
        Figure(expected_step(d), Unit.SECONDS, "the same, experts chosen evenly", Standing.ASSUMED),
        Figure(least_seconds(d, whole, Fraction(0)), Unit.SECONDS, "FLOP ÷ (devices × FLOP/s)", Standing.BOUND),
        Figure(whole, Unit.FLOP, "2 × parameters × tokens + attention’s pairs"),
        Figure(Fraction(least), Unit.TOKENS, f"whole blocks of {BLOCK_SIZE}, never the whole prompt"),
        Figure(
            least_seconds(d, saved_flop, Fraction(0)), Unit.SECONDS, "FLOP saved ÷ (devices × FLOP/s)", Standing.BOUND
        ),
        Figure(shared * (d.requests - 1), Unit.BYTES, "(requests − 1) × bytes of the shared blocks"),
        None if d.draft is None else _speculation(d, d.draft),
        None if pass_tokens is None else Figure(pass_tokens, Unit.TOKENS, "1 + α + … + αᵏ", Standing.ASSUMED),
        tuple(step_of(d, size) for size in _sizes(d.requests, int(max(low, high)))),
        _unknown(d),
    )


def _step_formula(d: Deployment, now: Batch) -> str:
    if now.by_memory:
        return f"(weights read + {d.requests} × cache) ÷ bandwidth"
    return f"{d.requests} × (2 × parameters + attention) ÷ (devices × FLOP/s in {d.number.value})"


def _ridge(d: Deployment) -> Figure | None:
    ridge = d.device.ridge(d.number)
    formula = f"FLOP/s in {d.number.value} ÷ bandwidth"
    return None if ridge is None else Figure(ridge, Unit.FLOP_A_BYTE, formula, d.device.standing)


def _speculation(d: Deployment, draft: Draft) -> Figure:
    value, cost, verify = speculation(d, draft)
    formula = f"(1 + α + … + αᵏ) ÷ ({draft.k} × {float(cost):.4g} + {float(verify):.4g})"
    return Figure(value, Unit.TIMES, formula, Standing.ASSUMED)


def _sizes(requests: int, most: int) -> list[int]:
    """1, 2, 4, … and the deployment's own, up to what fits or is wanted."""
    top = max(requests, min(most, 1 << 20), 1)
    return sorted({requests, *(1 << i for i in range(math.floor(math.log2(top)) + 1))})


def _unknown(d: Deployment) -> tuple[Unknown, ...]:
    m, small = d.model, exact("weight_bits", d.weight_bits) < 16
    quantised = small or exact("k_bits", d.k_bits) < 16 or exact("v_bits", d.v_bits) < 16
    holds = {
        Unknown.ACTIVATIONS: True,
        Unknown.EFFICIENCY: True,
        Unknown.LENGTHS: True,
        Unknown.QUALITY: quantised,
        Unknown.COMMUNICATION: d.n_devices > 1,
        Unknown.ROUTING: m.n_experts > 0,
        Unknown.ACCEPTANCE: d.draft is not None,
        Unknown.RECURRENT_STATE: m.n_without > 0,
        Unknown.MIXED_WEIGHTS: small,
        Unknown.DEVICE_FIGURES: d.device.standing is not Standing.READ,
        Unknown.FLOPS: d.number not in d.device.flops,
        Unknown.BEYOND_CONTEXT: m.context is not None and d.context > m.context,
        Unknown.PREFIX_IN_WINDOWS: d.shared_prefix > 0 and bool(m.n_local or m.n_without),
    }
    return tuple(key for key, there in holds.items() if there)
