"""A few requests with real tokens, small enough to follow pass by pass."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.batching.jobs import Job, Mistake, Setup, WhenFull
from engine.checked import checked_int
from engine.generation import CONFIG
from engine.paged_decoder import greedy

NAMES = "ABCDEF"
MOST = {"prompt": 16, "new": 12, "arrival": 20, "n_blocks": 16, "block_size": 8, "budget": 32}


@dataclass(frozen=True)
class Scenario:
    """Request A has the first prompt, is to get new[0] tokens, and arrives before pass arrivals[0] + 1; and so on.

    Tokens are 0 … 10; the little decoder chooses the likeliest. The rest is as in `engine.batching.jobs.Setup`. Raises
    ValueError that names the argument; a request that could never be served is refused here.
    """

    prompts: tuple[tuple[int, ...], ...] = ((3, 7, 0, 3, 1), (4, 10, 1), (9, 4, 2, 2, 2, 2, 7), (8, 9))
    new: tuple[int, ...] = (7, 8, 5, 4)
    arrivals: tuple[int, ...] = (0, 0, 1, 3)
    n_blocks: int = 6
    block_size: int = 4
    budget: int = 8
    max_running: int = 3
    continuous: bool = True
    chunked: bool = True
    when_full: WhenFull = WhenFull.RECOMPUTE
    mistake: Mistake = Mistake.NONE

    def __post_init__(self) -> None:
        object.__setattr__(self, "prompts", tuple(tuple(prompt) for prompt in self.prompts))
        for name in ("new", "arrivals"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
            if len(getattr(self, name)) != len(self.prompts):
                raise ValueError(f"{name}: {len(self.prompts)} of them, one a prompt, got {len(getattr(self, name))}")
        if not 1 <= len(self.prompts) <= len(NAMES):
            raise ValueError(f"prompts: 1 … {len(NAMES)} of them, got {len(self.prompts)}")
        for prompt in self.prompts:
            if any(checked_int("prompts", token) >= CONFIG.vocab_size for token in prompt):
                raise ValueError(f"prompts: tokens 0 … {CONFIG.vocab_size - 1}, got {prompt}")
            if not 1 <= len(prompt) <= MOST["prompt"]:
                raise ValueError(f"prompts: each of 1 … {MOST['prompt']} tokens, got {len(prompt)}")
        for name, values, low, most in (
            ("new", self.new, 1, MOST["new"]),
            ("arrivals", self.arrivals, 0, MOST["arrival"]),
            ("n_blocks", (self.n_blocks,), 1, MOST["n_blocks"]),
            ("block_size", (self.block_size,), 1, MOST["block_size"]),
            ("budget", (self.budget,), 1, MOST["budget"]),
            ("max_running", (self.max_running,), 1, len(NAMES)),
        ):
            for value in values:
                if checked_int(name, value, low) > most:
                    raise ValueError(f"{name}: {low} … {most}, got {value}")
        self.setup.checked(self.jobs)

    @property
    def names(self) -> tuple[str, ...]:
        """The requests there are."""
        return tuple(NAMES[: len(self.prompts)])

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The same in numbers."""
        return tuple(Job(len(p), m, a) for p, m, a in zip(self.prompts, self.new, self.arrivals, strict=True))

    @property
    def setup(self) -> Setup:
        """The server. Raises ValueError as there."""
        return Setup(
            self.n_blocks,
            self.block_size,
            self.budget,
            self.max_running,
            self.continuous,
            self.chunked,
            self.when_full,
            self.mistake,
        )

    @property
    def right(self) -> Scenario:
        """The same without a mistake."""
        return replace(self, mistake=Mistake.NONE)

    def truth(self, request: int) -> tuple[int, ...]:
        """The tokens that the request gets when it is served alone."""
        return greedy(CONFIG, self.prompts[request], self.new[request])
