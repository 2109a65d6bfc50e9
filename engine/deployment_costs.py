"""Bytes and seconds of a deployment: what is held, what is read, what is multiplied. Bytes are of one device.

Seconds are bounds: the time to read what must be read, or to multiply what must be multiplied, at the device's peak,
whichever is longer.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from engine.deployment import BLOCK_SIZE, Deployment, Draft
from engine.model import Model
from engine.speculative import exact, speed_up


@dataclass(frozen=True)
class Batch:
    """`requests` decoded together at the full context: a step takes at least `seconds`.

    `tokens_a_second` at most, of all requests together; `intensity` is FLOP a byte of the step.
    """

    requests: int
    seconds: Fraction
    tokens_a_second: Fraction
    intensity: Fraction
    by_memory: bool


def weight_bytes(m: Model, bits: Fraction, devices: int) -> Fraction:
    return m.known_parameters * bits / 8 / devices


def held_of(m: Model, d: Deployment, tokens: int) -> Fraction:
    k, v = exact("k_bits", d.k_bits), exact("v_bits", d.v_bits)
    return Fraction(m.kv_bytes(tokens, k_bits=k, v_bits=v, devices=d.n_devices))


def held_bytes(d: Deployment, requests: int) -> Fraction:
    """Cache of `requests`, the shared blocks once; the draft's as well."""
    one = held_of(d.model, d, d.context)
    if d.draft is not None and d.draft.model is not None:
        one += draft_cache(d, d.draft.model)
    return one * requests - shared_bytes(d) * (requests - 1)


def draft_cache(d: Deployment, m: Model) -> Fraction:
    return Fraction(m.kv_bytes(d.context, devices=d.n_devices))


def shared_bytes(d: Deployment) -> Fraction:
    """Bytes of the blocks that all requests have in common: only where no layer forgets or keeps a state."""
    m = d.model
    if m.n_local or m.n_without:
        return Fraction(0)
    tokens = d.n_blocks_shared * BLOCK_SIZE
    return held_of(m, d, tokens) - held_of(m, d, 0)


def paged_of(d: Deployment) -> Fraction:
    """Cache of one request in whole blocks, by an engine that gives back what windows leave; the draft’s too."""
    return _in_blocks(d, windows=True)


def reserved_of(d: Deployment) -> Fraction:
    """The same by an engine that treats every layer as if none forgot."""
    return _in_blocks(d, windows=False)


def _in_blocks(d: Deployment, *, windows: bool) -> Fraction:
    k, v, size = exact("k_bits", d.k_bits), exact("v_bits", d.v_bits), BLOCK_SIZE
    one = d.model.reserved_bytes(d.context, block_size=size, windows=windows, k_bits=k, v_bits=v, devices=d.n_devices)
    draft = d.draft.model if d.draft is not None else None
    more = (
        0 if draft is None else draft.reserved_bytes(d.context, block_size=size, windows=windows, devices=d.n_devices)
    )
    return Fraction(one + more)


# --- time


def least_seconds(d: Deployment, flop: Fraction, read: Fraction) -> Fraction:
    """Seconds at least: reading `read` bytes on each device, and `flop` on all of them together."""
    reading = read / d.device.bandwidth.value
    peak = d.device.flops.get(d.number)
    return reading if peak is None else max(reading, flop / (peak.value * d.n_devices))


def step_flop(d: Deployment, rows: int, requests: int) -> Fraction:
    """FLOP of a step that runs `rows` tokens of each request."""
    m = d.model
    return Fraction(requests * rows * (2 * m.step_parameters + m.attention_flops(d.context)))


def step_bytes(d: Deployment, parameters: Fraction, requests: int) -> Fraction:
    """Bytes each device reads: weights once, the cache of each request, what all share once (kernels can do that)."""
    bits = exact("weight_bits", d.weight_bits)
    cache = requests * held_of(d.model, d, d.context) - (requests - 1) * shared_bytes(d)
    return parameters * bits / 8 / d.n_devices + cache


def step_of(d: Deployment, requests: int) -> Batch:
    """At least: a mixture of experts is taken to choose the same few for all."""
    flop = step_flop(d, 1, requests)
    read = step_bytes(d, Fraction(d.model.step_parameters), requests)
    seconds = least_seconds(d, flop, read)
    intensity = flop / (read * d.n_devices)
    by_memory = seconds == read / d.device.bandwidth.value
    return Batch(requests, seconds, requests / seconds, intensity, by_memory)


def expected_step(d: Deployment, rows: int = 1) -> Fraction:
    """Seconds at least of a step over `rows` tokens of each request, if experts are chosen evenly, by chance."""
    touched = Fraction(d.model.touched_parameters(rows * d.requests))
    return least_seconds(d, step_flop(d, rows, d.requests), step_bytes(d, touched, d.requests))


def prefill_flop(m: Model, tokens: int) -> Fraction:
    """FLOP of a prompt: every token through the body, the last alone through the output."""
    return Fraction(2 * (m.body_parameters * tokens + m.table) + m.prefill_attention_flops(tokens))


def rest_flop(m: Model, tokens: int, kept: int) -> Fraction:
    """FLOP of the same prompt with its first `kept` tokens in the cache already."""
    pairs = m.prefill_attention_flops(tokens) - m.prefill_attention_flops(kept)
    return Fraction(2 * (m.body_parameters * (tokens - kept) + m.table) + pairs)


def speculation(d: Deployment, draft: Draft) -> tuple[Fraction, Fraction, Fraction]:
    """Times as many tokens a second, the cost of a draft pass, and of verifying, both in passes of the target.

    All steps at their bounds, experts chosen evenly.
    """
    one = expected_step(d)
    verify = expected_step(d, draft.k + 1) / one
    cost = exact("draft.cost", draft.cost)
    if draft.model is not None:
        m = draft.model
        bits = exact("weight_bits", d.weight_bits)
        read = m.step_parameters * bits / 8 / d.n_devices + d.requests * draft_cache(d, m)
        flop = Fraction(d.requests * (2 * m.step_parameters + m.attention_flops(d.context)))
        cost = least_seconds(d, flop, read) / one
    return speed_up(draft.alpha, draft.k, cost, verify), cost, verify
