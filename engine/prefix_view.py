"""A prefix cache, frozen at one moment: who uses what, what can still be found, in which order it will go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.block_names import Identity
from engine.paged_memory import Contents, Memory, Table
from engine.prefix_cache import Name, PrefixCache, Request

Prefix = tuple[Identity, tuple[int, ...]]


@dataclass(frozen=True)
class Node:
    """A name in the tree of names, and the block that bears it; children go on where their parent's prefix ends.

    `parent` is the block before it (None: it is a prompt's first, or that block's name is gone), `depth` counts from
    0. A walk from the first block `reaches` it only if every block on the way has its name.
    """

    block: int
    name: Name
    depth: int
    parent: int | None
    reached: bool


@dataclass(frozen=True)
class Cached:
    """Tables, counts, queue and contents in `memory`; `last_use` by block, 0 is never, larger is later.

    `held` are the token ids in each block's places, whatever its name says; None where nothing was ever written.
    """

    memory: Memory
    nodes: tuple[Node, ...]
    last_use: tuple[int, ...]
    held: tuple[tuple[int | None, ...], ...]

    def nodes_of(self, block: int) -> tuple[Node, ...]:
        """What the block is called: one node or none, several only by mistake."""
        return tuple(node for node in self.nodes if node.block == block)

    def children(self, block: int | None) -> tuple[Node, ...]:
        """The nodes behind a block; of None, those at the root of the tree."""
        return tuple(node for node in self.nodes if node.parent == block and node.reached)

    @property
    def next_out(self) -> int | None:
        """The block that is handed out next."""
        return self.memory.free[0] if self.memory.free else None

    @property
    def unused(self) -> tuple[int, ...]:
        """Blocks that nobody uses and that can still be found, the next to lose its name first."""
        named = {node.block for node in self.nodes}
        return tuple(block for block in self.memory.free if block in named)


def view(
    cache: PrefixCache, running: Mapping[str, Request], contents: Contents, tokens: Mapping[str, tuple[int, ...]]
) -> Cached:
    """What is so now. `tokens` are those of each request, so that a slot's token id can be said."""
    size = cache.block_size
    tables = tuple(Table(name, request.block_ids, request.length) for name, request in running.items())
    memory = Memory(size, tables, cache.ref_counts, cache.free_blocks, contents)
    ids = [None if token is None else tokens[token.request][token.position] for token in contents]
    held = tuple(tuple(ids[start : start + size]) for start in range(0, len(ids), size))
    return Cached(memory, _nodes(cache), cache.last_use, held)


def _nodes(cache: PrefixCache) -> tuple[Node, ...]:
    """In the order of a walk: parents first."""
    named = [(name, block) for block, names in enumerate(cache.names) for name in names]
    named.sort(key=lambda pair: (len(pair[0].prefix), pair[1]))
    bearer: dict[Prefix, Node] = {}
    nodes = []
    for name, block in named:
        parent = bearer.get((name.identity, name.prefix[: name.start]))
        depth = name.start // cache.block_size
        reached = depth == 0 or (parent is not None and parent.reached)
        node = Node(block, name, depth, parent.block if parent else None, reached)
        bearer.setdefault((name.identity, name.prefix), node)
        nodes.append(node)
    return tuple(nodes)
