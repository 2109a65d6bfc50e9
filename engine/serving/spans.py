"""The rule of time: who runs when. Steps in which nothing changes are taken together.

All requests wait at first, first come first served. A step: (1) admit from the head of the queue while it fits, stop
at the first that does not; (2) every running request gains one token, the oldest first, a paged one taking a block
when it needs one (it is admitted with room for its next token); with none free the newest request is preempted, to
the head of the queue, its tokens kept; (3) who has reached its length leaves, and its memory is free.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refused:
    """The head of the queue did not fit: it takes `takes` tokens of the pool at once, `free` are free in all."""

    request: int
    takes: int
    free: int

    @property
    def blocked(self) -> bool:
        """Enough is free, but not in one piece."""
        return self.takes <= self.free


@dataclass(frozen=True, slots=True)
class Span:
    """Steps `first` … `first` + `steps` − 1, counted from 1, with the same requests running in all of them.

    In the first, `admitted` come in, each at its address (0 for one in blocks, which are counted only), and `preempted`
    go out, each with the tokens it had, in that order; at the end of the last, `finished` leave. `refused` holds in
    every one of the steps.
    `held` and `reserved` are token-steps: tokens that lie in the pool, and tokens of it that somebody owns, after (2).
    """

    first: int
    steps: int
    admitted: tuple[tuple[int, int], ...]
    preempted: tuple[tuple[int, int], ...]
    finished: tuple[int, ...]
    refused: Refused | None
    running: int
    held: int
    reserved: int
