"""A thousand completions through one pool, counted: what is held, what is reserved, who waits and why.

Source: the second text's third exercise; audit of doc 001, 1.61.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.checked import checked_int
from engine.serving.in_blocks import spans_in_blocks
from engine.serving.in_pieces import spans_in_pieces
from engine.serving.policies import Load, Paged, Policy
from engine.serving.spans import Span


@dataclass(frozen=True)
class Report:
    """What came of it. A token-step is one token's place for one step.

    `steps` until the last request left, `tokens` that all of them gained, `mean_running` requests in a step.
    `utilisation`: of what was reserved, the share in which a token lay, over time. Tokens in a step, on average:
    `waste_internal` reserved and empty, `waste_external` free but of no use, in steps that were blocked.
    `blocked_steps`: the head of the queue did not fit although enough was free in all. `recomputed_tokens`: rows run
    again after a preemption; `swapped_tokens`: moved out and back, each way counted. `held` and `reserved` are the
    token-steps themselves.
    """

    steps: int
    tokens: int
    mean_running: float
    utilisation: float
    waste_internal: float
    waste_external: float
    blocked_steps: int
    preemptions: int
    recomputed_tokens: int
    swapped_tokens: int
    held: int
    reserved: int


def spans(load: Load) -> Iterator[Span]:
    """All of time, one span after the other."""
    return spans_in_blocks(load, load.policy.block_size) if isinstance(load.policy, Paged) else spans_in_pieces(load)


@dataclass(frozen=True)
class Progress:
    """How far a simulation has come: requests that have left, of all, and the report on what has happened so far."""

    finished: int
    requests: int
    report: Report


def simulate(lengths: Iterable[int], policy: Policy, *, pool_tokens: int, max_running: int | None = None) -> Report:
    """Completions of `lengths` tokens each, served by the rule of time of `engine.serving.spans`.

    Raises ValueError that names the argument: a request that never fits is refused before anything runs, and so is a
    limit below 1. Without requests nothing happens: 0 steps, and 0 for what is an average of nothing.

    >>> report = simulate([3, 5, 2], Paged(4), pool_tokens=8)
    >>> report.steps, report.tokens, report.preemptions, round(report.utilisation, 3)
    (6, 10, 1, 0.545)
    """
    load = Load.of(lengths, policy, pool_tokens, max_running)
    *_, last = progress(load, len(load.lengths) or 1)
    return last.report


def progress(load: Load, every: int) -> Iterator[Progress]:
    """The same, with news whenever `every` more requests have left, and at the end."""
    checked_int("every", every, 1)
    finished = steps = tokens = held = reserved = external = blocked = preemptions = lost = 0
    swap = isinstance(load.policy, Paged) and load.policy.when_full == "swap"

    def news() -> Progress:
        report = Report(
            steps=steps,
            tokens=tokens,
            mean_running=_per(tokens, steps),
            utilisation=_per(held, reserved),
            waste_internal=_per(reserved - held, steps),
            waste_external=_per(external, steps),
            blocked_steps=blocked,
            preemptions=preemptions,
            recomputed_tokens=0 if swap else lost,
            swapped_tokens=2 * lost if swap else 0,
            held=held,
            reserved=reserved,
        )
        return Progress(finished, len(load.lengths), report)

    for span in spans(load):
        steps += span.steps
        tokens += span.steps * span.running
        held += span.held
        reserved += span.reserved
        if span.refused is not None and span.refused.blocked:
            blocked += span.steps
            external += span.steps * span.refused.free
        preemptions += len(span.preempted)
        lost += sum(had for _, had in span.preempted)
        before, finished = finished, finished + len(span.finished)
        if before // every < finished // every and finished < len(load.lengths):
            yield news()
    yield news()


def _per(a: int, b: int) -> float:
    return a / b if b else 0.0
