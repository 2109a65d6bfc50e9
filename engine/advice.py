"""What a plan recommends: attention, cache, formats, weights, guessing. Keys and figures; words are a page's.

Each recommendation has the figure it rests on, when it does not hold, and the lesson that shows why.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction

from engine.advisor import Deployment, Figure, Plan, Priority, Unit, plan
from engine.speculative import exact
from engine.standing import Standing


class Topic(Enum):
    """What is recommended on."""

    ATTENTION = "attention"
    CACHE = "cache"
    CACHE_FORMAT = "cache_format"
    WEIGHTS = "weights"
    SPECULATION = "speculation"


class Choice(Enum):
    """What is recommended."""

    FUSED = "fused"  # a fused, exact kernel
    PAGED = "paged"
    PAGED_AND_SHARED = "paged_and_shared"  # with prefix caching at work
    KEEP_FORMAT = "keep_format"
    CACHE_IN_8_BITS = "cache_in_8_bits"
    KEEP_WEIGHTS = "keep_weights"
    WEIGHTS_IN_8_BITS = "weights_in_8_bits"
    WEIGHTS_IN_4_BITS = "weights_in_4_bits"
    MORE_DEVICES = "more_devices"  # nothing here makes it fit
    SPECULATE = "speculate"
    DO_NOT_SPECULATE = "do_not_speculate"


class Unless(Enum):
    """When a recommendation does not hold."""

    NO_KERNEL = "no_kernel"  # the device, head size or mask has no such kernel
    ONE_REQUEST = "one_request"
    PREFIX_BELOW_A_BLOCK = "prefix_below_a_block"
    PREFIX_DIFFERS_EARLY = "prefix_differs_early"  # a date or a name before the common part
    QUALITY_NOT_MEASURED = "quality_not_measured"
    SHORT_CONTEXT = "short_context"  # little of a step is reading the cache
    COMPUTE_BOUND = "compute_bound"
    LARGE_BATCH = "large_batch"
    LOW_ACCEPTANCE = "low_acceptance"
    NO_MEMORY_FOR_DRAFT = "no_memory_for_draft"


@dataclass(frozen=True)
class Recommendation:
    """`before` and `after` are the figure as the deployment stands, and with the choice made; equal where it stands."""

    topic: Topic
    choice: Choice
    before: Figure
    after: Figure
    unless: tuple[Unless, ...]
    lesson: str


def recommend(found: Plan) -> tuple[Recommendation, ...]:
    """One recommendation for each topic, in the order of Topic."""
    d = found.deployment
    return (_attention(d), _cache(found), _cache_format(found), _weights(found), _speculation(found))


def _attention(d: Deployment) -> Recommendation:
    """Scores of one prompt in one layer on one device, written out and not."""
    heads = Fraction(d.model.n_heads, d.n_devices)
    plain = Figure(heads * d.context**2 * 2, Unit.BYTES, f"{heads} heads × {d.context}² scores × 2 B")
    fused = Figure(Fraction(0), Unit.BYTES, "scores stay on the chip")
    return Recommendation(Topic.ATTENTION, Choice.FUSED, plain, fused, (Unless.NO_KERNEL,), "online_softmax")


def _cache(found: Plan) -> Recommendation:
    reused = found.reused_tokens.value > 0 and found.deployment.requests > 1
    if reused:
        unless = (Unless.PREFIX_DIFFERS_EARLY, Unless.PREFIX_BELOW_A_BLOCK)
        after = replace(found.prefill, value=found.prefill.value - found.prefill_saved.value)
        return Recommendation(Topic.CACHE, Choice.PAGED_AND_SHARED, found.prefill, after, unless, "copy_on_write")
    return Recommendation(
        Topic.CACHE, Choice.PAGED, found.reserved, found.in_blocks, (Unless.ONE_REQUEST,), "block_table"
    )


def _cache_format(found: Plan) -> Recommendation:
    """8 bits where the cache limits what fits, or is most of what a step reads."""
    d = found.deployment
    k, v = exact("k_bits", d.k_bits), exact("v_bits", d.v_bits)
    smaller = plan(replace(d, k_bits=8, v_bits=8)) if max(k, v) > 8 else found
    unless = (Unless.QUALITY_NOT_MEASURED, Unless.SHORT_CONTEXT)
    limits = not found.fits_reserved and smaller.most_requests[0].value > found.most_requests[0].value
    if limits:
        pair = found.most_requests[0], smaller.most_requests[0]
        return Recommendation(Topic.CACHE_FORMAT, Choice.CACHE_IN_8_BITS, *pair, unless, "kv_bytes")
    if found.by_memory and smaller.step.value < found.step.value * Fraction(3, 4):
        pair = found.tokens_a_second, smaller.tokens_a_second
        return Recommendation(Topic.CACHE_FORMAT, Choice.CACHE_IN_8_BITS, *pair, unless, "kv_bytes")
    pair = found.step, smaller.step
    return Recommendation(Topic.CACHE_FORMAT, Choice.KEEP_FORMAT, *pair, (), "kv_bytes")


def _weights(found: Plan) -> Recommendation:
    """As few bits as it takes to fit; with latency first, 8 where weights are most of what a step reads."""
    d, bits = found.deployment, exact("weight_bits", found.deployment.weight_bits)
    unless = (Unless.QUALITY_NOT_MEASURED, Unless.COMPUTE_BOUND)
    if not found.fits:
        for fewer, choice in ((8, Choice.WEIGHTS_IN_8_BITS), (4, Choice.WEIGHTS_IN_4_BITS)):
            if fewer < bits:
                less = plan(replace(d, weight_bits=fewer))
                if less.fits:
                    return Recommendation(Topic.WEIGHTS, choice, found.left, less.left, unless, "kv_bytes")
        return Recommendation(Topic.WEIGHTS, Choice.MORE_DEVICES, found.left, found.left, (), "kv_bytes")
    if bits > 8 and d.priority is Priority.LATENCY and found.by_memory:
        less = plan(replace(d, weight_bits=8))
        if less.step.value < found.step.value * Fraction(3, 4):
            pair = found.step, less.step
            return Recommendation(Topic.WEIGHTS, Choice.WEIGHTS_IN_8_BITS, *pair, unless, "decode_cost")
    return Recommendation(Topic.WEIGHTS, Choice.KEEP_WEIGHTS, found.left, found.left, (), "kv_bytes")


def _speculation(found: Plan) -> Recommendation:
    one = Figure(Fraction(1), Unit.TIMES, "without a draft", Standing.COMPUTED)
    if found.speculation is None:
        return Recommendation(Topic.SPECULATION, Choice.DO_NOT_SPECULATE, one, one, (), "speculative")
    gains = found.speculation.value > 1 and found.fits
    choice = Choice.SPECULATE if gains else Choice.DO_NOT_SPECULATE
    unless = (Unless.LOW_ACCEPTANCE, Unless.LARGE_BATCH, Unless.NO_MEMORY_FOR_DRAFT) if gains else ()
    return Recommendation(Topic.SPECULATION, choice, one, found.speculation, unless, "speculative")


def attention_kernel(d: Deployment) -> str:
    """What Transformers calls the kernel (from_pretrained, attn_implementation; transformers 5.24, read).

    flash_attention_3 is the one for Hopper, flash_attention_2 for the other NVIDIA and AMD devices; elsewhere sdpa.
    """
    name = d.device.name
    if name.startswith(("H100", "H200")):
        return "flash_attention_3"
    if name.startswith(("A100", "L40S", "L4", "GeForce", "Instinct")):
        return "flash_attention_2"
    return "flash_attention_4" if name.startswith("B200") else "sdpa"
