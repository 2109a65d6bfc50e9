"""What a server is asked for, and how it is set up: numbers only, no tokens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from engine.checked import checked_int
from engine.paged import blocks_for
from engine.serving import chat_lengths


class WhenFull(Enum):
    """What happens when a running request needs a block and none is free.

    vLLM's first engine had RECOMPUTE and SWAP (PreemptionMode), the present one always computes again.
    """

    RECOMPUTE = "recompute"  # the newest gives its blocks back; what it had is computed once more
    SWAP = "swap"  # … it is moved out of the pool, and back later
    REFUSE = "refuse"  # … it is given up: an error is its answer
    WAIT = "wait"  # who needs the block does nothing until there is one; everybody keeps what they have


class Mistake(Enum):
    """Wrong ways to preempt, and to count, each run by the same code as the right one."""

    NONE = "none"
    TOKENS_FREED = "tokens_freed"  # a preempted request forgets what it has generated, and sent
    NOT_COPIED_BACK = "not_copied_back"  # after a swap its new blocks hold whatever lay there
    OLDEST_FIRST = "oldest_first"  # the oldest request has to go, not the newest
    COUNTED_TWICE = "counted_twice"  # rows that are computed again pass for output


@dataclass(frozen=True)
class Job:
    """A request: `prompt` tokens, `new` ones to generate, there from pass `arrival` + 1 on.

    The first new token comes from the prompt's last row and the last one is never run: prompt + new − 1 rows.
    """

    prompt: int
    new: int
    arrival: int = 0

    @property
    def rows(self) -> int:
        """Rows of all its passes, if none has to be repeated."""
        return self.prompt + self.new - 1


@dataclass(frozen=True)
class Setup:
    """A pool of blocks, and `budget` rows a pass at most (vLLM's max_num_batched_tokens), for all together.

    `max_running` requests at once (max_num_seqs; None: no limit). `continuous`: whoever is done leaves and others come
    in at any pass; otherwise a batch takes the memory it will ever need, and nobody leaves or enters until all of it
    is done. `chunked`: a prompt may be run in pieces (enable_chunked_prefill). Raises ValueError that names the
    argument.
    """

    n_blocks: int
    block_size: int
    budget: int
    max_running: int | None = None
    continuous: bool = True
    chunked: bool = True
    when_full: WhenFull = WhenFull.RECOMPUTE
    mistake: Mistake = Mistake.NONE

    def __post_init__(self) -> None:
        for name in ("n_blocks", "block_size", "budget"):
            checked_int(name, getattr(self, name), 1)
        if self.max_running is not None:
            checked_int("max_running", self.max_running, 1)
        for name in ("continuous", "chunked"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name}: True or False, got {getattr(self, name)!r}")
        for name, kind in (("when_full", WhenFull), ("mistake", Mistake)):
            if not isinstance(getattr(self, name), kind):
                raise ValueError(f"{name}: one of {', '.join(map(str, kind))}, got {getattr(self, name)!r}")

    @property
    def swaps(self) -> bool:
        """What a preempted request had is kept outside the pool."""
        return self.when_full is WhenFull.SWAP

    def checked(self, jobs: Iterable[Job]) -> tuple[Job, ...]:
        """The jobs, if each of them can be served alone. Raises ValueError for one that would wait for ever."""
        found = tuple(jobs)
        for i, job in enumerate(found):
            for name, low in (("prompt", 1), ("new", 1), ("arrival", 0)):
                checked_int(name, getattr(job, name), low)
            if (blocks := blocks_for(job.rows, self.block_size)) > self.n_blocks:
                raise ValueError(f"n_blocks: request {i} needs {blocks} of them, the pool has {self.n_blocks}")
            if not self.chunked and job.rows > self.budget:  # all of them, when they have to be computed again
                raise ValueError(f"budget: request {i} has {job.rows} rows, in one piece at most {self.budget} fit")
        return found


def many_jobs(n: int = 200, prompt: int = 64, new: int = 128, gap: int = 0) -> tuple[Job, ...]:
    """`n` requests of 1 … `prompt` and 1 … `new` tokens, `gap` passes apart, by the recurrence of `chat_lengths`.

    >>> many_jobs(2)
    (Job(prompt=23, new=40, arrival=0), Job(prompt=29, new=23, arrival=0))
    """
    checked_int("gap", gap)
    prompts, news = chat_lengths(2 * n, prompt)[::2], chat_lengths(2 * n, new)[1::2]
    return tuple(Job(p, m, i * gap) for i, (p, m) in enumerate(zip(prompts, news, strict=True)))
