"""What the questions have in common: their fields, tokens in blocks, and the small cases that a player can show."""

from __future__ import annotations

from engine.paged import blocks_for
from engine.shared_blocks import MOST_TOKENS, SIZES, Arrival, Scenario
from lessons.kit.controls import Whole
from lessons.kit.text import Text

LENGTH = Whole("length", Text("Tokens", "token 数"), 1, 4096)
APPENDED = Whole("appended", Text("Tokens appended", "追加的 token 数"), 1, 4096)
SIZE = Whole("size", Text("Block size", "块大小"), 1, 256)
REQUESTS = Whole("requests", Text("Requests", "请求数"), 2, 16)
WRITERS = Whole("writers", Text("How many have written", "已写入的请求数"), 1, 16)
POOL = Whole("pool", Text("Blocks in the pool", "池中的块数"), 1, 100_000)
PROMPT = Whole("prompt", Text("Prompt tokens", "提示的 token 数"), 1, 100_000)
CACHED = Whole("cached", Text("Of these, cached", "其中缓存过的"), 0, 100_000)
INDEX = Whole("index", Text("Position edited, from 0", "被修改的位置（从 0 起）"), 0, 99_999)
PREFIX = Whole("prefix", Text("Tokens in common", "相同的 token 数"), 0, 100_000)
TAIL = Whole("tail", Text("Own tokens each", "各自的其他 token 数"), 1, 4096)

ASKED = Text("Which claim is wrong, and what should it say?", "哪条说法是错的？应当怎么说？")
SMALLER = Text(" The steps show a smaller case of the same kind.", "下面的步骤演示同类的较小例子。")
EDITED = Scenario(Arrival.SAME, MOST_TOKENS, 4, ("A",), 6, 6)  # the smaller case of an edit


class InBlocks:
    """`length` tokens in blocks of `size`."""

    length: int
    size: int

    @property
    def blocks(self) -> int:
        return blocks_for(self.length, self.size)

    @property
    def full(self) -> int:
        """Full blocks."""
        return self.length // self.size

    @property
    def over(self) -> int:
        """Tokens behind the full blocks."""
        return self.length % self.size


def small(length: int, block_size: int) -> tuple[int, int]:
    """Tokens and block size that a lesson can draw, with the last block as full as in the question."""
    if SIZES[0] <= block_size <= SIZES[1]:
        room = MOST_TOKENS // block_size - 1
        return length % block_size + min(length // block_size, room) * block_size or block_size, block_size
    return (10 if length % block_size else 12), 4
