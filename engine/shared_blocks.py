"""Two requests that name the same blocks, and what each computes from what it then finds there.

Source: chapter 07, Q028. B comes to A's blocks either as a fork (parallel samples, beams), or because a prefix cache
finds them by name. K and V are the little decoder's own, so a wrong block shows in its attention output.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from engine import block_names, copy_on_write, paged
from engine.attention import Array
from engine.block_names import Identity, block_hashes, reusable_tokens
from engine.checked import checked_int
from engine.copy_on_write import NAMES, Act, Alone, Prepared, Shared, Wants, Wrote, write
from engine.decoder import Config
from engine.paged import BlockPool, Sequence, blocks_for
from engine.paged_decoder import Storage, alone, newest
from engine.paged_memory import Contents, Memory, Token, after_write, memory

N_BLOCKS = 20
HAND_OUT = (7, 2, 19, 5, 3, 15, 11, 0, 14, 9, 17, 6, 12, 1, 18, 4, 10, 16, 8, 13)  # the chapter's first
MOST_TOKENS = 12
MOST_WRITES = 4
SIZES = (2, 8)


class Arrival(Enum):
    """How B comes, and what it has in common with A."""

    FORK = "fork"  # B continues A: every block is shared, an unfilled one too
    SAME = "same"  # by prefix cache: same model, adapter and salt
    MODEL = "model"  # the same tokens for another model …
    ADAPTER = "adapter"  # … another adapter …
    SALT = "salt"  # … another tenant
    ADAPTER_AS_SALT = "adapter_as_salt"  # A's adapter has the name of B's salt
    REPEAT = "repeat"  # after the common part B repeats A's opening


class Mistake(Enum):
    """Wrong ways to share, each run by the same code as the right one."""

    NONE = "none"
    NO_COPY = "no_copy"
    NO_PARENT = "no_parent"
    NO_MODEL = "no_model"
    NO_ADAPTER = "no_adapter"
    NO_SALT = "no_salt"
    UNTAGGED = "untagged"

    @property
    def of_paging(self) -> paged.Mistake:
        """The same mistake in `engine.paged`; NONE where it is not one of paging."""
        return paged.Mistake.NO_COPY if self is Mistake.NO_COPY else paged.Mistake.NONE

    @property
    def of_names(self) -> block_names.Mistake:
        """The same mistake in `engine.block_names`; NONE where it is not one of naming."""
        return block_names.Mistake.NONE if self is Mistake.NO_COPY else block_names.Mistake(self.value)


@dataclass(frozen=True)
class Scenario:
    """A has `n_tokens` tokens. B is forked, or comes with `n_shared` tokens of A's and `n_own` others.

    Then each of `writers` appends one token, in that order. Raises ValueError that names the argument.
    """

    arrival: Arrival = Arrival.FORK
    n_tokens: int = 10
    block_size: int = 4
    writers: tuple[str, ...] = NAMES
    n_shared: int = 8
    n_own: int = 2
    mistake: Mistake = Mistake.NONE

    def __post_init__(self) -> None:
        object.__setattr__(self, "writers", tuple(self.writers))
        for name, kind in (("arrival", Arrival), ("mistake", Mistake)):
            if not isinstance(getattr(self, name), kind):
                raise ValueError(f"{name}: one of {', '.join(map(str, kind))}, got {getattr(self, name)!r}")
        for name, low, high in (
            ("n_tokens", 1, MOST_TOKENS),
            ("block_size", *SIZES),
            ("n_shared", 0, min(self.n_tokens, MOST_TOKENS)),
            ("n_own", 0, MOST_TOKENS - self.n_shared),
        ):
            if checked_int(name, getattr(self, name), low) > high:
                raise ValueError(f"{name}: {low} … {high}, got {getattr(self, name)}")
        if self.n_shared + self.n_own < 1:
            raise ValueError("n_own: B needs at least one token")
        if not set(self.writers) <= set(NAMES) or len(self.writers) > MOST_WRITES:
            raise ValueError(f"writers: up to {MOST_WRITES} of {', '.join(NAMES)}, got {self.writers}")

    @property
    def forked(self) -> bool:
        """Whether B continues A; otherwise it is found by prefix cache."""
        return self.arrival is Arrival.FORK

    @property
    def prompts(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The tokens that A has and B comes with."""
        a = tuple(token("A", p) for p in range(self.n_tokens))
        if self.forked:
            return a, a
        n = self.n_shared
        if self.arrival is Arrival.REPEAT:
            return a, a[:n] + tuple(a[i % len(a)] for i in range(self.n_own))
        return a, a[:n] + tuple(token("B", p) for p in range(n, n + self.n_own))

    @property
    def identities(self) -> tuple[Identity, Identity]:
        """A's and B's."""
        base = Identity("m1")
        match self.arrival:
            case Arrival.MODEL:
                return base, Identity("m2")
            case Arrival.ADAPTER:
                return base, Identity("m1", adapter="X")
            case Arrival.SALT:
                return Identity("m1", salt="S1"), Identity("m1", salt="S2")
            case Arrival.ADAPTER_AS_SALT:
                return Identity("m1", adapter="X"), Identity("m1", salt="X")
            case _:
                return base, base

    @property
    def names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The hash of each full block of the two prompts, as this scenario's mistake computes it."""
        a, b = (
            block_hashes(prompt, self.block_size, identity, self.mistake.of_names)
            for prompt, identity in zip(self.prompts, self.identities, strict=True)
        )
        return a, b


