"""Requests that come and go over one prefix cache: who, with which prompts, in which order.

Source: chapter 07, Q028.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from engine.block_names import WIDTH
from engine.checked import checked_int
from engine.generation import CONFIG
from engine.paged_decoder import greedy
from engine.prefix_cache import Mistake, OutOfBlocks, PrefixCache, Request

NAMES = "ABCDEF"
MOST_TOKENS = 24  # in a request, those it appends included
MOST_ACTIONS = 40
SIZES, POOLS = (2, 8), (1, 16)


class Does(Enum):
    """What a request does, and how it is written before its name."""

    ARRIVES = "+"
    APPENDS = ""  # one token, the little decoder's choice
    ENDS = "-"


@dataclass(frozen=True)
class Scenario:
    """Request A has the first prompt, B the second, …; `actions` are theirs in order of time: `+A`, `A`, `-A`.

    Tokens are 0 … 10. A block's name has `hash_bits` bits, few enough for two to collide soon. Raises ValueError that
    names the argument, also where a token that is appended finds no block: what a server does then is another matter
    (engine.batching).
    """

    prompts: tuple[tuple[int, ...], ...] = (
        (3, 8, 2, 7, 1, 6, 0, 5, 10),
        (3, 8, 2, 7, 1, 6, 0, 5, 9, 4, 10, 2, 6),  # A's first two blocks, and one of its own
        (3, 8, 2, 7, 6, 2, 1, 9, 0),  # branches after the first block
        (1, 4, 7, 1, 2, 10, 5, 0, 1, 7, 7, 3, 9, 0, 4, 8, 6, 2, 1, 5, 10, 3),  # nothing in common, and long
        (3, 8, 2, 7, 1, 6, 0, 5, 9, 4, 10, 2, 6),  # B's again
    )
    actions: tuple[str, ...] = ("+A", "-A", "+B", "+C", "-C", "-B", "+D", "-D", "+E")
    block_size: int = 4
    n_blocks: int = 8
    hash_bits: int = 4
    mistake: Mistake = Mistake.NONE

    def __post_init__(self) -> None:
        object.__setattr__(self, "prompts", tuple(tuple(prompt) for prompt in self.prompts))
        object.__setattr__(self, "actions", tuple(self.actions))
        if not isinstance(self.mistake, Mistake):
            raise ValueError(f"mistake: one of {', '.join(map(str, Mistake))}, got {self.mistake!r}")
        for name, low, high in (
            ("block_size", *SIZES),
            ("n_blocks", *POOLS),
            ("hash_bits", 1, WIDTH),
        ):
            if checked_int(name, getattr(self, name), low) > high:
                raise ValueError(f"{name}: {low} … {high}, got {getattr(self, name)}")
        if not 1 <= len(self.prompts) <= len(NAMES):
            raise ValueError(f"prompts: 1 … {len(NAMES)} of them, got {len(self.prompts)}")
        for prompt in self.prompts:
            if not prompt or any(checked_int("prompts", token) >= CONFIG.vocab_size for token in prompt):
                raise ValueError(f"prompts: each at least one token of 0 … {CONFIG.vocab_size - 1}, got {prompt}")
        if len(self.actions) > MOST_ACTIONS:
            raise ValueError(f"actions: at most {MOST_ACTIONS}, got {len(self.actions)}")
        for name in dict.fromkeys(name for _, name in self.parsed()):
            length = len(self.prompt(name)) + self.actions.count(name)
            if length > MOST_TOKENS:
                raise ValueError(f"prompts: {name} comes to {length} tokens, at most {MOST_TOKENS}")
        self._live_through()

    @property
    def names(self) -> tuple[str, ...]:
        """The requests there are."""
        return tuple(NAMES[: len(self.prompts)])

    def prompt(self, name: str) -> tuple[int, ...]:
        """What the request comes with."""
        return self.prompts[NAMES.index(name)]

    def parsed(self) -> Iterator[tuple[Does, str]]:
        """The actions, read. Raises ValueError for one that cannot be read."""
        for action in self.actions:
            does, name = str(action)[:-1], str(action)[-1:]
            if name not in self.names or does not in {one.value for one in Does}:
                known = ", ".join(self.names)
                raise ValueError(f"actions: +A, A or -A, with a request of {known}, got {action!r}")
            yield Does(does), name

    def appended(self, name: str) -> tuple[int, ...]:
        """What the request will have appended to its prompt in the end: what it appends when it runs alone."""
        return greedy(CONFIG, self.prompt(name), self.actions.count(name))

    def _live_through(self) -> None:
        """Once with the right cache, so that what cannot happen is said before anything is shown."""
        cache = PrefixCache(self.n_blocks, self.block_size)
        requests: dict[str, Request | None] = {}  # None: refused
        gone: set[str] = set()
        for does, name in self.parsed():
            if name in gone or (does is Does.ARRIVES) == (name in requests):
                raise ValueError(f"actions: {name} arrives once, before all else it does, and ends once")
            request = requests.get(name)
            if does is Does.ARRIVES:
                try:
                    requests[name] = cache.start(self.prompt(name))
                except OutOfBlocks:
                    requests[name] = None
            elif does is Does.ENDS:
                gone.add(name)
                if request is not None:
                    cache.finish(request)
            elif request is not None:
                at = request.length - len(self.prompt(name))
                try:
                    cache.append(request, 1, self.appended(name)[at : at + 1])
                except OutOfBlocks as error:
                    raise ValueError(f"actions: no block is free for another token of {name}") from error
