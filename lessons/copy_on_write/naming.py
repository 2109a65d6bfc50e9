"""Small words that several parts of the lesson use: mistakes, tables, identities, counts."""

from __future__ import annotations

from engine.copy_on_write import NAMES
from engine.prefix_cache import Identity
from engine.shared_blocks import Mistake
from lessons.kit.text import Text

NAME_DIGITS = 4  # of a hash, enough to tell a lesson's blocks apart
MODEL = "Llama-3-8B"  # the model in whose bytes the lesson counts

MISTAKES: dict[Mistake, Text] = {
    Mistake.NONE: Text("none", "不比较"),
    Mistake.NO_COPY: Text("write without copying", "不复制就写"),
    Mistake.NO_PARENT: Text("name without the block before", "名字不含前一块"),
    Mistake.NO_MODEL: Text("name without the model", "名字不含模型"),
    Mistake.NO_ADAPTER: Text("name without the adapter", "名字不含适配器"),
    Mistake.NO_SALT: Text("name without the salt", "名字不含盐"),
    Mistake.UNTAGGED: Text("adapter and salt not told apart", "适配器与盐不加区分"),
}


def other(name: str) -> str:
    """The request that is not `name`."""
    return NAMES[1 - NAMES.index(name)]


def listing(blocks: tuple[int, ...]) -> str:
    """A block table as text.

    >>> listing((7, 2, 19))
    '[7, 2, 19]'
    """
    return f"[{', '.join(map(str, blocks))}]"


def identity(who: Identity) -> Text:
    """Model, adapter and salt in words."""
    adapter, salt = who.adapter or "–", who.salt or "–"
    return Text(f"model {who.model}, adapter {adapter}, salt {salt}", f"模型 {who.model}，适配器 {adapter}，盐 {salt}")


def short_name(digest: str) -> str:
    """The first digits of a block's hash, as shown.

    >>> short_name("ea55c0")
    '#ea55'
    """
    return f"#{digest[:NAME_DIGITS]}"


def tokens(n: int) -> Text:
    return Text(f"{n} token{'s' * (n != 1)}", f"{n} 个 token")


def blocks(n: int) -> Text:
    return Text(f"{n} block{'s' * (n != 1)}", f"{n} 块")


def slots(n: int) -> Text:
    return Text(f"{n} slot{'s' * (n != 1)}", f"{n} 个槽位")