def token(name: str, position: int) -> int:
    """What A and B write: the little decoder's test sequence, B's one ahead of A's."""
    return (7 * position + 3 + NAMES.index(name)) % 11


def config(identity: Identity) -> Config:
    """The little decoder that an identity runs: m2 has fewer feed-forward numbers, an adapter changes V of layer 0."""
    return Config(d_ff=16 if identity.model == "m1" else 8, adapter=(0, 0.5) if identity.adapter else None)


@dataclass(frozen=True)
class Named:
    """A's full blocks are known by `names` from now on."""

    memory: Memory
    names: tuple[str, ...]


@dataclass(frozen=True)
class Arrived:
    """B is here with its prompt, and `names` of that prompt's full blocks; it has no table yet."""

    memory: Memory
    names: tuple[str, ...]


@dataclass(frozen=True)
class LookUp:
    """B's block `index` is looked for. `hits` are the blocks found so far, one a full block, None a miss.

    `asked`: no earlier block was missing. `last`: it holds the prompt's last token, which has to be run, so it is not
    used."""

    memory: Memory
    names: tuple[str, ...]
    index: int
    hits: tuple[int | None, ...]
    asked: bool
    last: bool

    @property
    def name(self) -> str:
        """What the block is called."""
        return self.names[self.index]

    @property
    def hit(self) -> int | None:
        """The block found."""
        return self.hits[-1]


@dataclass(frozen=True)
class Taken:
    """B's table starts with the blocks found, each counted once more."""

    memory: Memory
    blocks: tuple[int, ...]

    @property
    def n_reused(self) -> int:
        """Tokens that need no computing."""
        return len(self.blocks) * self.memory.block_size


@dataclass(frozen=True)
class Filled:
    """B has computed the rest of its prompt, in blocks of its own."""

    memory: Memory
    position: int
    n_computed: int
    allocated: tuple[int, ...]


@dataclass(frozen=True)
class Attended(Act):
    """`name` runs its next token over all that its table finds. `output`: attention of the last layer, query head 0.

    `fresh` is the same with nothing shared and nothing cached; `logit_error` the largest difference of the two's
    logits."""

    position: int
    output: tuple[float, ...]
    fresh: tuple[float, ...]
    logit_error: float
    next_token: int
    fresh_token: int

    @property
    def error(self) -> float:
        """Largest difference of the outputs."""
        return max(abs(x - y) for x, y in zip(self.output, self.fresh, strict=True))


@dataclass(frozen=True)
class Bill:
    """What it cost: blocks in use, blocks two separate requests would need, slots copied, prompt tokens not run
    again."""

    memory: Memory
    n_used: int
    n_alone: int
    n_copied: int
    n_reused: int

    @property
    def n_saved(self) -> int:
        """Blocks that sharing saves."""
        return self.n_alone - self.n_used


Event = Alone | Shared | Named | Arrived | LookUp | Taken | Filled | Wants | Prepared | Wrote | Attended | Bill


@dataclass(frozen=True)
class Step:
    """What happens, the memory it happens to, and the names given so far to A's and B's full blocks."""

    before: Memory
    event: Event
    names: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    @property
    def memory(self) -> Memory:
        """The memory afterwards."""
        return self.event.memory


def trace(scenario: Scenario) -> Iterator[Step]:
    """Stops in the same places whatever the mistake, so that two traces run side by side."""
    before: Memory | None = None
    names_a: tuple[str, ...] = ()
    names_b: tuple[str, ...] = ()
    for event in _fork(scenario) if scenario.forked else _prefix(scenario):
        match event:
            case Named():
                names_a = event.names
            case Arrived():
                names_b = event.names
        yield Step(event.memory if before is None else before, event, (names_a, names_b))
        before = event.memory


def _fork(scenario: Scenario) -> Iterator[Event]:
    right = copy_on_write.Scenario(scenario.n_tokens, scenario.block_size, scenario.writers, HAND_OUT, N_BLOCKS)
    chosen = replace(right, mistake=scenario.mistake.of_paging)
    [model, _], [prompt, _] = map(config, scenario.identities), scenario.prompts
    kv, moved = Storage.empty(model, N_BLOCKS, scenario.block_size), 0
    for event, sound in zip(copy_on_write.trace(chosen), copy_on_write.trace(right), strict=True):
        now = event.memory
        match event:
            case Alone():
                kv = kv.fill(model, prompt, now.table("A").blocks, 0)
            case Prepared(copied=copy) if copy is not None:
                kv, moved = kv.copy(copy), moved + copy.n_slots
            case Wrote(name=name, position=position):
                kv = kv.fill(model, (token(name, position),), now.table(name).blocks, position)
            case copy_on_write.ReadBack(name=name):
                yield _attend(scenario, now, kv, name)
                continue
        if not (isinstance(sound, Prepared) and not sound.allocated):  # nothing to prepare: no stop
            yield event
    yield _bill(now, moved, scenario.n_tokens)


def _prefix(scenario: Scenario) -> Iterator[Event]:
    size, (prompt_a, prompt_b) = scenario.block_size, scenario.prompts
    models = dict(zip(NAMES, map(config, scenario.identities), strict=True))
    pool = BlockPool(N_BLOCKS, size, HAND_OUT)
    requests = {"A": Sequence(pool)}
    contents: Contents = (None,) * (N_BLOCKS * size)

    append = requests["A"].append(len(prompt_a))
    contents = after_write(contents, append, [Token("A", p) for p in range(len(prompt_a))])
    kv = Storage.empty(models["A"], N_BLOCKS, size).fill(models["A"], prompt_a, requests["A"].block_table, 0)
    now = memory(pool, requests, contents)
    yield Alone(now)

    names_a, names_b = scenario.names
    cached: dict[str, int] = {}
    for name, block in zip(names_a, requests["A"].block_table, strict=False):
        cached.setdefault(name, block)
    yield Named(now, names_a)
    yield Arrived(now, names_b)

    hits: tuple[int | None, ...] = ()
    for i, name in enumerate(names_b):
        asked, last = None not in hits, (i + 1) * size == len(prompt_b)
        hits += (cached.get(name) if asked else None,)
        yield LookUp(now, names_b, i, hits, asked, last)

    found = [block for block in hits if block is not None]
    n_reused = reusable_tokens(len(prompt_b), len(found) * size, size)
    found = found[: n_reused // size]
    requests["B"] = Sequence.over(pool, found)
    yield Taken(memory(pool, requests, contents), tuple(found))

    append = requests["B"].append(len(prompt_b) - n_reused)
    contents = after_write(contents, append, [Token("B", p) for p in range(n_reused, len(prompt_b))])
    kv = kv.fill(models["B"], prompt_b[n_reused:], requests["B"].block_table, n_reused)
    now = memory(pool, requests, contents)
    yield Filled(now, n_reused, len(prompt_b) - n_reused, append.allocated)

    for name in scenario.writers:
        for event in write(pool, requests, contents, name):
            now, contents = event.memory, event.memory.contents
            if isinstance(event, Wrote):
                kv = kv.fill(models[name], (token(name, event.position),), now.table(name).blocks, event.position)
            if not (isinstance(event, Prepared) and not event.allocated):
                yield event
    yield _attend(scenario, now, kv, "B")
    yield _bill(now, 0, n_reused)


def _bill(now: Memory, n_copied: int, n_reused: int) -> Bill:
    alone = sum(blocks_for(table.length, now.block_size) for table in now.tables)
    return Bill(now, sum(refs > 0 for refs in now.ref_counts), alone, n_copied, n_reused)


def _attend(scenario: Scenario, now: Memory, kv: Storage, name: str) -> Attended:
    """The next token of `name` over what its table finds, beside the same tokens run alone."""
    who, table = NAMES.index(name), now.table(name)
    model, n = config(scenario.identities[who]), table.length
    prompt = scenario.prompts[who]
    tokens = prompt + tuple(token(name, p) for p in range(len(prompt), n + 1))
    output, logits = newest(model, tokens[n:], kv.cache(model, table.blocks, n))
    fresh, truth = alone(model, tokens)
    error = float(np.abs(logits - truth).max())
    return Attended(now, name, n, _floats(output), _floats(fresh), error, int(logits.argmax()), int(truth.argmax()))


def _floats(a: Array) -> tuple[float, ...]:
    return tuple(float(x) for x in a)
